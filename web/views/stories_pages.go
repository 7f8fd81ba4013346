package views

func teamStories(site Site) []Story {
	stat := Stat{Metric: "m", Title: "Pickup time", Question: "How long?", Href: site.Path("teams", "web", "m"), Value: Value{Text: "2 h", Exact: "7200 s"}, N: "n = 42", Status: "final", Spark: NewSpark("flat", []float64{2, 2})}
	none := Stat{Metric: "n", Title: "After hours", Href: site.Path("teams", "web", "n"), Value: Value{Reason: "Too few people were active."}}
	overview := Overview{
		Page: storyPage(site, "All teams", "overview"), Title: "Last 30 days", Period: "2 Feb – 3 Mar", Columns: []Column{{"Pickup time", "How long?"}, {"After hours", "Who?"}},
		UpTo: UpTo{Action: site.Path(), Date: "2026-03-03", Latest: "2026-03-03", Earlier: site.Path() + "?to=2026-02-01"}, Exports: []Link{{ID: "overview-csv", Text: "CSV", Href: site.nav("api/v1/points?format=csv")}},
		Whole: []Stat{stat}, Caption: "2 teams merged", Compared: true,
		Teams: []TeamRow{{Name: "web", Href: site.Path("teams", "web"), Group: "shop", Zone: "Asia/Ho_Chi_Minh", Stats: []Stat{stat, none}}, {Name: "acme/api", Href: site.Path("teams", "acme/api"), Zone: "UTC", Stats: []Stat{none, none}}},
	}
	team := Team{
		Page: storyPage(site, "web", "overview"), Name: "web", Group: "shop", Zone: "UTC", Period: "2 Feb – 3 Mar", Note: "Each number is of 30 days.", Feed: site.nav("teams/web/feed.atom"), Compared: true,
		Grains: []Link{{"grain-day", "Days", "?grain=day", false}, {"grain-day30", "30 days", "", true}}, UpTo: UpTo{Action: site.Path("teams", "web"), Date: "2026-03-03", Latest: "2026-03-03"},
		Families: []Family{{Title: "Pull requests", Stats: []Stat{stat}}, {Title: "People and time", Note: "shown where at least 5 people were active", None: []Stat{none}}},
		Heat:     &Heat{Reason: "Too few people."}, Exports: []Link{{ID: "team-csv", Text: "CSV", Href: site.nav("api/v1/points?team=web&format=csv")}},
	}
	return []Story{
		{Name: "overview", Component: overview.Render(), Whole: true},
		{Name: "overview_empty", Component: Overview{Page: storyPage(site, "Connect your first source", "overview"), Connect: &Connect{}}.Render(), Whole: true},
		{Name: "importing", Component: Overview{Page: Page{Title: "Importing", Site: site, Live: true, Poll: true, Self: site.Path()}, Importing: &Importing{"41 of 90 days", 41, 90}}.Render(), Whole: true},
		{Name: "importing_all", Component: importing(Importing{})},
		{Name: "team", Component: team.Render(), Whole: true},
	}
}

