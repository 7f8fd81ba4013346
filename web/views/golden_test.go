package views

import (
	"bytes"
	"context"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/a-h/templ"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing")

// states are components in each of the states that they have, by hand: look at
// a golden file's difference before you take it.
func states() map[string]templ.Component {
	nan := math.NaN()
	few := Stat{Metric: "m", Title: "Pickup time", Href: "/teams/web/m", Value: Value{Text: "2 h", Exact: "7200 s"}, N: "n = 2", Status: "provisional", Few: true, Spark: NewSpark("from 1 h to 2 h", []float64{3600, nan, 7200})}
	full := Stat{Metric: "m", Title: "Pickup time", Question: "How long?", Href: "/teams/web/m", Value: Value{Text: "2 h", Exact: "7200 s"}, Change: Change{Text: "↓ 12 %", Mood: "better", Title: "2 h 16 min before"}, N: "n = 42", Detail: "p75 3 h", Status: "revised", Spark: NewSpark("flat", []float64{2, 2})}
	none := Stat{Metric: "m", Title: "Pickup time", Value: Value{Reason: "No source has sent anything."}, Spark: NewSpark("no data", nil)}
	zero := Stat{Metric: "m", Title: "Merged", Value: Value{Text: "0", Exact: "0"}, N: "n = 0", Status: "final", Spark: NewSpark("zero", []float64{0, 0})}
	marks := []Mark{
		{Start: 0, End: 10, At: 5, Y: nan, P75: nan, P90: nan, Gap: "not covered", Reason: "Before the first delivery.", Title: "1"},
		{Start: 10, End: 20, At: 15, Y: 10, P75: 20, P90: 30, Title: "2"},
		{Start: 20, End: 30, At: 25, Y: 20, P75: 25, P90: 40, Revised: true, Title: "3"},
		{Start: 30, End: 40, At: 35, Y: 15, P75: 30, P90: 35, Provisional: true, Title: "4"},
	}
	site := Site{Base: "/m", Style: "/m/static/style.css", Script: "/m/static/meridian.js", HTMX: "/m/static/htmx.js", UPlot: "/m/static/uplot.js", UPlotUI: "/m/static/uplot.css", Icon: "/m/static/mark.svg", SignOut: true}
	page := Page{Title: "A page", Nav: "sources", Site: site, Live: true, Self: "/m/sources", Notices: []Notice{{"warn", "The engine is 12 min behind."}},
		Foot: Foot{Shown: true, Generation: "2", Logic: "1", Catalog: "9f2c6b1de03a4477", Clock: Time{"3 Mar, 15:05 UTC", "2026-03-03T15:05:00Z"}, Behind: "12 min"}}
	guide := Guide{ID: "g", Provider: "GitHub", Where: "Settings, Webhooks.", URL: "http://127.0.0.1/webhooks/github", Kept: "It stands in the configuration.", Sample: "curl -d 'a < b & c'"}
	made, ask, asked := guide, guide, guide
	made.Secret, made.Says = "S3CRET", "It works: a signed ping came in at 14:05; now choose events."
	ask.Ask = "/m/sources?secret=g#g"
	asked.Ask, asked.Asked, asked.Secret = ask.Ask, true, "S3CRET"
	return map[string]templ.Component{
		"tile_full": tile(full), "tile_few": tile(few), "tile_none": tile(none), "tile_zero": tile(zero), "cell": cell("acme/web", few),
		"chart_lines": chart(NewChart(Plot{ID: "c", Label: "A chart", Unit: "seconds", From: 0, To: 40, Marks: marks, XTicks: []XTick{{0, "1 Mar"}, {20, "2 Mar"}}})),
		"chart_bars":  chart(NewChart(Plot{ID: "c", Label: "A chart", Unit: "count", Bars: true, From: 0, To: 40, Marks: marks})),
		"chart_empty": chart(NewChart(Plot{ID: "c", Label: "A chart", Unit: "count", From: 0, To: 40})),
		"guide":       guide1(guide), "guide_secret": guide1(made), "guide_ask": guide1(ask), "guide_asked": guide1(asked),
		"importing": Overview{Page: Page{Title: "Importing", Site: site, Live: true, Poll: true, Self: "/m/"}, Importing: &Importing{"41 of 90 days", 41, 90}}.Render(), "importing_all": importing(Importing{}),
		"source": Sources{Page: Page{Site: Site{Style: "/s.css", Script: "/s.js"}}, Sources: []Source{{ID: "s", Provider: "GitHub", Name: "acme", State: "flowing", Sentence: "deliveries come in", Last: Time{"3 Mar, 15:05 UTC", "2026-03-03T15:05:00Z"}, Ago: "2 s ago", Unread: "star.created 13, team_add 1", Hint: "3 requests have come.", Error: "It could not be read.", ErrorAt: Time{"2 Mar, 15:05 UTC", "2026-03-02T15:05:00Z"}, Refusal: "Deliveries are sent with POST.", RefusalAt: Time{"1 Mar, 15:05 UTC", "2026-03-01T15:05:00Z"}, Gaps: []string{"Deliveries may be missing."}, Path: "/webhooks/github", Test: "/sources/test", Guide: ask}}, Said: "It was taken."}.Render(),
		"jobs": jobs(Jobs{Admin: true, Starts: []Link{{Text: "Import history from GitHub", Href: "/m/sources/import?from=github"}}, Hints: []string{"History of Jira cannot be read: set `apis.jira`."}, Items: []Job{
			{ID: "2", Kind: "backfill github", What: "acme since 2025-12-03", State: "running", Since: Time{"3 Mar, 14:05 UTC", "2026-03-03T14:05:00Z"}, Running: true, Percent: 46, Importing: "importing: 41 of 90 days", Text: "3 of 7", Facts: []string{"12.3 deliveries a second", "about 12 min left"}, Cancel: "/m/jobs/2/cancel"},
			{ID: "1", Kind: "redeliver github", What: "<b>", State: "failed", Over: true, Error: "The hooks cannot be listed."},
		}}),
		"import_form":  ImportForm{Page: Page{Site: Site{Style: "/s.css", Script: "/s.js"}}, Kind: "backfill github", From: "GitHub", APIs: []string{"", "https://github.example"}, Action: "/sources/import", Back: "/sources", Admin: true}.Render(),
		"notice_clock": body(Page{Notices: []Notice{{"warn", "The clock stands still: say `meridian clock trust`."}}, Foot: Foot{Shown: true, Stands: true}}), "page_live": Sources{Page: page}.Render(),
		"page_still": Problem{Page: Page{Title: "Gone", Site: Site{Style: "/s.css", Script: "/s.js"}}, Status: "404", Title: "There is no such page", Detail: "No team is called \"<b>\"."}.Render(),
		"sign_in":    SignIn{Page: Page{Title: "Sign in", Site: Site{Style: "/s.css", Script: "/s.js"}}, Wrong: true, Action: "/sign-in"}.Render(),
		"signed_in":  SignedIn{Page: Page{Site: Site{Style: "/s.css"}}, Next: "/m/"}.Render(),
		"stages": stages(Stages{ID: "stages", Title: "From first commit to production", Note: "medians", Label: "Coding 1 h", Total: StageTotal{"Lead time", "/m/teams/web/lead_time", Value{Text: "6 h", Exact: "21600 s"}}, Parts: []StagePart{
			{"Coding", "/m/teams/web/pr_coding_time", Value{Text: "1 h", Exact: "3600 s"}, 3600}, {"Pickup", "/m/teams/web/pr_pickup_time", Value{Reason: "Nothing was observed."}, 0}, {"Review", "/m/teams/web/pr_review_time", Value{Text: "0 s", Exact: "0 s"}, 0}, {"Deploy", "/m/teams/web/pr_deploy_time", Value{Text: "5 h", Exact: "18000 s"}, 18000},
		}}),
		"heat": heat(Heat{Caption: "Activities", Counts: [7][24]int64{0: {9: 100, 10: 1}, 6: {23: 25}}}), "heat_none": heat(Heat{Reason: "Too few people."}),
		"waiting": Waiting{Page: page, Clock: Time{"3 Mar, 15:05 UTC", "2026-03-03T15:05:00Z"}, Teams: []Link{{"team-all", "All teams", "/m/waiting", true}, {"team-web", "web", "/m/waiting?team=web", false}, {"team-ops", "ops", "/m/waiting?team=ops", false}}, Lists: []WaitingList{
			{ID: "pr_waiting", Title: "Waiting", Question: "How many?", Count: "2", More: "7 more", Items: []WaitingItem{
				{"open-a", "acme/web#7", "https://github.example/7", Link{Text: "web", Href: "/m/teams/web/pr_waiting"}, Value{Text: "20 d", Exact: "1728000 s"}, Time{"11 Feb, 15:05 UTC", "2026-02-11T15:05:00Z"}},
				{"open-b", "<script>", "", Link{Text: "web", Href: "/m/teams/web/pr_waiting"}, Value{Text: "1 h", Exact: "3600 s"}, Time{}},
			}},
			{ID: "incidents_open", Title: "Open incidents", Reason: "No source has sent anything."},
		}}.Render(),
		"evidence": evidence(Evidence{Lengths: true, Older: "?cursor=x", Items: []Item{
			{ID: "item-0", Label: "acme/web#7", URL: "https://github.example/7", From: Time{"2 Mar", "2026-03-02T00:00:00Z"}, At: Time{"3 Mar", "2026-03-03T00:00:00Z"}, Value: Value{Text: "1 d", Exact: "86400 s"}, Basis: "measured"},
			{ID: "item-1", Label: "<script>alert(1)</script>", URL: "javascript:alert(1)", Outcome: "Ignored. By a bot."},
		}}, "UTC"),
	}
}

func guide1(g Guide) templ.Component { return guide(g, true) }

func TestGolden(t *testing.T) {
	for name, c := range states() {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := c.Render(context.Background(), &got); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".html")
			if *update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, append(readable(got.Bytes()), '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(append(readable(got.Bytes()), '\n'), want) {
				t.Errorf("differs from %s; look at it, then run go test ./web/views -update\n%s", file, readable(got.Bytes()))
			}
			if bytes.Contains(got.Bytes(), []byte(" style=")) || bytes.Contains(got.Bytes(), []byte("<script>")) {
				t.Error("an inline style or script, which the policy forbids")
			}
		})
	}
}

// readable puts each element on a line of its own.
func readable(b []byte) []byte { return bytes.ReplaceAll(b, []byte("><"), []byte(">\n<")) }
