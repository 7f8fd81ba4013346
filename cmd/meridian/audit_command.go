package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
	"meridian/web"
)

// auditCommand prints who looked at what and who asked for what to be changed.
func (a *app) auditCommand() *cobra.Command {
	var asJSON bool
	var dataDir string
	cmd := &cobra.Command{
		Use: "audit", Short: "Print who looked at people and who changed what, the oldest first", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.config(func(c *config.Config) { setIf(cmd, "data-dir", &c.DataDir, dataDir) })
			if err != nil {
				return err
			}
			status, answer, where, err := a.adminRequest(cmd.Context(), c, http.MethodGet, "/audit/log", nil)
			if err == nil && status != http.StatusOK {
				err = refusedBy(where, status, answer)
			}
			if err != nil || asJSON {
				return a.print(answer, err)
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			for line := range bytes.Lines(answer) {
				var e web.AuditEntry
				if json.Unmarshal(line, &e) != nil {
					continue // of a crash; --json has it
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", e.Time.Format(time.RFC3339), cmp.Or(e.Name, e.Who), e.Verb, e.Subject, e.Detail)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON, an entry a line")
	cmd.Flags().StringVar(&dataDir, "data-dir", "", "the running server's data directory (default ./meridian-data)")
	return cmd
}
