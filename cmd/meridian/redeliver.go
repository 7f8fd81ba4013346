package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
	"meridian/cmd/meridian/jobs"
	backfillgithub "meridian/ingest/backfill/github"
	"meridian/streaming/timeline"
)

// redeliverSpec is whose failed deliveries to ask for again.
type redeliverSpec struct {
	URL          string          `json:"url,omitempty"`
	Organization string          `json:"org,omitempty"`
	Repositories []string        `json:"repositories,omitempty"`
	App          bool            `json:"app,omitempty"`
	Seen         bool            `json:"seen,omitempty"` // of all that deliveries have come of: a gap asks for that
	From         timeline.Millis `json:"from"`
	To           timeline.Millis `json:"to"`
}

func (m *machine) redeliverGitHub(ctx context.Context, t *jobs.Task) (any, error) {
	var spec redeliverSpec
	if err := t.Spec(&spec); err != nil {
		return nil, err
	}
	if spec.Seen {
		return m.redeliverSeen(ctx, spec.URL, spec.From, spec.To, func(text string) { t.Report(ctx, jobs.Progress{Text: text}) })
	}
	client, err := githubClient(m.config, spec.URL)
	if err != nil {
		return nil, err
	}
	result, err := backfillgithub.Redeliver(ctx, client, backfillgithub.Hooks{Organization: spec.Organization, Repositories: spec.Repositories, App: spec.App},
		spec.From.Time(), spec.To.Time(), func(r backfillgithub.Redelivered) {
			t.Report(ctx, jobs.Progress{Text: redeliveredSo(r), Done: int64(r.Asked), Unit: "deliveries"})
		})
	return result, err
}

func (a *app) redeliverCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "redeliver", Short: "Ask a source for deliveries that failed", Args: noArguments, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	var org, since, dataDir, api string
	var repos []string
	var useApp, asJSON bool
	github := &cobra.Command{
		Use: "github", Short: "Find failed deliveries through GitHub's API and ask for them again", Args: noArguments,
		Long: "GitHub does not send a delivery again by itself. This looks through the deliveries that the\n" +
			"hooks of an organisation, of repositories or of the App have tried, and asks for those again\n" +
			"that failed and of which no later attempt worked. GitHub keeps them for three days.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.config(func(c *config.Config) { setIf(cmd, "data-dir", &c.DataDir, dataDir) })
			if err != nil {
				return err
			}
			from, err := sinceOf(since, time.Now())
			if err != nil {
				return withCode(exitUsage, err)
			}
			if !useApp && org == "" && len(repos) == 0 {
				return withCode(exitUsage, fmt.Errorf("name whose hooks to look at: --org acme, --repo acme/web or --app"))
			}
			spec := redeliverSpec{URL: api, Organization: org, Repositories: repos, App: useApp, From: from, To: timeline.FromTime(time.Now())}
			return a.job(cmd.Context(), c, redeliverGitHub, "failed deliveries since "+from.String(), spec, asJSON, func(result []byte) (string, error) {
				return redeliveredText(result)
			})
		},
	}
	github.Flags().StringVar(&org, "org", "", "the hooks of an organisation")
	github.Flags().StringSliceVar(&repos, "repo", nil, "the hooks of a repository, such as acme/web; may be given several times")
	github.Flags().BoolVar(&useApp, "app", false, "the hook of the GitHub App in apis.github")
	github.Flags().StringVar(&since, "since", "3d", "how far back: a length, a date or an instant")
	github.Flags().StringVar(&api, "api", "", "url of one of apis.github (default: the first)")
	github.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	github.Flags().StringVar(&dataDir, "data-dir", "", "the server's data directory (default ./meridian-data)")
	cmd.AddCommand(github)
	return cmd
}
