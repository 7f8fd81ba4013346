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
			"that it had as far as the topics know them. Where no server runs it opens the instance itself,\n" +
			"and begins nothing.",
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

// verifyHere verifies in this process, which begins no generation and takes nothing
// up: it writes what a repair writes, and nothing else.
func (a *app) verifyHere(ctx context.Context, c config.Config, repair bool) (v verifyAnswer, err error) {
	fmt.Fprintln(a.err, "No server is running, so the instance is opened here, and left as it is.")
	err = a.withStopped(ctx, c, func(ctx context.Context, m *machine) (err error) {
		v, err = m.verify(ctx, repair)
		return err
	})
	return v, err
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
	if v.Reversioned > 0 {
		fmt.Fprintf(w, "%d of them have the version of the snapshot that knew them, and not their own: no snapshot says in which\n"+
			"round a window was given last, and the topics do not hold those rounds any more. What they say is what they\n"+
			"said; `meridian replay --mode audit` will find their versions to differ, and a new generation sets them right.\n", v.Reversioned)
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
