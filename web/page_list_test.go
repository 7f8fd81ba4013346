package web_test

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"meridian/web"
	"meridian/web/webtest"
)

// pagesOf are the pages that each route has, as somebody sees them who may see all. What
// looks at every page (here and in a browser) looks at these; a route that is neither
// here nor in noPages fails a test, so that no page can be forgotten.
var pagesOf = map[string][]string{
	"/{$}":          {"/", "/?to=2026-02-01"},
	"/teams/{team}": {"/teams/web", "/teams/web?grain=hour"},
	"/teams/{team}/{metric}": {
		"/teams/web/pr_pickup_time", "/teams/web/pr_pickup_time?grain=hour&compare=previous", "/teams/web/pr_merged?grain=day30&sort=longest&find=nothing",
		"/teams/mobile/after_hours", "/teams/mobile/after_hours?grain=hour", "/teams/web/work_heatmap", "/teams/web/pr_waiting", "/teams/web/issue_cycle_time",
	},
	"/dora":                   {"/dora", "/dora?team=web"},
	"/waiting":                {"/waiting"},
	"/sources":                {"/sources"},
	"/sources/import":         {"/sources/import?from=github", "/sources/import?from=jira"},
	"/quality":                {"/quality"},
	"/catalog":                {"/catalog"},
	"/status":                 {"/status"},
	"/replays":                {"/replays"},
	"/replays/{run}":          {"/replays/1", "/replays/3", "/replays/4", "/replays/5"},
	"/replays/{run}/{action}": {"/replays/3/promote"},
	"/quarantine/{id}":        {"/quarantine/0-17"},
	"/docs/sources":           {"/docs/sources"},
	"/docs/sources/{page}":    {"/docs/sources/github"},
	"/tokens":                 {"/tokens"},
	"/audit":                  {"/audit"},
	"/sign-in":                {"/sign-in"},
	"/storybook/{story}":      {"/storybook/chart_lines"},
}

// noPages answer programs, streams and redirections; the storybook is whole pages in one.
var noPages = []string{
	"/teams/{team}/{metric}/chart.svg", "/teams/{team}/{metric}/badge.svg", "/teams/{team}/feed.atom", "/events", "/schemas/{name}",
	"/sign-in/start", "/sign-in/done", "/openapi.json", "/metrics", "/livez", "/readyz", "/static/{file...}", "/favicon.ico", "/storybook",
}

// A looked is a page in a state of an instance.
type looked struct {
	name   string // of the server that has it
	path   string
	status int
}

// allPages are the pages of a whole instance, those of instances in trouble, and
// errors.
func allPages() (all []looked) {
	for _, paths := range pagesOf {
		for _, path := range paths {
			if strings.HasPrefix(path, "/sign-in") {
				all = append(all, looked{"signed out", path, http.StatusUnauthorized})
			} else {
				all = append(all, looked{"whole", path, http.StatusOK})
			}
		}
	}
	all = append(all, looked{"whole", "/nowhere", http.StatusNotFound}, looked{"whole", "/teams/nobody", http.StatusNotFound}, looked{"whole", "/?to=x", http.StatusBadRequest})
	for _, state := range []string{"empty", "behind", "importing", "beginning", "pinged", "doubt"} {
		all = append(all, looked{state, "/", http.StatusOK})
	}
	all = append(all, looked{"empty", "/sources", http.StatusOK}, looked{"empty", "/quality", http.StatusOK}, looked{"empty", "/dora", http.StatusOK},
		looked{"empty", "/waiting", http.StatusOK}, looked{"empty", "/status", http.StatusOK}, looked{"broken", "/", http.StatusServiceUnavailable}, looked{"broken", "/status", http.StatusOK})
	slices.SortFunc(all, func(a, b looked) int { return strings.Compare(a.name+a.path, b.name+b.path) })
	return all
}

// lookedAt are the servers of allPages, as the owner of all roles sees them.
func lookedAt(t testing.TB) map[string]http.Handler {
	whole := func(c *web.Config) {
		proxied(c)
		c.Shared, c.Storybook, c.Bounds = true, true, webtest.Bounds
		c.Catalog, c.Runs, c.Jobs, c.Quarantine = &book{}, &course{}, running(), shelved()
		c.Audit = web.NewAuditFile(filepath.Join(t.TempDir(), "audit.jsonl"))
	}
	servers := map[string]http.Handler{
		"signed out": newServer(t, webtest.Acme(), guarded).Handler(),
		"whole":      seenByAll(newServer(t, webtest.Acme(), whole, withTokens(t)).Handler()),
	}
	for _, state := range webtest.States() {
		servers[state.Name] = newServer(t, state.Organisation, func(c *web.Config) { c.Bounds = webtest.Bounds }).Handler()
	}
	return servers
}

// seenByAll is what the proxy does for somebody who has every role.
func seenByAll(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = "192.0.2.1:1234"
		r.Header.Set("X-User", "mai")
		r.Header.Set("X-Groups", "viewer,people,admin")
		h.ServeHTTP(w, r)
	})
}

func TestPages_EveryRouteIsLookedAt(t *testing.T) {
	s := newServer(t, webtest.Acme(), func(c *web.Config) { c.Storybook = true })
	for _, rt := range web.RoutesForTest(s) {
		_, page := pagesOf[rt.Pattern]
		if rt.Method == http.MethodGet && !strings.HasPrefix(rt.Pattern, "/api/") && page == slices.Contains(noPages, rt.Pattern) {
			t.Errorf("%s: write its pages into pagesOf, or it into noPages", rt.Pattern)
		}
	}
	servers := lookedAt(t)
	for _, p := range allPages() {
		w := newRecorder()
		servers[p.name].ServeHTTP(w, newRequest(p.path))
		if r := w.Result(); r.StatusCode != p.status || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%s %s: %s, %s", p.name, p.path, r.Status, r.Header.Get("Content-Type"))
		} else if text := w.Body.String(); strings.Count(text, "<h1") != 1 {
			t.Errorf("%s %s has %d headings of the first level", p.name, p.path, strings.Count(text, "<h1"))
		}
	}
}

func newRequest(path string) *http.Request {
	r, err := http.NewRequest(http.MethodGet, "http://127.0.0.1:8080"+path, nil)
	if err != nil {
		panic(err)
	}
	r.Header.Set("Accept", asBrowser)
	return r
}
