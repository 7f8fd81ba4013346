package main

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
)

// signInCommand prints another one-time link: the one of the start has been used,
// or its terminal is gone.
func (a *app) signInCommand() *cobra.Command {
	var asJSON bool
	var dataDir string
	cmd := &cobra.Command{
		Use: "sign-in", Short: "Print a link that signs its first reader in as the owner", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.config(func(c *config.Config) { setIf(cmd, "data-dir", &c.DataDir, dataDir) })
			if err != nil {
				return err
			}
			answer, err := a.askAdmin(cmd.Context(), c, http.MethodPost, "/sign-in/link")
			if err != nil {
				return err
			}
			var made struct{ Link string }
			if err := json.Unmarshal([]byte(answer), &made); err != nil {
				return err
			}
			if asJSON {
				fmt.Fprintln(a.out, answer)
				return nil
			}
			fmt.Fprintln(a.out, made.Link)
			fmt.Fprintln(a.err, "The link signs in whoever opens it first, within a day.")
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	cmd.Flags().StringVar(&dataDir, "data-dir", "", "the running server's data directory (default ./meridian-data)")
	return cmd
}