func metricStories(site Site) []Story {
	m := Metric{
		Page: storyPage(site, "Pickup time, web", "overview"), Team: Link{Text: "web", Href: site.Path("teams", "web")}, Zone: "UTC", Title: "Pickup time", Question: "How long?", Period: "2 Feb – 3 Mar",
		Stat: Stat{Value: Value{Text: "2 h", Exact: "7200 s"}, N: "n = 42"}, Figures: []Figure{{"three in four within", Value{Text: "3 h", Exact: "10800 s"}, "p75"}},
		Grains: []Link{{"grain-day", "Days", "", true}}, Ranges: []Link{{"range-30", "30 days", "", true}}, Services: []Link{{"service-", "All services", "", true}},
		Custom: Custom{Action: site.nav("teams/web/m"), From: "2026-02-02", To: "2026-03-03", Rest: []Option{{Text: "grain", Value: "hour"}}}, Compare: Compare{Action: site.nav("teams/web/m"), Since: "2025-03-03", Options: []Option{{"", "nothing", false}, {"since:2025-03-03", "the time from 2025-03-03", true}}},
		Chart: Chart{ID: "chart", Label: "A chart", Empty: true}, SVG: site.nav("teams/web/m/chart.svg"), CSV: site.nav("api/v1/points?format=csv"), API: site.nav("api/v1/points"), Quantiles: true, Other: "the time before",
		Beside: []Figure{{"late", Value{Text: "2", Exact: "2"}, "Events that came late."}},
		Rows: []Row{
			{Window: Time{"Tue 3 Mar", "2026-03-03T00:00:00Z"}, Value: Value{Text: "2 h", Exact: "7200 s"}, Other: Value{Text: "1 h", Exact: "3600 s"}, N: "3", P75: Value{Text: "3 h", Exact: "10800 s"}, P90: Value{Text: "4 h", Exact: "14400 s"}, Late: "–", Dup: "–", Left: "1 bot ignored", Status: "provisional"},
			{Window: Time{"Mon 2 Mar", "2026-03-02T00:00:00Z"}, Value: Value{Text: "2 h", Exact: "7200 s"}, Was: Value{Text: "1 h 30 min", Exact: "5400 s"}, WasN: "2", N: "3", Late: "1", Dup: "–", Status: "revised"},
			{Window: Time{"Sun 1 Mar", "2026-03-01T00:00:00Z"}, Value: Value{Reason: "Nothing of this kind happened in this time."}, N: "0", Late: "–", Dup: "–", Status: "final"},
		},
		Passport: []Fact{{Name: "Starts", Text: "opened"}, {Name: "Left out", Items: []string{"bots", "the author"}}},
	}
	withheld := m
	withheld.Withheld, withheld.Evidence = "A number about people is never shown by the hour on a shared server.", nil
	partly := m
	partly.Withholds = "Withheld windows have fewer than 5 people."
	return []Story{
		{Name: "metric", Component: m.Render(), Whole: true}, {Name: "metric_withheld", Component: withheld.Render(), Whole: true}, {Name: "metric_partly", Component: partly.Render(), Whole: true},
		{Name: "evidence", Component: evidence(Evidence{Lengths: true, Older: "?cursor=x", Newer: "?", Action: site.nav("teams/web/m"), Find: "web", Orders: []Option{{"newest", "newest first", true}}, Shown: []Option{{"all", "all", true}}, Note: "newest first", CSV: site.nav("api/v1/evidence?format=csv"), API: site.nav("api/v1/evidence"), Items: []Item{
			{ID: "item-0", Label: "acme/web#7", URL: "https://github.example/7", From: Time{"2 Mar", "2026-03-02T00:00:00Z"}, At: Time{"3 Mar", "2026-03-03T00:00:00Z"}, Value: Value{Text: "1 d", Exact: "86400 s"}, Basis: "measured"},
			{ID: "item-1", Label: "<script>alert(1)</script>", URL: "javascript:alert(1)", Outcome: "Ignored. By a bot."},
		}}, "UTC")},
		{Name: "evidence_none", Component: evidence(Evidence{Reason: "No item is dated in this range.", Note: "newest first"}, "UTC")},
	}
}

