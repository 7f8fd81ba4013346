package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
)

func (a *app) quarantineCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "quarantine", Short: "See, retry or drop what was set aside", Args: noArguments,
		Long: "What could not be read, is dated in the future, or contradicts itself is set aside and not lost. After\n" +
			"a fix (a newer version, a clock that has passed) it can be put through again: nothing counts twice,\n" +
			"since facts have ids of their own. What is dropped is marked, with who did it and when.",
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	var dataDir string
	cmd.PersistentFlags().StringVar(&dataDir, "data-dir", "", "the running server's data directory (default ./meridian-data)")
	configured := func(cmd *cobra.Command) (config.Config, error) {
		return a.config(func(c *config.Config) { setIf(cmd, "data-dir", &c.DataDir, dataDir) })
	}

	var all, asJSON bool
	list := &cobra.Command{Use: "list", Short: "What was set aside, newest first: what, why, since when", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := configured(cmd)
			if err != nil {
				return err
			}
			items, err := a.quarantined(cmd.Context(), c, all)
			if err != nil {
				return err
			}
			return a.printQuarantined(items, asJSON)
		}}
	list.Flags().BoolVar(&all, "all", false, "with what was retried or dropped")
	list.Flags().BoolVar(&asJSON, "json", false, "as JSON")

	show := &cobra.Command{Use: "show ID", Short: "One delivery whole, with its body", Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := configured(cmd)
			if err != nil {
				return err
			}
			var d quarantinedDelivery
			raw, err := a.askQuarantine(cmd.Context(), c, http.MethodGet, "/"+url.PathEscape(args[0]), &d)
			if err != nil {
				return err
			}
			if asJSON {
				_, err := a.out.Write(raw)
				return err
			}
			return a.printDelivery(d)
		}}
	show.Flags().BoolVar(&asJSON, "json", false, "as JSON")

	act := func(verb, short string) *cobra.Command {
		var every bool
		sub := &cobra.Command{Use: verb + " ID...", Short: short, Args: cobra.ArbitraryArgs,
			RunE: func(cmd *cobra.Command, ids []string) error {
				if every == (len(ids) > 0) {
					return withCode(exitUsage, fmt.Errorf("name what to %s, or say --all", verb))
				}
				c, err := configured(cmd)
				if err != nil {
					return err
				}
				return a.actOnQuarantine(cmd.Context(), c, verb, ids, every)
			}}
		sub.Flags().BoolVar(&every, "all", false, "everything that is open")
		return sub
	}
	cmd.AddCommand(list, show, act("retry", "Put deliveries through again, after a fix"), act("drop", "Mark deliveries as done with"))
	return cmd
}

func (a *app) askQuarantine(ctx context.Context, c config.Config, method, path string, to any) (raw []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, adminPatience)
	defer cancel()
	status, raw, where, err := a.adminRequest(ctx, c, method, "/quarantine"+path, nil)
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		return nil, refusedBy(where, status, raw)
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return nil, fmt.Errorf("the server at %s gave an answer that is none: %w", where, err)
	}
	return raw, nil
}

// quarantined asks for all pages of the list.
func (a *app) quarantined(ctx context.Context, c config.Config, all bool) (items []quarantined, err error) {
	query := url.Values{"all": {fmt.Sprint(all)}}
	for {
		var page quarantineList
		if _, err := a.askQuarantine(ctx, c, http.MethodGet, "?"+query.Encode(), &page); err != nil {
			return nil, err
		}
		items = append(items, page.Items...)
		if page.Next == nil {
			return items, nil
		}
		query.Set("cursor", *page.Next)
	}
}

func (a *app) printQuarantined(items []quarantined, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(a.out).Encode(map[string]any{"items": append([]quarantined{}, items...)})
	}
	if len(items) == 0 {
		fmt.Fprintln(a.err, "Nothing is set aside.")
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tSINCE\tSOURCE\tWHAT\tWHY\tSTATE")
	for _, i := range items {
		what := strings.Join(append(slices.Clone(i.Kinds), i.Entities...), " ")
		state := i.State
		if i.State != quarantineOpen {
			state = fmt.Sprintf("%s by %s, %s", i.State, i.By, i.At)
		}
		why := strings.Join(i.Reasons, ", ")
		if i.Detail != "" {
			why += ": " + i.Detail
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", i.ID, i.Since, i.Source, what, why, state)
	}
	return w.Flush()
}

func (a *app) printDelivery(d quarantinedDelivery) error {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-10s %s\n", name, value)
		}
	}
	line("id", d.ID)
	line("sent as", d.Sent)
	line("source", strings.TrimSuffix(d.Provider+"/"+d.Name, "/"))
	line("type", d.Type)
	line("since", d.Since)
	line("why", strings.Join(d.Reasons, ", "))
	line("", d.Detail)
	line("state", strings.TrimSpace(d.State+" "+d.By+" "+d.At))
	for _, name := range slices.Sorted(maps.Keys(d.Headers)) {
		line("header", name+": "+d.Headers[name])
	}
	if d.Kept {
		line("body", "without its free text, which was removed at the door")
	} else {
		line("body", "as it came")
	}
	fmt.Fprintf(&b, "\n%s\n", d.Body)
	_, err := a.out.Write([]byte(b.String()))
	return err
}

// actOnQuarantine acts on each; that some cannot be done is exit code 6, all of
// them 1.
func (a *app) actOnQuarantine(ctx context.Context, c config.Config, verb string, ids []string, every bool) error {
	if every {
		items, err := a.quarantined(ctx, c, false)
		if err != nil {
			return err
		}
		for _, i := range items {
			ids = append(ids, i.ID)
		}
		if len(ids) == 0 {
			fmt.Fprintln(a.err, "Nothing is set aside.")
			return nil
		}
	}
	var failed []error
	for _, id := range ids {
		var answer said
		if _, err := a.askQuarantine(ctx, c, http.MethodPost, "/"+url.PathEscape(id)+"/"+verb, &answer); err != nil {
			if codeOf(err) == exitUnavailable || ctx.Err() != nil {
				return err
			}
			failed = append(failed, err)
			continue
		}
		fmt.Fprintln(a.out, answer.Says)
	}
	switch err := errors.Join(failed...); {
	case err == nil:
		return nil
	case len(failed) < len(ids):
		return withCode(exitPartly, err)
	default:
		return err
	}
}
