package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"meridian/ingest/catalog"
	"meridian/metrics"
)

func (a *app) metricsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "metrics", Short: "List the metrics, or explain one", Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	var asJSON bool
	list := &cobra.Command{Use: "list", Short: "One line for each metric", Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			all, disabled, err := a.everyMetric()
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(a.out).Encode(map[string]any{"metrics": metrics.ExplainAll(all), "disabled": disabled})
			}
			if _, err := fmt.Fprint(a.out, metrics.List(all)); err != nil || len(disabled) == 0 {
				return err
			}
			_, err = fmt.Fprintf(a.out, "\nswitched off by metrics.disabled: %s\n", strings.Join(disabled, ", "))
			return err
		}}
	explain := &cobra.Command{Use: "explain NAME", Short: "What a metric means: its passport", Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			all, _, err := a.everyMetric()
			if err != nil {
				return err
			}
			i := slices.IndexFunc(all, func(d *metrics.Definition) bool { return string(d.Name) == args[0] })
			if i < 0 {
				names := make([]string, len(all))
				for i, d := range all {
					names[i] = string(d.Name)
				}
				hint := ""
				if near := catalog.Nearest(args[0], names); near != "" {
					hint = fmt.Sprintf("; did you mean %s?", near)
				}
				return withCode(exitUsage, fmt.Errorf("no metric is called %q%s (`meridian metrics list` names them all)", args[0], hint))
			}
			if asJSON {
				return json.NewEncoder(a.out).Encode(all[i].Explanation())
			}
			_, err = fmt.Fprint(a.out, all[i].Explain())
			return err
		}}
	for _, c := range []*cobra.Command{list, explain} {
		c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	}
	cmd.AddCommand(list, explain)
	return cmd
}