// dayStories are pages that people look at each day.
func dayStories(site Site) []Story {
	clock := Time{"3 Mar, 15:05 UTC", "2026-03-03T15:05:00Z"}
	teams := []Link{{"team-all", "All teams", site.nav("waiting"), true}, {"team-web", "web", site.nav("waiting?team=web"), false}, {"team-ops", "ops", site.nav("waiting?team=ops"), false}}
	five := DORAMetric{
		ID: "lead_time", Question: "How long?", Stat: Stat{Title: "Lead time", Href: site.nav("teams/web/lead_time"), Value: Value{Text: "2 d", Exact: "172800 s"}, N: "n = 7"},
		Used: []string{"7 changes of 2 services"}, LeftOut: []string{"1 deployment did not go to production"}, Lacks: []DORALack{{"2 deployments of an unknown commit", "Let the pipeline send the revision."}}, Exports: []Link{{ID: "lead_time-csv", Text: "CSV", Href: site.nav("api/v1/points?metric=lead_time&format=csv")}},
	}
	bare := DORAMetric{ID: "rework_rate", Question: "How often?", Stat: Stat{Title: "Rework rate", Value: Value{Reason: "No deployments."}}}
	return []Story{
		{Name: "dora", Component: DORA{Page: storyPage(site, "DORA", "dora"), Period: "2 Feb – 3 Mar", Zone: "UTC", Teams: teams, UpTo: UpTo{Action: site.nav("dora"), Date: "2026-03-03", Latest: "2026-03-03"}, Five: []DORAMetric{five, bare}}.Render(), Whole: true},
		{Name: "dora_empty", Component: DORA{Page: storyPage(site, "DORA", "dora")}.Render(), Whole: true},
		{Name: "waiting", Component: Waiting{Page: storyPage(site, "Waiting now", "waiting"), Clock: clock, Teams: teams, Lists: []WaitingList{
			{ID: "pr_waiting", Title: "Waiting", Question: "How many?", Count: "2", More: "7 more", Exports: []Link{{ID: "pr_waiting-csv", Text: "CSV", Href: site.nav("api/v1/evidence?metric=pr_waiting&format=csv")}}, Items: []WaitingItem{
				{"open-a", "acme/web#7", "https://github.example/7", Link{Text: "web", Href: site.nav("teams/web/pr_waiting")}, Value{Text: "20 d", Exact: "1728000 s"}, Time{"11 Feb, 15:05 UTC", "2026-02-11T15:05:00Z"}},
				{"open-b", "<script>", "", Link{Text: "web", Href: site.nav("teams/web/pr_waiting")}, Value{Text: "1 h", Exact: "3600 s"}, Time{}},
			}},
			{ID: "incidents_open", Title: "Open incidents", Reason: "No source has sent anything."},
		}}.Render(), Whole: true},
		{Name: "quality", Component: Quality{
			Page: storyPage(site, "Quality", "quality"), Period: "25 Feb – 3 Mar, UTC", Ranges: []Link{{"range-7d", "7 days", "?range=7d", true}}, Measured: true, Unreadable: "2 deliveries could not be read", Earlier: true, Older: "?cursor=x", Newest: "?",
			Rows:   []Verdicts{{"GitHub", "pull request opened", "12", "11", "1", "–", "1", "–", "–", false}, {"All", "", "12", "11", "1", "–", "1", "–", "–", true}},
			Bounds: []Bound{{Source: "github", Wait: "5 min", Events: "12", P50: "2 s", P99: "1 min", Max: "6 h", Late: "8 %", ForTen: "6 h", Says: "More come late than the budget allows.", Exceeded: true}},
			Gaps:   []Gap{{Source: "GitHub", Team: "web", From: clock, To: clock, Length: "2 h"}}, Late: []Late{{"GitHub", "Came late", "Counted", "1", NewBars("1, by day", []int64{0, 1})}},
			Asides:  Asides{Shown: true, Admin: true, More: true, Said: "It is put through again.", Items: []Aside{{ID: "a1", Source: "github", Since: clock, What: "acme/web#7", Kinds: []string{"review submitted"}, Reasons: []string{"future"}, Detail: "dated 2099", Href: site.nav("quarantine/a1"), Retry: site.nav("quarantine/a1/retry"), Drop: site.nav("quarantine/a1/drop")}}},
			Rejects: []Reject{{Verdict: "too late", Reason: "too late", Detail: "28 days beyond", Kind: "deployment", Entity: "run-42", Team: "web", Time: clock, Received: clock}}, Unread: []Unread{{"GitHub", "acme", "2", "it has no time", clock}},
			Exports: []Link{{ID: "verdicts-csv", Text: "CSV", Href: site.nav("api/v1/quality?format=csv")}},
		}.Render(), Whole: true},
		{Name: "quality_empty", Component: Quality{Page: storyPage(site, "Quality", "quality"), Asides: Asides{Shown: true}, Measured: true}.Render(), Whole: true},
		{Name: "aside", Component: AsidePage{Page: storyPage(site, "Set aside", "quality"), Aside: Aside{ID: "a1", Source: "github", Since: clock, Reasons: []string{"future"}, Detail: "dated 2099", Retry: "/r", Drop: "/d"}, Type: "pull_request", Sent: "7f", Headers: []Fact{{Name: "X-GitHub-Event", Text: "pull_request"}}, Body: "{\"a\": \"<b>\"}", Kept: true, Back: site.nav("quality")}.Render(), Whole: true},
		{Name: "aside_done", Component: AsidePage{Page: storyPage(site, "Set aside", "quality"), Aside: Aside{ID: "a1", Done: "dropped by mai, 3 Mar"}, Back: site.nav("quality")}.Render(), Whole: true},
		{Name: "catalog", Component: Catalog{
			Page: storyPage(site, "Catalog", "catalog"), Date: "2026-03-03", Here: site.nav("catalog"), Schema: site.nav("schemas/catalog.json"), Hash: "9f2c", Zone: "UTC", Production: "prod*", Names: true, Pending: true, Changes: []string{"team web owns acme/new"}, Trouble: "line 7: no team is called wbe",
			Teams:  []CatalogTeam{{Name: "web", Href: site.nav("teams/web"), Group: "shop", Zone: "UTC", Hours: "09:00-18:00", Repositories: "acme/web", Jira: "WEB", Services: "checkout", People: "Mai", Zones: "5 from the catalog", Unknown: "2"}, {Name: "ops", Href: site.nav("teams/ops"), Zone: "UTC", Zones: "Too few people."}},
			People: []CatalogPerson{{"Mai", "web", "mai", "Asia/Ho_Chi_Minh", "their own entry"}}, Services: []CatalogService{{"checkout", "acme/web", "services/**", "checkout-*"}}, Unassigned: []Link{{ID: "unassigned-x", Text: "acme/x", Href: site.nav("teams/acme%2Fx")}},
		}.Render(), Whole: true},
		{Name: "catalog_empty", Component: Catalog{Page: storyPage(site, "Catalog", "catalog"), Date: "2026-03-03", Today: true, Pending: true, Here: site.nav("catalog"), Zone: "UTC"}.Render(), Whole: true},
		{Name: "status", Component: Status{Page: storyPage(site, "Status", "status"), Title: "Something needs attention.", Parts: []Part{{"kafka", "answers", true}, {"clock", "say `meridian clock trust`", false}}, Engine: []Fact{{Name: "Logic", Text: "4"}}, Shards: []string{"events 0: clock"}}.Render(), Whole: true},
		{Name: "status_well", Component: Status{Page: storyPage(site, "Status", "status"), OK: true, Title: "Everything works."}.Render(), Whole: true},
	}
}
