package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"meridian/streaming/timeline"
)

func (a *app) catalogShowCommand() *cobra.Command {
	var asJSON bool
	var on string
	show := &cobra.Command{Use: "show [FILE]", Short: "Print the catalog as it is on a date", Args: usageArgs(cobra.MaximumNArgs(1)),
		Long: "Prints the catalog as it is on one local date: of every value that has dates, the one that holds\nthen. What is printed is a catalog itself. Teams show the zone by which they work, whoever says it.",
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := a.config(nil)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				c.Catalog = args[0]
			}
			cat, err := a.loadCatalog(c)
			if err != nil {
				return err
			}
			date := cat.Today(timeline.FromTime(time.Now()))
			if on != "" {
				if date, err = timeline.ParseDate(on); err != nil {
					return withCode(exitUsage, fmt.Errorf("--at: %w", err))
				}
			}
			view := cat.On(date)
			if asJSON {
				enc := json.NewEncoder(a.out)
				enc.SetIndent("", "  ")
				return enc.Encode(struct {
					Date    string `json:"date"`
					Hash    string `json:"hash"`
					Catalog any    `json:"catalog"`
				}{date.String(), cat.Hash(), view})
			}
			out, err := yaml.Marshal(view)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.out, "# As it is on %s.\n%s", date, out)
			return err
		}}
	show.Flags().StringVar(&on, "at", "", "the date, as 2026-03-01 (default today)")
	show.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return show
}
