package web

import "net/http"

// route is one line of the table. Access says who may have it (access.go).
// Described says that openapi.json has it; a
// test holds the two together.
type route struct {
	Method    string
	Pattern   string
	Access    Access
	Described bool
	handle    handler
}

// routes is all that there is. A team's name is one escaped segment, which the
// mux matches as such: /teams/acme%2Fweb.
func (s *Server) routes() []route {
	const get, post = http.MethodGet, http.MethodPost
	all := []route{
		{get, "/{$}", ForViewers, false, s.overview},
		{get, "/teams/{team}", ForViewers, false, s.team},
		{get, "/teams/{team}/{metric}", ForViewers, false, s.metric},
		{get, "/teams/{team}/{metric}/chart.svg", ForViewers, false, s.chartFile},
		{get, "/teams/{team}/{metric}/badge.svg", ForViewers, false, s.badge},
		{get, "/teams/{team}/feed.atom", ForViewers, false, s.feed},
		{get, "/dora", ForViewers, false, s.doraPage},
		{get, "/waiting", ForViewers, false, s.waitingPage},
		{get, "/sources", ForAdmins, false, s.sourcesPage},
		{get, "/sources/import", ForAdmins, false, s.importPage},
		{post, "/sources/import", ForAdmins, false, s.startImport},
		{post, "/sources/test", ForAdmins, false, s.trySource},
		{post, "/jobs/{id}/cancel", ForAdmins, false, s.cancelJob},
		{get, "/quality", ForViewers, false, s.qualityPage},
		{get, "/catalog", ForViewers, false, s.catalogPage},
		{get, "/status", ForViewers, false, s.statusPage},
		{get, "/replays", ForViewers, false, s.replaysPage},
		{get, "/replays/{run}", ForViewers, false, s.replayPage},
		{get, "/replays/{run}/{action}", ForAdmins, false, s.askRun},
		{post, "/replays/{run}/{action}", ForAdmins, false, s.actOnRun},
		{get, "/events", ForViewers, false, s.events},

		{get, "/quarantine/{id}", ForRaw, false, s.asidePage},
		{post, "/quarantine/{id}/retry", ForRaw, false, s.retryAside},
		{post, "/quarantine/{id}/drop", ForRaw, false, s.dropAside},

		{get, "/docs/sources", Open, false, s.sourceIndex},
		{get, "/docs/sources/{page}", Open, false, s.sourceGuide},
		{get, "/schemas/{name}", Open, false, s.schema},

		{get, "/sign-in", SignIn, false, s.signIn},
		{get, "/sign-in/start", SignIn, false, s.startSignIn},
		{get, "/sign-in/done", SignIn, false, s.finishSignIn},
		{post, "/sign-out", SignIn, false, s.signOut},

		{get, "/tokens", ForViewers, false, s.tokensPage},
		{post, "/tokens", ForViewers, false, s.makeToken},
		{post, "/tokens/{id}/revoke", ForViewers, false, s.revokeToken},
		{get, "/audit", ForAdmins, false, s.auditedPage},

		{get, "/api/v1/metrics", ForViewers, true, s.apiMetrics},
		{get, "/api/v1/points", ForViewers, true, s.apiPoints},
		{get, "/api/v1/evidence", ForViewers, true, s.apiEvidence},
		{get, "/api/v1/quality", ForViewers, true, s.apiQuality},
		{get, "/api/v1/rejects", ForViewers, true, s.apiRejects},
		{get, "/api/v1/sources", ForAdmins, true, s.apiSources},
		{get, "/api/v1/jobs", ForAdmins, true, s.apiJobs},
		{get, "/api/v1/audit", ForAdmins, true, s.apiAudit},
		{get, "/api/v1/runs", ForViewers, true, s.apiRuns},
		{get, "/api/v1/runs/{run}", ForViewers, true, s.apiRun},
		{get, "/api/v1/runs/{run}/diff", ForViewers, true, s.apiRunDiff},
		{get, "/api/v1/status", ForViewers, true, s.apiStatus},
		{get, "/openapi.json", ForViewers, true, s.openAPI},

		// What the process tells of itself can show how busy people are, so
		// /metrics is not open either; the admin address has it without a token.
		{get, "/metrics", ForAdmins, true, s.prometheus},
		{get, "/livez", Open, true, s.livez},
		{get, "/readyz", Open, true, s.readyz},

		{get, "/static/{file...}", Open, false, s.static},
		{get, "/favicon.ico", Open, false, s.favicon},
	}
	if s.config.Storybook {
		all = append(all, route{get, "/storybook", ForViewers, false, s.storybook}, route{get, "/storybook/{story}", ForViewers, false, s.story})
	}
	return all
}

func (s *Server) prometheus(w http.ResponseWriter, r *http.Request) error {
	if s.config.Metrics == nil {
		return notFound("This process has no metrics of itself.")
	}
	s.config.Metrics.ServeHTTP(w, r)
	return nil
}
