package web_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"meridian/docs/sources"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web"
	"meridian/web/webtest"
)

var markup = regexp.MustCompile(`<[^>]*>`)

// shelf is a quarantine in memory.
type shelf struct {
	items []web.Aside
	did   []string
}

func (s *shelf) Open(context.Context, int) ([]web.Aside, bool, error) { return s.items, true, nil }

func (s *shelf) Show(_ context.Context, id string) (web.AsideDelivery, error) {
	if id != s.items[0].ID {
		return web.AsideDelivery{}, &web.Error{Status: http.StatusNotFound, Title: "Not there", Detail: "There is no delivery " + id}
	}
	return web.AsideDelivery{Aside: s.items[0], Type: "pull_request", Sent: "abc", Headers: [][2]string{{"X-Github-Event", "pull_request"}}, Body: `{"action":"<b>"}`}, nil
}

func (s *shelf) Retry(_ context.Context, id, by string) (string, error) {
	s.did = append(s.did, "retry "+id+" by "+by)
	return id + " was put through again", nil
}

func (s *shelf) Drop(_ context.Context, id, by string) (string, error) {
	s.did = append(s.did, "drop "+id+" by "+by)
	return "", &web.Error{Status: http.StatusConflict, Title: "Not now", Detail: "It was dropped already."}
}

func shelved() *shelf {
	return &shelf{items: []web.Aside{{
		ID: "0-17", Source: "github", Since: webtest.Clock - timeline.Hour, Reasons: []string{"undecodable"}, Detail: "action holds a number",
		Entities: []string{"github/acme"}, State: "open",
	}}}
}

func TestQuarantine_OnThePage(t *testing.T) {
	q := shelved()
	s := newServer(t, webtest.Acme(), guarded, func(c *web.Config) { c.Quarantine, c.APIToken = q, "programs" })
	cookie := pair(signIn(t, s))
	page := body(t, request(t, s, "GET", "/quality", "Accept", asBrowser, "Cookie", cookie))
	contains(t, page, "Set aside", "undecodable", "action holds a number", "github/acme", `href="/quarantine/0-17"`, `action="/quarantine/0-17/retry"`, "There is more")
	contains(t, body(t, request(t, s, "GET", "/quarantine/0-17", "Accept", asBrowser, "Cookie", cookie)), "{&#34;action&#34;:&#34;&lt;b&gt;&#34;}", "X-Github-Event")
	if r := request(t, s, "GET", "/quarantine/0-18", "Accept", asBrowser, "Cookie", cookie); r.StatusCode != http.StatusNotFound {
		t.Errorf("one that is not there: %s", r.Status)
	}

	r := request(t, s, "POST", "/quarantine/0-17/retry", "Cookie", cookie, "Sec-Fetch-Site", "same-origin")
	if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/quality#asides" {
		t.Errorf("retry: %s, to %q", r.Status, r.Header.Get("Location"))
	}
	contains(t, body(t, request(t, s, "GET", "/quality", "Accept", asBrowser, "Cookie", cookie)), "0-17 was put through again")
	if again := body(t, request(t, s, "GET", "/quality", "Accept", asBrowser, "Cookie", cookie)); strings.Contains(again, "put through again</p>") {
		t.Error("what was done is told twice")
	}
	if r := request(t, s, "POST", "/quarantine/0-17/drop", "Cookie", cookie); r.StatusCode != http.StatusConflict {
		t.Errorf("drop: %s", r.Status)
	}
	if len(q.did) != 2 || !strings.HasPrefix(q.did[0], "retry 0-17 by ") {
		t.Errorf("done: %q", q.did)
	}
}

