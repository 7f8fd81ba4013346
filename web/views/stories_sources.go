package views

func sourceStories(site Site) []Story {
	first, second := Time{"3 Mar, 15:05 UTC", "2026-03-03T15:05:00Z"}, Time{"2 Mar, 15:05 UTC", "2026-03-02T15:05:00Z"}
	bare := Guide{ID: "g", Provider: "GitHub", Where: "Settings, Webhooks.", URL: "http://127.0.0.1/webhooks/github", Kept: "It stands in the configuration.", Sample: "curl -d 'a < b & c'", Docs: []Link{{Text: "github", Href: site.nav("docs/sources/github")}}}
	made, ask, asked := bare, bare, bare
	made.Secret, made.Says = "S3CRET", "It works: a signed ping came in at 14:05; now choose events."
	ask.Ask = site.nav("sources?secret=g#g")
	asked.Ask, asked.Asked, asked.Secret = ask.Ask, true, "S3CRET"
	source := Source{ID: "s", Provider: "GitHub", Name: "acme", State: "flowing", Sentence: "deliveries come in", Last: first, Ago: "2 s ago", Unread: "star.created 13, team_add 1", Hint: "3 requests have come.", Error: "It could not be read.", ErrorAt: second, Refusal: "Deliveries are sent with POST.", RefusalAt: second, Gaps: []string{"Deliveries may be missing."}, Path: "/webhooks/github", Test: "/sources/test", Rate: NewBars("3 deliveries", []int64{0, 2, 1}), Total: "3 deliveries in the last hour", Counts: []Figure{{"accepted", Value{Text: "48,210", Exact: "48210"}, "Durable"}}, Guide: ask}
	silent := Source{ID: "t", Provider: "Jira", Name: "cloud", State: "silent", Sentence: "waiting for the first delivery", Guide: made}
	work := Jobs{Admin: true, Starts: []Link{{Text: "Import history from GitHub", Href: "/m/sources/import?from=github"}}, Hints: []string{"History of Jira cannot be read: set `apis.jira`."}, Items: []Job{
		{ID: "2", Kind: "backfill github", What: "acme since 2025-12-03", State: "running", Since: Time{"3 Mar, 14:05 UTC", "2026-03-03T14:05:00Z"}, Running: true, Percent: 46, Importing: "importing: 41 of 90 days", Text: "3 of 7", Facts: []string{"12.3 deliveries a second", "about 12 min left"}, Cancel: "/m/jobs/2/cancel"},
		{ID: "1", Kind: "redeliver github", What: "<b>", State: "failed", Over: true, Error: "The hooks cannot be listed."},
	}}
	form := ImportForm{Page: Page{Site: site}, Kind: "backfill github", From: "GitHub", APIs: []string{"", "https://github.example"}, Action: "/sources/import", Back: "/sources", Admin: true}
	jira, trouble, looks := form, form, form
	jira.Jira, jira.From, jira.APIs = true, "Jira", nil
	trouble.Trouble, looks.Admin = "Set `apis.github`.", false
	return []Story{
		{Name: "guide", Component: guide(bare, true)}, {Name: "guide_secret", Component: guide(made, true)}, {Name: "guide_ask", Component: guide(ask, true)}, {Name: "guide_asked", Component: guide(asked, true)}, {Name: "guide_closed", Component: guide(bare, false)},
		{Name: "source", Component: Sources{Page: Page{Site: site}, Sources: []Source{source, silent}, Said: "It was taken."}.Render(), Whole: true},
		{Name: "jobs", Component: jobs(work)}, {Name: "jobs_none", Component: jobs(Jobs{})},
		{Name: "import_form", Component: form.Render(), Whole: true}, {Name: "import_jira", Component: jira.Render(), Whole: true}, {Name: "import_trouble", Component: trouble.Render(), Whole: true}, {Name: "import_looks", Component: looks.Render(), Whole: true},
		{Name: "document", Component: Document{Page: Page{Title: "GitHub", Nav: "sources", Site: site}, Title: "GitHub", HTML: "<p>What is read.</p>", Others: []Link{{"doc-github", "GitHub", "/docs/sources/github", true}, {"doc-jira", "Jira", "/docs/sources/jira", false}}}.Render(), Whole: true},
	}
}

