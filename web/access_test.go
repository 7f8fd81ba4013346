package web_test

import (
	"context"
	"flag"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"meridian/web"
	"meridian/web/webtest"
)

var updateDocs = flag.Bool("update-docs", false, "write the matrix into docs/access.md instead of comparing")

const (
	accessDocument = "../docs/access.md"
	matrixBegins   = "<!-- matrix: begins; printed by go test ./web -run TestAccess_TheMatrix -update-docs -->\n"
	matrixEnds     = "<!-- matrix: ends -->\n"
)

// proxied signs people in by a header, which is the shortest way to have many.
func proxied(c *web.Config) {
	guarded(c)
	c.Mode = web.ModeProxy
	c.Proxy = web.Proxy{Header: "X-User", Groups: "X-Groups", From: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}
	c.Groups = []web.Group{
		{Name: "viewer", Roles: web.Viewer},
		{Name: "people", Roles: web.People},
		{Name: "admin", Roles: web.Admin},
		{Name: "of-web", Roles: web.Viewer, Teams: []string{"web"}},
		{Name: "of-p", Roles: web.Viewer, Teams: []string{"p*"}},
		{Name: "of-web-people", Roles: web.People, Teams: []string{"web"}},
	}
}

func as(group string) []string { return []string{"X-User", "mai", "X-Groups", group} }

func documentedMatrix(t *testing.T) (before, matrix, after string) {
	t.Helper()
	b, err := os.ReadFile(accessDocument)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), matrixBegins)
	matrix, after, ok2 := strings.Cut(rest, matrixEnds)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the matrix", accessDocument)
	}
	return before, matrix, after
}

