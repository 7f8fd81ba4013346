package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"meridian/streaming/timeline"
	"meridian/web"
	"meridian/web/webtest"
)

// work is long work in memory.
type work struct {
	jobs    []web.Job
	trouble string
	asked   []string
}

func (w *work) List() []web.Job { return w.jobs }

func (w *work) Imports() []web.Import {
	return []web.Import{
		{Kind: "backfill github", Source: "github", APIs: []string{"https://api.github.com", "https://github.acme.example"}},
		{Kind: "backfill jira", Source: "jira", Trouble: w.trouble},
	}
}

func (w *work) Start(_ context.Context, ask web.ImportAsk, by string) (string, error) {
	if ask.Organization == "" && len(ask.Repositories) == 0 {
		return "", &web.Error{Status: http.StatusBadRequest, Title: "Not begun", Detail: "Name an organisation."}
	}
	w.asked = append(w.asked, fmt.Sprintf("%+v by %s", ask, by))
	return "The import begins.", nil
}

func (w *work) Cancel(_ context.Context, id, by string) (string, error) {
	w.asked = append(w.asked, "cancel "+id+" by "+by)
	return "It is cancelled.", nil
}

func running() *work {
	return &work{trouble: "No API of Jira is configured; set `apis.jira`.", jobs: []web.Job{
		{ID: "2", Kind: "backfill github", What: "acme since 2025-12-03", State: "running", Queued: webtest.Clock - timeline.Hour, Begun: webtest.Clock - timeline.Hour, Runs: 2,
			Progress: web.JobProgress{Share: 0.46, Text: "3 of 7, acme/web: 41 of 90; 41 of 90 days; 812 deliveries; budget 3120 of 5000 until 16:00Z", Importing: "41 of 90 days", Done: 812, Unit: "deliveries", Rate: 12.34, ETA: 720}},
		{ID: "1", Kind: "redeliver github", What: "failed deliveries", State: "failed", Queued: webtest.Clock - timeline.Day, Begun: webtest.Clock - timeline.Day, Ended: webtest.Clock - timeline.Day + timeline.Minute, Runs: 1, Error: "the hooks cannot be listed"},
	}}
}

func posted(t *testing.T, s *web.Server, target, form string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest("POST", "http://127.0.0.1:8080"+target, strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w.Result()
}

func TestJobs_OnTheSourcesPage(t *testing.T) {
	jobs := running()
	s := newServer(t, webtest.Acme(), guarded, func(c *web.Config) { c.Jobs = jobs })
	cookie := pair(signIn(t, s))
	text := page(t, s, "/sources", "Cookie", cookie)
	contains(t, text, "importing: 41 of 90 days", "12.3 deliveries a second", "min left", "budget 3120 of 5000 until 16:00Z", "goes on after an interruption",
		`value="46"`, "every 2s", `action="/jobs/2/cancel"`, "the hooks cannot be listed", `href="/sources/import?from=github"`, "<code>apis.jira</code>")
	if strings.Contains(text, "/jobs/1/cancel") || strings.Contains(text, "from=jira") {
		t.Error("what is over can be cancelled, or what is not configured can be begun")
	}
	form := page(t, s, "/sources/import?from=github", "Cookie", cookie)
	contains(t, form, `name="kind" value="backfill github"`, `<option value="https://github.acme.example">`, `name="repositories"`, `value="90d"`)
	contains(t, page(t, s, "/sources/import?from=jira", "Cookie", cookie), "<code>apis.jira</code>")

	same := []string{"Cookie", cookie, "Sec-Fetch-Site", "same-origin"}
	r := posted(t, s, "/sources/import", "kind=backfill+github&repositories=acme/web,+acme/api&since=30d", same...)
	if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/sources" {
		t.Errorf("begun: %s to %s", r.Status, r.Header.Get("Location"))
	}
	contains(t, page(t, s, "/sources", "Cookie", cookie), "The import begins.")
	if r := posted(t, s, "/sources/import", "kind=backfill+github", same...); r.StatusCode != http.StatusBadRequest {
		t.Errorf("without a name: %s", r.Status)
	}
	posted(t, s, "/jobs/2/cancel", "", same...)
	if got := strings.Join(jobs.asked, "\n"); !strings.Contains(got, "Repositories:[acme/web acme/api] Projects:[] Since:30d} by ") || !strings.Contains(got, "cancel 2 by ") || len(jobs.asked) != 2 {
		t.Errorf("asked for %s", got)
	}
	for _, target := range []string{"/sources/import", "/jobs/2/cancel"} {
		if r := posted(t, s, target, "kind=backfill+github&org=acme", "Cookie", cookie, "Sec-Fetch-Site", "cross-site"); r.StatusCode != http.StatusForbidden {
			t.Errorf("%s from another site: %s", target, r.Status)
		}
		if r := posted(t, s, target, "kind=backfill+github&org=acme"); r.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s of nobody: %s", target, r.Status)
		}
	}
	if len(jobs.asked) != 2 {
		t.Errorf("strangers asked for %s", jobs.asked[2:])
	}

	demo := newServer(t, webtest.Acme(), func(c *web.Config) { c.Jobs = jobs })
	if text := page(t, demo, "/sources"); strings.Contains(text, "cancel\"") || strings.Contains(text, "/sources/import") || !strings.Contains(text, "41 of 90 days") {
		t.Error("whoever may only look sees no progress, or sees buttons")
	}
}