// Who may read may not act, nor see a body: a program with its token, everybody
// in a demo, a page of another site, a stranger.
func TestQuarantine_IsTheOwners(t *testing.T) {
	q := shelved()
	token := newServer(t, webtest.Acme(), guarded, func(c *web.Config) { c.Quarantine, c.APIToken = q, "programs" })
	demo := newServer(t, webtest.Acme(), func(c *web.Config) { c.Quarantine = q })
	trusted := newServer(t, webtest.Acme(), guarded, func(c *web.Config) {
		c.Quarantine, c.Trusted = q, func(r *http.Request) bool { return r.Header.Get("X-Socket") != "" }
	})
	cookie := pair(signIn(t, token))
	for name, x := range map[string]struct {
		server  *web.Server
		headers []string
		read    int
		act     int
	}{
		"a stranger":            {token, nil, 401, 401},
		"a program":             {token, []string{"Authorization", "Bearer programs"}, 401, 401},
		"a demo":                {demo, nil, 403, 403},
		"another site's page":   {token, []string{"Cookie", cookie, "Sec-Fetch-Site", "cross-site"}, 200, 403},
		"the socket's owner":    {trusted, []string{"X-Socket", "yes"}, 200, 303},
		"somebody without it":   {trusted, nil, 401, 401},
		"whoever was signed in": {token, []string{"Cookie", cookie}, 200, 303},
	} {
		if r := request(t, x.server, "GET", "/quarantine/0-17", x.headers...); r.StatusCode != x.read {
			t.Errorf("%s reads a body: %s, want %d", name, r.Status, x.read)
		}
		if r := request(t, x.server, "POST", "/quarantine/0-17/retry", x.headers...); r.StatusCode != x.act {
			t.Errorf("%s retries: %s, want %d", name, r.Status, x.act)
		}
	}
	if len(q.did) != 2 {
		t.Errorf("done: %q", q.did)
	}
	if page := body(t, request(t, demo, "GET", "/quality", "Accept", asBrowser)); strings.Contains(page, "Retry 0-17") || !strings.Contains(page, "Set aside") {
		t.Error("a demo offers what it refuses")
	}
	if page := body(t, request(t, newServer(t, webtest.Acme()), "GET", "/quality", "Accept", asBrowser)); strings.Contains(page, `id="asides"`) {
		t.Error("a page speaks of a quarantine that is not there")
	}
}

func TestQuality_LateDataBySourceAndCause(t *testing.T) {
	o := webtest.Acme()
	cell := timeline.CellOf(webtest.Clock - 26*timeline.Hour)
	o.QualityRows = []metrics.QualityRow{
		{Team: "web", Source: event.GitHub, Kind: event.Pushed, Cell: cell, Decoded: 9, Accepted: 8, LateAccepted: 3, Late: 1},
		{Team: "ops", Source: event.GitHub, Kind: event.ReviewSubmitted, Cell: cell - 96, Decoded: 4, Accepted: 4, LateAccepted: 2, Healed: 1},
		{Team: "ops", Source: event.Jira, Kind: event.IssueCreated, Cell: cell, Decoded: 7, Accepted: 7, Backfilled: 7},
	}
	page := body(t, request(t, newServer(t, o), "GET", "/quality?range=7d", "Accept", asBrowser))
	_, table, ok := strings.Cut(page, `id="late-rows"`)
	if !ok {
		t.Fatalf("no table of what came late: %s", page)
	}
	table, _, _ = strings.Cut(table, "</table>")
	plain := strings.Join(strings.Fields(markup.ReplaceAllString(table, " ")), " ")
	for _, want := range []string{
		"GitHub Came after the time that is waited for its source 5 ", "GitHub Came when it was older than the horizon 1 ",
		"GitHub Had come beyond the horizon, and history was computed since 1 ", "Jira Was read from an API 7 ",
	} {
		if !strings.Contains(plain, want) {
			t.Errorf("it does not say %q: %s", want, plain)
		}
	}
	if strings.Count(table, "<rect") != 2+1+1+1 {
		t.Errorf("the days are drawn as %s", table)
	}
}

func TestDocuments(t *testing.T) {
	s := newServer(t, webtest.Acme(), guarded, func(c *web.Config) { c.Schemas = map[string][]byte{"catalog.json": []byte(`{"title":"x"}`)} })
	for _, provider := range []string{"github", "jira", "deploy", "argocd", "cdevents"} {
		if len(sources.Of(provider)) == 0 {
			t.Errorf("%s has no page", provider)
		}
		for _, name := range sources.Of(provider) {
			r := request(t, s, "GET", "/docs/sources/"+name)
			if text := body(t, r); r.StatusCode != 200 || !strings.HasPrefix(text, "# ") || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") {
				t.Errorf("%s: %s %.80s", name, r.Status, text)
			}
		}
	}
	for target, status := range map[string]int{"/docs/sources/nothing": 404, "/docs/sources/..%2Fsources": 404, "/schemas/catalog.json": 200, "/schemas/x.json": 404} {
		if r := request(t, s, "GET", target); r.StatusCode != status {
			t.Errorf("%s: %s, want %d", target, r.Status, status)
		}
	}
	contains(t, body(t, request(t, newServer(t, webtest.Acme()), "GET", "/sources", "Accept", asBrowser)), `href="/docs/sources/github"`)
}
