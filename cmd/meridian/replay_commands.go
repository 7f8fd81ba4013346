package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
	"meridian/web"
)

// runCommands are what can be done with runs.
func (a *app) runCommands() []*cobra.Command {
	return []*cobra.Command{
		a.runListCommand(), a.runShowCommand(), a.runDiffCommand(),
		a.runActCommand(web.PromoteRun, "promote RUN", "Make a run that has caught up the one that readers see", "live"),
		a.runActCommand(web.RollbackRun, "rollback [RUN]", "Let the generation that was replaced take over again", "live"),
		a.runActCommand(web.DropRun, "drop RUN", "End a run, and remove its rows", ""),
		a.runActCommand(web.ResumeRun, "resume RUN", "Let a run go on that stands, and show its progress", ""),
	}
}

// runCommand is a command that asks a server about runs.
func (a *app) runCommand(use, short string, args cobra.PositionalArgs, do func(ctx context.Context, ask runAsker, here, asJSON bool, args []string) error) *cobra.Command {
	var dataDir string
	var asJSON bool
	cmd := &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.config(func(c *config.Config) { setIf(cmd, "data-dir", &c.DataDir, dataDir) })
			if err != nil {
				return err
			}
			return a.withServer(cmd.Context(), c, func(ctx context.Context, ask runAsker, here bool) error { return do(ctx, ask, here, asJSON, args) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	cmd.Flags().StringVar(&dataDir, "data-dir", "", "the instance's data directory (default ./meridian-data)")
	return cmd
}

func oneRun(args []string) (uint32, error) {
	n, err := strconv.ParseUint(args[0], 10, 24)
	if err != nil || n == 0 {
		return 0, withCode(exitUsage, fmt.Errorf("%q is no number of a run; `meridian replay list` shows them", args[0]))
	}
	return uint32(n), nil
}

func (a *app) runListCommand() *cobra.Command {
	return a.runCommand("list", "List the generations that there are, and what each is for", noArguments, func(ctx context.Context, ask runAsker, _, asJSON bool, _ []string) error {
		var list web.RunList
		if err := ask(ctx, http.MethodGet, "/api/v1/runs", nil, &list); err != nil {
			return err
		}
		if asJSON {
			return json.NewEncoder(a.out).Encode(list)
		}
		w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "RUN\tKIND\tSTATE\tBEGUN\tBECAUSE\tSAYS")
		for _, r := range list.Items {
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\n", r.Number, r.Kind, r.State, deref(r.Begun), r.Reason, r.Says)
		}
		if err := w.Flush(); err != nil {
			return err
		}
		if list.Waits != "" {
			fmt.Fprintf(a.out, "\nWaits: %s\n", list.Waits)
		}
		return nil
	})
}

func (a *app) runShowCommand() *cobra.Command {
	return a.runCommand("show RUN", "Show all that is known of a run", usageArgs(cobra.ExactArgs(1)), func(ctx context.Context, ask runAsker, _, asJSON bool, args []string) error {
		n, err := oneRun(args)
		if err != nil {
			return err
		}
		var run web.Run
		if err := ask(ctx, http.MethodGet, fmt.Sprintf("/api/v1/runs/%d", n), nil, &run); err != nil {
			return err
		}
		if asJSON {
			return json.NewEncoder(a.out).Encode(run)
		}
		fmt.Fprint(a.out, runText(run))
		return nil
	})
}

func (a *app) runDiffCommand() *cobra.Command {
	q := url.Values{}
	var with, grain, from, to string
	var teams, names []string
	var limit int
	cmd := a.runCommand("diff RUN", "Compare a run with the numbers that readers see, and say why they differ", usageArgs(cobra.ExactArgs(1)), func(ctx context.Context, ask runAsker, _, asJSON bool, args []string) error {
		n, err := oneRun(args)
		if err != nil {
			return err
		}
		for name, value := range map[string]string{"with": with, "grain": grain, "from": from, "to": to} {
			if value != "" {
				q.Set(name, value)
			}
		}
		q["team"], q["metric"] = teams, names
		q.Set("limit", strconv.Itoa(limit))
		var d web.RunDiff
		if err := ask(ctx, http.MethodGet, fmt.Sprintf("/api/v1/runs/%d/diff?%s", n, q.Encode()), nil, &d); err != nil {
			return err
		}
		if asJSON {
			return json.NewEncoder(a.out).Encode(d)
		}
		fmt.Fprint(a.out, diffText(d))
		return nil
	})
	cmd.Flags().StringVar(&with, "with", "", "another run (default: the one that readers see)")
	cmd.Flags().StringSliceVar(&teams, "team", nil, "only these teams")
	cmd.Flags().StringSliceVar(&names, "metric", nil, "only these metrics")
	cmd.Flags().StringVar(&grain, "grain", "", "only windows of this grain: hour, day, day30")
	cmd.Flags().StringVar(&from, "from", "", "only windows after this day or instant")
	cmd.Flags().StringVar(&to, "to", "", "only windows before this day or instant")
	cmd.Flags().IntVar(&limit, "limit", 50, "windows to list, at most 20000")
	return cmd
}

// runActCommand does something with a run, and waits until it is in a state; "" does
// not wait.
func (a *app) runActCommand(action web.RunAction, use, short, until string) *cobra.Command {
	args := cobra.ExactArgs(1)
	if action == web.RollbackRun {
		args = cobra.MaximumNArgs(1)
	}
	return a.runCommand(use, short, usageArgs(args), func(ctx context.Context, ask runAsker, here, asJSON bool, args []string) error {
		var n uint32
		if len(args) == 1 {
			var err error
			if n, err = oneRun(args); err != nil {
				return err
			}
		} else {
			var list web.RunList
			if err := ask(ctx, http.MethodGet, "/api/v1/runs", nil, &list); err != nil {
				return err
			}
			for _, r := range list.Items {
				for _, can := range r.Can {
					if can == web.RollbackRun && n == 0 && r.State == "kept" {
						n = r.Number
					}
				}
			}
			if n == 0 {
				return errors.New("no generation was replaced that is kept and could be gone back to")
			}
		}
		var did struct{ Said string }
		if err := ask(askingFrom(ctx, here), http.MethodPost, fmt.Sprintf("/api/v1/runs/%d/%s", n, action), nil, &did); err != nil {
			if here && ctx.Err() != nil {
				fmt.Fprintf(a.err, "\nStopped. If it was asked for already, it is done with the next start of a server: `meridian replay show %d` tells.\n", n)
				return errInterrupted
			}
			return err
		}
		fmt.Fprintln(a.err, did.Said)
		switch {
		case action == web.ResumeRun:
			return a.followRun(ctx, ask, here, n, asJSON)
		case until == "" && asJSON:
			return json.NewEncoder(a.out).Encode(map[string]any{"number": n, "said": did.Said})
		case until == "":
			return nil
		}
		run, err := a.watchRun(ctx, ask, n, func(r web.Run) bool { return r.State == until || r.State == "lost" || r.State == "stands" })
		switch {
		case ctx.Err() != nil && here:
			fmt.Fprintf(a.err, "\nStopped. It goes on with the next start of a server; `meridian replay show %d` tells how far it is.\n", n)
			return errInterrupted
		case ctx.Err() != nil:
			fmt.Fprintf(a.err, "\nIt goes on in the server. `meridian replay show %d` tells how far it is.\n", n)
			return withCode(exitInterrupted, errors.New("detached"))
		}
		if err != nil {
			return err
		}
		if run.State != until {
			return fmt.Errorf("run %d %s", n, run.Says)
		}
		if asJSON {
			return json.NewEncoder(a.out).Encode(run)
		}
		fmt.Fprintf(a.out, "Readers see generation %d.\n", n)
		return nil
	})
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// runText is a run for a terminal.
func runText(r web.Run) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-10s %s\n", name, text)
		}
	}
	line("run", fmt.Sprintf("%d, %s", r.Number, r.Kind))
	line("state", r.State+": "+r.Says)
	line("because", r.Reason)
	line("asked by", r.By)
	line("begun", deref(r.Begun))
	line("rows up to", deref(r.Clock))
	if r.Behind > 0 {
		line("behind", time.Duration(r.Behind*float64(time.Second)).Round(time.Second).String())
	}
	line("logic", fmt.Sprint(r.Logic))
	line("catalog", r.Catalog)
	line("written", limitsText(r.Limits))
	if r.MaxRate > 0 {
		line("rate", fmt.Sprintf("at most %d deliveries a second", r.MaxRate))
	}
	line("kept until", deref(r.Kept))
	if r.Audit != nil {
		b.WriteString(auditText(*r.Audit))
	}
	if r.State == "ready" && r.Kind == "restate" {
		fmt.Fprintf(&b, "\n`meridian replay diff %d` compares it with what readers see, `meridian replay promote %d` makes it that.\n", r.Number, r.Number)
	}
	return b.String()
}