func TestAccess_TheMatrixIsPrintedInTheDocuments(t *testing.T) {
	now := newServer(t, webtest.Acme(), guarded).Matrix()
	before, matrix, after := documentedMatrix(t)
	if matrix == now {
		return
	}
	if !*updateDocs {
		t.Fatalf("%s is not of these routes: look at who may have what, and write it with -update-docs\n%s", accessDocument, now)
	}
	if err := os.WriteFile(accessDocument, []byte(before+matrixBegins+now+matrixEnds+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// samples are addresses of the routes that have parts to fill in.
var samples = strings.NewReplacer(
	"{$}", "", "{team}", "web", "{metric}", "pr_pickup_time", "{file...}", "style.css", "{page}", "github", "{id}", "none", "{name}", "none",
	"/api/v1/evidence", "/api/v1/evidence?metric=pr_merged",
)

// Every cell of the documented matrix is asked for over HTTP. What is written
// there is what somebody has looked at; the handlers are what they are.
func TestAccess_EveryCellOfTheMatrix(t *testing.T) {
	_, matrix, _ := documentedMatrix(t)
	rows := strings.Split(strings.TrimSpace(matrix), "\n")
	titles := cells(rows[0])
	s := newServer(t, webtest.Acme(), proxied, withTokens(t))
	demo := newServer(t, webtest.Acme(), func(c *web.Config) { c.Metrics = http.NotFoundHandler() })
	admin, _, err := s.MakeToken(t.Context(), &web.Reader{ID: "test", Roles: web.Viewer | web.Admin, Every: true}, web.NewToken{Label: "t", Roles: web.Admin})
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	for _, row := range rows[2:] {
		cell := cells(row)
		name := strings.Trim(cell[0], "`")
		asked = append(asked, name)
		method, pattern, _ := strings.Cut(name, " ")
		for i, want := range cell[1:] {
			server, headers := s, []string(nil)
			switch who := titles[i+1]; who {
			case "nobody":
			case "viewer":
				headers = as(who)
			case "people", "admin":
				headers = as("viewer," + who)
			case "only looks":
				server = demo
			case "by token":
				headers = []string{"Authorization", "Bearer " + admin}
				if want == "no" {
					want = "sign in" // the token is not looked at
				}
			default:
				t.Fatalf("nobody knows who %q is", who)
			}
			for _, accept := range []string{asBrowser, "*/*"} {
				r := ask(t, server, method, samples.Replace(pattern), append(headers, "Accept", accept)...)
				got := "yes"
				switch r.StatusCode {
				case http.StatusUnauthorized:
					got = "sign in"
				case http.StatusForbidden:
					got = "no"
				}
				if pattern == "/sign-in" && r.StatusCode == http.StatusUnauthorized {
					got = want // the form itself says so
				}
				if got != want && !(want == "needs none" && got == "yes") {
					t.Errorf("%s as %q: %s, which is %q and not %q", name, titles[i+1], r.Status, got, want)
				}
				for _, h := range []string{"Content-Security-Policy", "X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy", "X-Request-Id"} {
					if r.Header.Get(h) == "" {
						t.Errorf("%s as %s: no %s", name, titles[i+1], h)
					}
				}
				if text := body(t, r); got == "sign in" && strings.Contains(text, "Asia/Ho_Chi_Minh") {
					t.Errorf("%s tells nobody about a team", name)
				}
			}
		}
	}
	var routes []string
	for _, rt := range web.RoutesForTest(s) {
		routes = append(routes, rt.Method+" "+rt.Pattern)
	}
	if !slices.Equal(asked, routes) {
		t.Errorf("asked for %q\nrouted   %q", asked, routes)
	}
}

// ask is request of which the asker goes away at once: a stream ends then.
func ask(t testing.TB, s *web.Server, method, target string, headers ...string) *http.Response {
	t.Helper()
	if target != "/events" {
		return request(t, s, method, target, headers...)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, method, "http://127.0.0.1:8080"+target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := leaving{httptest.NewRecorder(), cancel}
	s.Handler().ServeHTTP(w, r)
	cancel()
	return w.Result()
}

// leaving ends the request with the first byte of its answer.
type leaving struct {
	*httptest.ResponseRecorder
	leave func()
}

func (w leaving) Write(b []byte) (int, error) { w.leave(); return w.ResponseRecorder.Write(b) }

func cells(row string) (out []string) {
	for c := range strings.SplitSeq(strings.Trim(strings.TrimSpace(row), "|"), "|") {
		out = append(out, strings.TrimSpace(c))
	}
	return out
}

// A route that nobody has thought about is nobody's.
func TestAccess_WhatIsNotListedIsDenied(t *testing.T) {
	if web.PermitsForTest(0) || web.PermitsForTest(99) {
		t.Error("an access that does not exist lets somebody through")
	}
}

func TestAccess_AViewerSeesTheirTeamsAndNoOther(t *testing.T) {
	s := newServer(t, webtest.Acme(), proxied)
	web := as("of-web")
	for target, want := range map[string]int{
		"/": 200, "/teams/web": 200, "/teams/web/pr_pickup_time": 200, "/teams/payments": 404, "/teams/payments/pr_pickup_time": 404, "/dora": 200, "/dora?team=payments": 404, "/waiting": 200, "/quality": 200,
		"/api/v1/points?team=web": 200, "/api/v1/points?team=payments": 403, "/api/v1/points?scope=org": 403, "/api/v1/points?scope=group:shop": 403, "/api/v1/points": 200,
		"/api/v1/points?team=payments&metric=pr_waiting": 403,
		"/api/v1/evidence?metric=pr_merged&team=web":     200, "/api/v1/evidence?metric=pr_merged&team=payments": 403, "/api/v1/evidence?metric=pr_waiting&team=payments": 403, "/api/v1/evidence?metric=pr_merged&scope=org": 403,
	} {
		r := request(t, s, "GET", target, append(web, "Accept", asBrowser)...)
		text := body(t, r)
		if r.StatusCode != want {
			t.Errorf("%s: %s, want %d", target, r.Status, want)
		}
		for _, other := range []string{"payments", "platform", "mobile", "warehouse"} {
			if r.StatusCode == 200 && strings.Contains(text, other) {
				t.Errorf("%s tells of %s", target, other)
			}
		}
	}
	for _, target := range []string{"/api/v1/points?metric=pr_merged", "/api/v1/evidence?metric=pr_merged", "/api/v1/quality", "/api/v1/rejects"} {
		if text := body(t, request(t, s, "GET", target, web...)); !strings.Contains(text, `"web"`) || strings.Contains(text, `"payments"`) {
			t.Errorf("%s of the reader's teams: %.300s", target, text)
		}
	}
	// A pattern names teams, and nobody's answer is another's.
	text := body(t, request(t, s, "GET", "/", append(as("of-p"), "Accept", asBrowser)...))
	for team, there := range map[string]bool{"payments": true, "platform": true, "/teams/web": false, "mobile": false} {
		if strings.Contains(text, team) != there {
			t.Errorf("the overview of p*: %s there: %v", team, !there)
		}
	}
	first := request(t, s, "GET", "/api/v1/points", as("of-web")...).Header.Get("ETag")
	if r := request(t, s, "GET", "/api/v1/points", append(as("of-p"), "If-None-Match", first)...); r.StatusCode != 200 {
		t.Errorf("another reader's answer is taken for one's own: %s", r.Status)
	}
}

func TestAccess_WhoIsInNoGroupSeesNothingAndIsToldWhy(t *testing.T) {
	s := newServer(t, webtest.Acme(), proxied)
	r := request(t, s, "GET", "/", append(as("strangers"), "Accept", asBrowser)...)
	if text := body(t, r); r.StatusCode != http.StatusForbidden || !strings.Contains(text, "signed in as mai") {
		t.Errorf("%s: %.400s", r.Status, text)
	}
}
