package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"meridian/metrics"
	"meridian/web"
	"meridian/web/webtest"
)

// course is runs in memory: 2 is live, 1 is kept, 3 is ready, 4 is an audit that differs,
// 5 is being computed.
type course struct{ did []string }

func (c *course) Runs(context.Context) (web.RunList, error) {
	list := web.RunList{Current: 2, Waits: "the catalog has changed; numbers by it are computed from 2026-03-03T18:00:00Z on"}
	for n := uint32(5); n > 0; n-- {
		run, _ := c.Run(context.Background(), n)
		list.Items = append(list.Items, run)
	}
	return list, nil
}

func (c *course) Run(_ context.Context, n uint32) (web.Run, error) {
	at := "2026-03-03T12:00:00Z"
	run := web.Run{Number: n, Kind: "upgrade", State: "live", Says: "readers see it", Reason: "the <catalog> has changed", Begun: &at, Clock: &at, Logic: 3, Catalog: "abc", Can: []web.RunAction{}}
	switch n {
	case 1:
		run.State, run.Says, run.Can, run.Kept = "kept", "was replaced", []web.RunAction{web.RollbackRun, web.DropRun}, &at
	case 2:
	case 3:
		run.Kind, run.State, run.Says, run.Can = "restate", "ready", "has caught up", []web.RunAction{web.PromoteRun, web.DropRun}
		run.History = web.RunProgress{Done: 46, Total: 100, Share: 0.46}
	case 4:
		run.Kind, run.State, run.Says = "audit", "done", "differs from generation 2"
		run.Audit = &web.RunAudit{Of: 2, UpTo: &at, Tables: []web.RunAuditTable{{Table: "points", Rows: 10, Equal: 9, Different: 1, Examples: []string{"team web: n 1, and 2"}}}}
	case 5:
		run.Kind, run.State, run.Clock, run.Can = "restate", "computing", nil, []web.RunAction{web.DropRun}
		run.Says = "46 of 100 deliveries and ticks (46 %), 12000 a second, about 5s left, at 2026-03-02T12:00:00Z"
		run.History = web.RunProgress{Done: 46, Total: 100, Share: 0.46, Rate: 12000, ETA: 5, EventTime: &at, Text: run.Says}
	default:
		return run, &web.Error{Status: http.StatusNotFound, Title: "No such run", Detail: "There is no run."}
	}
	return run, nil
}

func (c *course) Diff(_ context.Context, q web.RunDiffQuery) (web.RunDiff, error) {
	one, two, next := 1.0, 2.0, "x"
	return web.RunDiff{
		First: 2, Second: q.Second, Causes: []web.RunCause{{Cause: "catalog", Text: "team web: repositories +acme/api", Where: "catalog.yaml:4"}},
		Counts: []web.RunDiffCount{{Metric: "pr_merged", Grain: metrics.Day, Equal: 7, Other: 2}}, Next: &next,
		Windows: []web.RunDiffWindow{
			{Metric: "pr_merged", Team: "web", Grain: metrics.Day, Start: "2026-03-02T00:00:00Z", First: &web.RunDiffSide{N: 1, Value: &one}, Second: &web.RunDiffSide{N: 2, Value: &two},
				Why: []web.RunCause{{Cause: "late", Text: "1 event healed"}}, Evidence: web.RunEvidence{OnlySecond: 1, Items: []web.RunEvidenceItem{{In: "second", Item: "acme/web#7", URL: "javascript:alert(1)"}}}},
			{Metric: "after_hours", Team: "web", Grain: metrics.Day, Start: "2026-03-02T00:00:00Z", Withheld: true},
		},
	}, nil
}

func (c *course) Act(_ context.Context, action web.RunAction, n uint32, by string) (string, error) {
	c.did = append(c.did, string(action)+" "+by)
	return "Run 3 takes over when it has caught up.", nil
}

func (c *course) Turn() web.RunTurn {
	return web.RunTurn{Coming: "Numbers are computed anew, because the catalog has changed", Changed: "Since 2 Mar these numbers are those of generation 2", Run: 2, Before: 1}
}