func limitsText(l web.RunLimits) string {
	var words []string
	if l.From != nil {
		words = append(words, "from "+*l.From)
	}
	if l.To != nil {
		words = append(words, "before "+*l.To)
	}
	if len(l.Teams) > 0 {
		words = append(words, "teams "+strings.Join(l.Teams, ", "))
	}
	for i, m := range l.Metrics {
		if i == 0 {
			words = append(words, "metrics "+string(m))
		} else {
			words[len(words)-1] += ", " + string(m)
		}
	}
	return strings.Join(words, "; ")
}

func auditText(r web.RunAudit) string {
	var b strings.Builder
	word := "agrees with"
	if !r.Agrees {
		word = "DIFFERS from"
	}
	fmt.Fprintf(&b, "\nWhat was computed again %s generation %d, up to %s.\n\n", word, r.Of, deref(r.UpTo))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "table\trows\tequal\tdifferent\tmissing\textra\twritten meanwhile\t")
	for _, t := range r.Tables {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", t.Table, t.Rows, t.Equal, t.Different, t.Missing, t.Extra, t.Newer)
	}
	_ = w.Flush()
	for _, t := range r.Tables {
		for _, e := range t.Examples {
			fmt.Fprintf(&b, "\n%s: %s", t.Table, e)
		}
	}
	if !r.Agrees {
		b.WriteString("\n")
	}
	return b.String()
}
