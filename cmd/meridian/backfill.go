package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
	"meridian/cmd/meridian/jobs"
	"meridian/ingest/backfill"
	backfillgithub "meridian/ingest/backfill/github"
	"meridian/streaming/timeline"
)

func (a *app) backfillCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "backfill", Short: "Read history from an API", Args: noArguments, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	cmd.AddCommand(a.backfillOf(backfillGitHub), a.backfillOf(backfillJira))
	return cmd
}

func (a *app) backfillOf(kind jobs.Kind) *cobra.Command {
	var spec backfillSpec
	var since, dataDir string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "github", Short: "Read pull requests, reviews, comments, commits, deployments and issues", Args: noArguments,
		Long: "Reads what has changed since then, the newest first, and puts it on the log as deliveries. What\n" +
			"webhooks have brought is not counted twice. It is a job of the running server: Ctrl-C leaves it\n" +
			"to the server, `meridian jobs` shows it. Without a server it runs in this process.",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			c, err := a.config(func(c *config.Config) { setIf(cmd, "data-dir", &c.DataDir, dataDir) })
			if err != nil {
				return err
			}
			if spec.Since, err = sinceOf(since, time.Now()); err != nil {
				return withCode(exitUsage, err)
			}
			if err := spec.check(kind); err != nil {
				return withCode(exitUsage, err)
			}
			return a.job(cmd.Context(), c, kind, spec.String(), spec, asJSON, reportText)
		},
	}
	if kind == backfillJira {
		cmd.Use, cmd.Short = "jira", "Read issues with their changelogs and comments"
		cmd.Flags().StringSliceVar(&spec.Projects, "project", nil, "key of a project, such as OPS; may be given several times")
	} else {
		cmd.Flags().StringVar(&spec.Organization, "org", "", "all repositories of an organisation or a user")
		cmd.Flags().StringSliceVar(&spec.Repositories, "repo", nil, "a repository, such as acme/web; may be given several times")
	}
	cmd.Flags().StringVar(&since, "since", "90d", "how far back: a length (90d), a date or an instant")
	cmd.Flags().StringVar(&spec.URL, "api", "", "url of one of the configured apis (default: the first)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	cmd.Flags().StringVar(&dataDir, "data-dir", "", "the server's data directory (default ./meridian-data)")
	return cmd
}

// sinceOf reads how far back to go. Lengths count from the minute, so that asking
// twice in one asks for the same.
func sinceOf(text string, now time.Time) (timeline.Millis, error) {
	if d, err := time.Parse(time.DateOnly, text); err == nil {
		return timeline.FromTime(d), nil
	}
	if t, err := timeline.ParseInstant(text); err == nil {
		return t, nil
	}
	length, err := timeline.ParseLength(text)
	if err != nil || length <= 0 {
		return 0, fmt.Errorf("--since %q is neither a length (90d) nor a date (2026-01-31) nor an instant", text)
	}
	return timeline.FromTime(now.Truncate(time.Minute)) - length, nil
}

func reportText(result []byte) (string, error) {
	var r backfill.Report
	err := json.Unmarshal(result, &r)
	return r.Table(), err
}

func redeliveredText(result []byte) (string, error) {
	var r backfillgithub.Redelivered
	err := json.Unmarshal(result, &r)
	return fmt.Sprintf("%d hooks, %d deliveries looked at, %d asked for again.\n", r.Hooks, r.Seen, r.Asked), err
}
