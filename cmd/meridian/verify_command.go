package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
	"meridian/storage"
)

func (a *app) verifyCommand() *cobra.Command {
	var dataDir string
	var asJSON, repair bool
	cmd := &cobra.Command{
		Use: "verify", Short: "Compare tables, snapshots and the topic of points", Args: noArguments,
		Long: "Asks the running server whether all that holds results agrees: what the shards' snapshots\n" +
			"vouch for, the rows of the last rounds computed once more, the topic of points, and the tables\n" +
			"read in two ways (FINAL, and the highest version of each key). Differences are listed by key,\n" +
			"and the exit code is 5. --repair writes again what the tables have lost, with the versions\n" +
			"that it had.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.config(func(c *config.Config) { setIf(cmd, "data-dir", &c.DataDir, dataDir) })
			if err != nil {
				return err
			}
			return a.verify(cmd.Context(), c, repair, asJSON)
		},
	}
	cmd.Flags().StringVar(&dataDir, "data-dir", "", "the server's data directory (default ./meridian-data)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	cmd.Flags().BoolVar(&repair, "repair", false, "write again what the tables have lost")
	return cmd
}

// errDiffer is what a verification ends with that found something.
var errDiffer = errors.New("what holds results does not agree")

func (a *app) verify(ctx context.Context, c config.Config, repair, asJSON bool) error {
	ask := a.verifyThere
	if a.server == "" && c.ClickHouse.DSN == "" && !a.serverAnswers(ctx, c) {
		if err := mustBeInstance(c.DataDir); err != nil {
			return err
		}
		ask = a.verifyHere
	}
	v, err := ask(ctx, c, repair)
	if err != nil {
		return err
	}
	if asJSON {
		err = json.NewEncoder(a.out).Encode(v)
	} else {
		err = v.print(a.out)
	}
	if err == nil && len(v.Differences) > 0 {
		err = withCode(exitDifferences, errDiffer)
	}
	return err
}

// verifyThere asks the running server.
func (a *app) verifyThere(ctx context.Context, c config.Config, repair bool) (v verifyAnswer, err error) {
	path := "/verify"
	if repair {
		path += "?repair=1"
	}
	status, answer, where, err := a.adminRequest(ctx, c, http.MethodPost, path, nil)
	if err != nil {
		return v, err
	}
	if status != http.StatusOK {
		err := refusedBy(where, status, answer)
		if status == http.StatusServiceUnavailable {
			err = withCode(exitUnavailable, err)
		}
		return v, err
	}
	if err := json.Unmarshal(answer, &v); err != nil {
		return v, fmt.Errorf("the server's answer cannot be read: %w", err)
	}
	return v, nil
}

// verifyHere verifies in this process: the machine without listeners.
func (a *app) verifyHere(ctx context.Context, c config.Config, repair bool) (v verifyAnswer, err error) {
	fmt.Fprintln(a.err, "No server is running, so the work is done here.")
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var failed error
	err = a.serve(ctx, c, machineOptions{roles: roles{true, true, true}, inside: func(ctx context.Context, m *machine) {
		defer stop()
		select {
		case <-ctx.Done():
			failed = context.Cause(ctx)
		case <-m.tables:
			v, failed = m.verify(ctx, repair)
		}
	}})
	return v, errors.Join(err, failed)
}

func (v verifyAnswer) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "generation %d, up to %s\n\n", v.Generation, v.Clock)
	fmt.Fprintf(w, "points in %d snapshots\t%d\n", v.Checked.Snapshots, v.Checked.Points)
	fmt.Fprintf(w, "rows of the last rounds, computed again\t%d\n", v.Checked.Rounds)
	fmt.Fprintf(w, "rows of the tables, read in two ways\t%d\n", v.Checked.Rows)
	fmt.Fprintf(w, "points in the topic\t%d\n", v.Checked.Topic)
	for _, note := range v.Notes {
		fmt.Fprintf(w, "\nnote: %s\n", note)
	}
	if len(v.Differences) == 0 {
		fmt.Fprintln(w, "\nall of them agree")
		return w.Flush()
	}
	fmt.Fprintln(w, "\nbetween tables and\ttable\tkey\tdifference")
	for _, d := range v.Differences {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", d.Between, d.Table, d.Key, d.Why)
	}
	if v.More > 0 {
		fmt.Fprintf(w, "... and %d more\n", v.More)
	}
	if v.Repaired > 0 {
		fmt.Fprintf(w, "\n%d rows were written again; verify once more\n", v.Repaired)
	}
	return w.Flush()
}

// answerVerify is what the command asks for. It may take minutes; it ends with the
// request.
func (m *machine) answerVerify(w http.ResponseWriter, r *http.Request) {
	v, err := m.verify(r.Context(), r.URL.Query().Get("repair") != "")
	switch {
	case errors.Is(err, storage.ErrUnavailable), errors.Is(err, storage.ErrNothingYet):
		answerProblem(w, http.StatusServiceUnavailable, err.Error())
	case err != nil:
		answerProblem(w, http.StatusInternalServerError, err.Error())
	default:
		answerJSON(w, http.StatusOK, v)
	}
}