func TestJobs_InTheAPI(t *testing.T) {
	s := newServer(t, webtest.Acme(), func(c *web.Config) { c.Jobs = running() })
	var answer struct {
		Items []web.JobJSON
		Next  *string
	}
	if err := json.Unmarshal([]byte(body(t, request(t, s, "GET", "/api/v1/jobs"))), &answer); err != nil {
		t.Fatal(err)
	}
	if len(answer.Items) != 2 || answer.Next != nil {
		t.Fatalf("%+v", answer)
	}
	j := answer.Items[0]
	if j.ID != "2" || j.State != "running" || j.Progress.ETA != 720 || j.Progress.Importing != "41 of 90 days" || j.Ended != nil || j.Begun == nil || answer.Items[1].Error == "" {
		t.Errorf("%+v", j)
	}
}

// The documentation of sources in the layout of all pages, and as it stands for a
// program.
func TestDocuments_OfSources(t *testing.T) {
	s := newServer(t, webtest.Acme(), guarded)
	index := page(t, s, "/docs/sources")
	contains(t, index, "<h1>Connecting sources</h1>", `href="/docs/sources/jira-data-center"`, `<table class="numbers">`, `id="doc-deploy"`)
	for _, name := range []string{"github", "jira-cloud", "jira-data-center", "deploy", "argocd", "cdevents"} {
		text := page(t, s, "/docs/sources/"+name)
		contains(t, text, "<h1>", `aria-current="page"`, "<pre tabindex", `href="/docs/sources/`)
		for _, bad := range []string{".md\"", ".md)", "<!-- test", "<!-- raw", "](", "| --- |"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s holds %q", name, bad)
			}
		}
	}
	if r := request(t, s, "GET", "/docs/sources/github"); !strings.HasPrefix(body(t, r), "# GitHub\n") || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") {
		t.Error("a program does not get the page as it stands")
	}
	if r := request(t, s, "GET", "/docs/sources/nope", "Accept", asBrowser); r.StatusCode != http.StatusNotFound {
		t.Errorf("a page that is not there: %s", r.Status)
	}
}

// What a person is told to choose is what the documentation lists.
func TestGuide_EventsAreThoseOfTheDocumentation(t *testing.T) {
	contains(t, page(t, newServer(t, webtest.Empty()), "/"), "review threads, issue comments, pushes, branch or tag creation and deletion, deployments, deployment statuses, workflow runs, releases, issues, repositories.")
}
