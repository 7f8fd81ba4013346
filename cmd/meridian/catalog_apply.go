package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
	"meridian/ingest/catalog"
	"meridian/streaming/timeline"
)

func (a *app) catalogApplyCommand() *cobra.Command {
	var asJSON, dry bool
	var dataDir string
	cmd := &cobra.Command{Use: "apply FILE", Short: "Put a catalog in force on the running server, and say what it changes", Args: usageArgs(cobra.ExactArgs(1)),
		Long: "Sends a catalog file, or a folder of them, to the running server, which says what it changes:\n" +
			"teams, people and services, and which repositories, projects and deployments that it has seen\n" +
			"move. It takes the place of the configured one, and history is computed anew by it in the\n" +
			"background. With --dry-run nothing is changed.",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.config(func(c *config.Config) { setIf(cmd, "data-dir", &c.DataDir, dataDir) })
			if err != nil {
				return err
			}
			return a.applyCatalog(cmd.Context(), c, args[0], !dry, asJSON)
		}}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what it would change")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	cmd.Flags().StringVar(&dataDir, "data-dir", "", "the running server's data directory (default ./meridian-data)")
	return cmd
}

func (a *app) applyCatalog(ctx context.Context, c config.Config, path string, apply, asJSON bool) error {
	files, err := catalog.Files(path)
	if err == nil {
		_, err = catalog.ParseFiles(files, catalog.Options{Zone: timeline.UTC()}) // before anybody is asked
	}
	if err != nil {
		return withCode(exitConfig, err)
	}
	body, err := json.Marshal(catalogRequest{Files: files, Apply: apply})
	if err != nil {
		return err
	}
	address := "/catalog"
	if !apply {
		address += "?dry_run"
	}
	status, answer, where, err := a.adminRequest(ctx, c, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	switch status {
	case http.StatusOK:
	case http.StatusUnprocessableEntity:
		var refused catalogProblems
		if err := json.Unmarshal(answer, &refused); err != nil || len(refused.Problems) == 0 {
			return refusedBy(where, status, answer)
		}
		return withCode(exitConfig, refused.Problems)
	default:
		return refusedBy(where, status, answer)
	}
	if asJSON {
		_, err := a.out.Write(answer)
		return err
	}
	var said catalogAnswer
	if err := json.Unmarshal(answer, &said); err != nil {
		return fmt.Errorf("the server at %s gave an answer that is none: %w", where, err)
	}
	return said.print(a.out, apply)
}

func (s catalogAnswer) print(out io.Writer, apply bool) error {
	var errs []error
	say := func(format string, args ...any) {
		_, err := fmt.Fprintf(out, format+"\n", args...)
		errs = append(errs, err)
	}
	if s.Same {
		say("It says the same as the catalog that is in force.")
		return errors.Join(errs...)
	}
	for _, c := range s.Changes {
		say("%s", c.Text)
	}
	if len(s.Changes) == 0 {
		say("Nothing changes that can be said in a sentence; numbers may, at other dates.")
	}
	switch {
	case s.Applied:
		say("\n%s.", s.Says)
	case !apply:
		say("\nNothing was changed; leave --dry-run out to put it in force.")
	}
	return errors.Join(errs...)
}