func runStories(site Site) []Story {
	clock := Time{"3 Mar, 15:05 UTC", "2026-03-03T15:05:00Z"}
	running := Replay{Number: "3", Kind: "restate", State: "computing", Mood: "flowing", Says: "history: 46 %", Reason: "a new catalog", Begun: clock, Percent: 46, Running: true, Href: site.nav("replays/3"), Facts: []Fact{{Name: "Logic", Text: "4"}}, Actions: []Link{{Text: "Drop", Href: site.nav("replays/3/drop")}}}
	live := Replay{Number: "2", Kind: "upgrade", State: "live", Mood: "flowing", Says: "readers see it", Begun: clock, Href: site.nav("replays/2"), Diff: site.nav("replays/2?with=live")}
	audited := live
	audited.Kind, audited.Mood = "audit", "failing"
	audited.Audit = ReplayAudit{Shown: true, Verdict: "What was computed again differs from generation 1.", Rows: []ReplayAuditRow{{"points", "12", "11", "1", "0", "0", "0"}}, Examples: []string{"points: web"}}
	diff := ReplayDiff{
		Shown: true, First: "2", Second: "3", Summary: "11 windows are equal, 1 differs.", Causes: []ReplayCause{{"the catalog changed", "teams[0]"}}, Counts: []ReplayCount{{"pr merged", "day", "11", "1", "0", "0"}}, More: "?cursor=x", Exports: []Link{{ID: "diff-json", Text: "JSON", Href: site.nav("api/v1/runs/3/diff")}},
		Windows: []ReplayWindow{{Metric: "pr merged", Team: "web", Grain: "day", Start: clock, First: "3", Second: "4", Why: []ReplayCause{{"late events", ""}}, Evidence: "evidence: 1", Items: []ReplayItem{{"3", "acme/web#7", "https://github.example/7"}, {"both", "<script>", ""}}}},
	}
	return []Story{
		{Name: "replays", Component: Replays{Page: storyPage(site, "Replays", "replays"), Said: "Run 3 was begun.", Waits: "It begins at 16:00.", Admin: true, Items: []Replay{running, live}}.Render(), Whole: true},
		{Name: "replays_empty", Component: Replays{Page: storyPage(site, "Replays", "replays")}.Render(), Whole: true},
		{Name: "replay", Component: ReplayPage{Page: storyPage(site, "Run 3", "replays"), Replay: running, Admin: true, Back: site.nav("replays")}.Render(), Whole: true},
		{Name: "replay_audit", Component: ReplayPage{Page: storyPage(site, "Run 2", "replays"), Replay: audited, Said: "It is over.", Back: site.nav("replays")}.Render(), Whole: true},
		{Name: "replay_diff", Component: ReplayPage{Page: storyPage(site, "Run 3", "replays"), Replay: live, Back: site.nav("replays"), Diff: diff}.Render(), Whole: true},
		{Name: "replay_ask", Component: ReplayAsk{Page: storyPage(site, "Promote", "replays"), Title: "Promote run 3?", Text: []string{"Readers see its numbers when it has caught up."}, Action: "/p", Button: "Promote", Back: site.nav("replays/3")}.Render(), Whole: true},
	}
}

func accessStories(site Site) []Story {
	clock := Time{"3 Mar, 15:05 UTC", "2026-03-03T15:05:00Z"}
	page := Page{Title: "Sign in", Site: site}
	page.Site.SignOut = false
	return []Story{
		{Name: "sign_in", Component: SignIn{Page: page, Wrong: true, Action: "/sign-in"}.Render(), Whole: true},
		{Name: "sign_in_provider", Component: SignIn{Page: page, Provider: "login.acme.example", Start: "/sign-in/start"}.Render(), Whole: true},
		{Name: "sign_in_proxy", Component: SignIn{Page: page, Proxy: true}.Render(), Whole: true},
		{Name: "signed_out", Component: SignedOut{Page: page, Next: "https://id.example/end?a=b&c=d", Provider: "id.example"}.Render(), Whole: true},
		{Name: "signed_in", Component: SignedIn{Page: page, Next: "/m/"}.Render(), Whole: true},
		{Name: "tokens", Component: Tokens{Page: storyPage(site, "API tokens", "tokens"), Secret: "mer_S3CRET", Label: "dashboards", Can: true, Roles: []string{"viewer", "people"}, Days: 90, Action: "/tokens", Example: "curl", Tokens: []Token{{ID: "t1", Label: "dashboards", Roles: "viewer", Teams: "all", Owner: "Mai", Created: clock, Expires: clock, Used: Time{Text: "never"}, Over: true, Own: true, Revoke: "/tokens/t1/revoke"}}}.Render(), Whole: true},
		{Name: "tokens_none", Component: Tokens{Page: storyPage(site, "API tokens", "tokens")}.Render(), Whole: true},
		{Name: "audit", Component: Audit{Page: storyPage(site, "Audit log", "audit"), Entries: []AuditEntry{{clock, "mai@acme.example", "Mai", "look at", "after_hours of web", ""}}, Older: "?before=x"}.Render(), Whole: true},
		{Name: "audit_empty", Component: Audit{Page: storyPage(site, "Audit log", "audit")}.Render(), Whole: true},
	}
}