func TestReplays(t *testing.T) {
	c := &course{}
	s := newServer(t, webtest.Acme(), guarded, func(config *web.Config) { config.Runs = c })
	cookie := pair(signIn(t, s))
	get := func(path string) string {
		t.Helper()
		return body(t, request(t, s, "GET", path, "Accept", asBrowser, "Cookie", cookie))
	}
	contains(t, get("/replays"), "the &lt;catalog&gt; has changed", `href="/replays/3?with=live"`, "has caught up", "numbers by it are computed from 3 Mar", `aria-current="page"`)
	contains(t, get("/teams/web"), "Numbers are computed anew", "these numbers are those of generation 2", `href="/replays/2?with=1"`)  // at the foot of every page
	contains(t, get("/replays"), `max="100" value="46"`, "46 of 100 deliveries and ticks", "12000 a second, about 5s left", "every 2s") // and asks by itself how far it is
	contains(t, get("/replays/5"), `max="100" value="46"`, "every 2s", `href="/replays/5/drop"`)
	if text := get("/replays/5"); strings.Contains(text, "/replays/5?with=live") || strings.Contains(text, "/replays/5/promote") {
		t.Error("a run that is being computed can be compared or promoted")
	}
	contains(t, get("/replays/3"), `href="/replays/3/promote"`, `href="/replays/3/drop"`)
	contains(t, get("/replays/4"), "differs from generation 2", "team web: n 1, and 2")
	diff := get("/replays/3?with=live")
	contains(t, diff, "7 windows are equal, 2 differ", "catalog.yaml:4", "1 event healed", "acme/web#7", "withheld", `href="/replays/3?cursor=x&amp;with=live"`)
	if strings.Contains(diff, "javascript:") {
		t.Error("an address that is none is linked")
	}
	if r := request(t, s, "GET", "/replays/9", "Cookie", cookie, "Accept", asBrowser); r.StatusCode != http.StatusNotFound {
		t.Errorf("a run that is not there: %s", r.Status)
	}

	// Nothing is done before somebody has said that they mean it, on this site.
	contains(t, get("/replays/3/promote"), "Promote run 3?", `action="/replays/3/promote"`)
	contains(t, get("/replays/1/rollback"), "Go back to generation 1?", `action="/replays/1/rollback"`, "kept for 7 days")
	if r := request(t, s, "POST", "/replays/3/promote", "Cookie", cookie, "Sec-Fetch-Site", "cross-site"); r.StatusCode != http.StatusForbidden {
		t.Errorf("another site promotes: %s", r.Status)
	}
	if r := request(t, s, "POST", "/replays/3/rollback", "Cookie", cookie, "Sec-Fetch-Site", "same-origin"); r.StatusCode != http.StatusConflict {
		t.Errorf("what cannot be done: %s", r.Status)
	}
	if r := request(t, s, "POST", "/replays/3/promote"); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("a stranger promotes: %s", r.Status)
	}
	if len(c.did) != 0 {
		t.Fatalf("done: %q", c.did)
	}
	if r := request(t, s, "POST", "/replays/3/promote", "Cookie", cookie, "Sec-Fetch-Site", "same-origin"); r.StatusCode != http.StatusSeeOther {
		t.Errorf("promote: %s", r.Status)
	}
	if len(c.did) != 1 || !strings.HasPrefix(c.did[0], "promote ") {
		t.Errorf("done: %q", c.did)
	}
	contains(t, get("/replays"), "Run 3 takes over when it has caught up.")
}

// Whoever may look at everything, as in a demo, is not asked, and changes nothing.
func TestReplays_AreTheAdmins(t *testing.T) {
	c := &course{}
	demo := newServer(t, webtest.Acme(), func(config *web.Config) { config.Runs = c })
	page := body(t, request(t, demo, "GET", "/replays/3", "Accept", asBrowser))
	if strings.Contains(page, "/replays/3/promote") {
		t.Error("a demo offers to promote")
	}
	if r := request(t, demo, "POST", "/replays/3/promote"); r.StatusCode != http.StatusForbidden || len(c.did) != 0 {
		t.Errorf("a demo promotes: %s, %q", r.Status, c.did)
	}
	if page := body(t, request(t, demo, "GET", "/replays/4", "Accept", asBrowser)); strings.Contains(page, "n 1, and 2") {
		t.Error("rows of all teams are shown")
	}
}

func TestReplays_API(t *testing.T) {
	s := newServer(t, webtest.Acme(), guarded, func(config *web.Config) { config.Runs, config.APIToken = &course{}, "programs" })
	var list struct {
		Items []web.Run
		AsOf  web.AsOfJSON `json:"as_of"`
	}
	r := request(t, s, "GET", "/api/v1/runs", "Authorization", "Bearer programs")
	if err := json.Unmarshal([]byte(body(t, r)), &list); err != nil || len(list.Items) != 5 || list.Items[0].Number != 5 {
		t.Errorf("%v: %+v", err, list)
	}
	var d web.RunDiff
	r = request(t, s, "GET", "/api/v1/runs/3/diff?grain=day", "Authorization", "Bearer programs")
	if err := json.Unmarshal([]byte(body(t, r)), &d); err != nil || len(d.Windows) != 2 || d.Windows[1].First != nil {
		t.Errorf("%v: %+v", err, d)
	}
	for _, bad := range []string{"grain=week", "with=x", "limit=0", "metric=none", "colour=red"} {
		if r := request(t, s, "GET", "/api/v1/runs/3/diff?"+bad, "Authorization", "Bearer programs"); r.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", bad, r.Status)
		}
	}
}
