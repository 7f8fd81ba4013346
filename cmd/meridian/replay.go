package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// replayFlags are those of `replay --input`.
type replayFlags struct {
	input   string
	print   bool
	final   bool
	summary string
	mode    string
	catalog string
	until   string
	grains  []string
	skipBad bool
}

func (a *app) replayCommand() *cobra.Command {
	var f replayFlags
	var start replayStart
	cmd := &cobra.Command{
		Use:   "replay",
		Short: "Compute history again beside the numbers that readers see, or a delivery archive",
		Long: "With --mode restate, history is computed again by the catalog, the settings and the logic of now,\n" +
			"beside the numbers that readers see, and follows the log: `replay diff` compares it with them,\n" +
			"`replay promote` makes it them. --from, --to, --teams and --metrics limit what is written; everything\n" +
			"is folded. With --mode audit the numbers that readers see are computed again by their own manifest,\n" +
			"and compared row by row (exit code 5 when they differ). Ctrl-C detaches; `replay resume` shows it again.\n" +
			"docs/replay.md tells the rest.\n\n" +
			"With --input, it computes the points of a delivery archive, plain, gzip or zstd, and prints them as\n" +
			"JSON lines, leaving nothing behind. It reads no configuration, default catalog or data directory then:\n" +
			"only what its flags name.\n\n" +
			"A line of an archive is a delivery, its body being the raw text that was sent, or a tick:\n\n" +
			`  {"source": "github", "received": "2026-03-02T09:00:02Z", "headers": {"X-GitHub-Event": "pull_request"}, "body": "{...}"}` + "\n" +
			`  {"tick": "2026-03-02T09:00:30Z"}` + "\n\ndocs/archive.md tells the rest.",
		Example: "  meridian replay --mode restate\n  meridian replay --mode audit\n  meridian replay --input deliveries.jsonl --print\n  meridian replay --input - --print --final --grain day30 --catalog catalog.yaml",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			onArchive := f.input != "" || f.print || f.summary != ""
			limits := strings.Join(changed(c, "from", "to", "teams", "metrics", "max-rate", "json", "data-dir"), ", ")
			switch {
			case onArchive && limits != "":
				return withCode(exitUsage, fmt.Errorf("%s: of runs, and not of --input", limits))
			case !onArchive && c.Flags().Changed("mode"):
				start.wish.Mode = f.mode
				return a.startRun(c.Context(), start)
			case !onArchive:
				return withCode(exitUsage, errors.New("say what to compute: --mode restate or --mode audit for a run of an instance, --input FILE with --print for an archive (see `meridian replay --help`)"))
			}
			return a.replayInput(c.Context(), f)
		},
	}
	cmd.AddCommand(a.runCommands()...)
	flags := cmd.Flags()
	flags.StringVar(&f.input, "input", "", "delivery archive, or - for standard input")
	flags.BoolVar(&f.print, "print", false, "print points as JSON lines")
	flags.BoolVar(&f.final, "final", false, "print each key once, as it stands after the last tick")
	flags.StringVar(&f.summary, "summary", "", "file for one JSON object with the counts of verdicts")
	flags.StringVar(&f.mode, "mode", "live", "restate, audit: a run of an instance; of --input live: emit as an instance would have, restate: as history recomputed today")
	flags.StringVar(&start.wish.From, "from", "", "of a run: write windows after this day or instant")
	flags.StringVar(&start.wish.To, "to", "", "of a run: write windows before this day or instant")
	flags.StringSliceVar(&start.wish.Teams, "teams", nil, "of a run: write these teams")
	flags.StringSliceVar(&start.wish.Metrics, "metrics", nil, "of a run: write these metrics")
	flags.Int64Var(&start.wish.MaxRate, "max-rate", 0, "of a run: deliveries and ticks a second (default replay.max_rate)")
	flags.BoolVar(&start.asJSON, "json", false, "of a run: print it as JSON at its end")
	flags.StringVar(&start.dataDir, "data-dir", "", "of a run: the instance's data directory (default ./meridian-data)")
	flags.StringVar(&f.catalog, "catalog", "", "catalog file or folder")
	flags.StringVar(&f.until, "until", "", "make this the last tick (RFC 3339)")
	flags.StringSliceVar(&f.grains, "grain", nil, "only these grains: hour, day, day30")
	flags.BoolVar(&f.skipBad, "skip-bad", false, "count lines that are no archive lines and go on (exit code 6)")
	return cmd
}

// changed are those of some flags that were given, as they are written.
func changed(c *cobra.Command, names ...string) (given []string) {
	for _, name := range names {
		if c.Flags().Changed(name) {
			given = append(given, "--"+name)
		}
	}
	return given
}

func (f replayFlags) validate() error {
	var problems []string
	if f.input == "" {
		problems = append(problems, "--input names the archive to compute; - is standard input")
	}
	if !f.print && f.summary == "" {
		problems = append(problems, "there is nothing to do: give --print, --summary or both")
	}
	if f.mode != "live" && f.mode != "restate" {
		problems = append(problems, fmt.Sprintf("--mode %q: use live or restate", f.mode))
	}
	if f.grains != nil && len(f.grains) == 0 {
		problems = append(problems, "--grain is empty, which would print nothing: use hour, day or day30")
	}
	for _, g := range f.grains {
		if !slices.Contains([]metrics.Grain{metrics.Hour, metrics.Day, metrics.Day30}, metrics.Grain(g)) {
			problems = append(problems, fmt.Sprintf("--grain %q: use hour, day or day30", g))
		}
	}
	if f.until != "" {
		if _, err := timeline.ParseInstant(f.until); err != nil {
			problems = append(problems, fmt.Sprintf("--until: %v", err))
		}
	}
	if len(problems) > 0 {
		return withCode(exitUsage, errors.New(strings.Join(problems, "; ")))
	}
	return nil
}
