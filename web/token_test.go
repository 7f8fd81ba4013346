package web_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"meridian/web"
	"meridian/web/webtest"
)

// withTokens keeps tokens in a file of the test's own.
func withTokens(t testing.TB) func(*web.Config) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	return func(c *web.Config) { c.Tokens = path }
}

func owner() *web.Reader {
	return &web.Reader{ID: "owner", Name: "the owner", Roles: web.Viewer | web.People | web.Admin, Every: true}
}

func TestToken_HasWhatItNamesAndItsOwnerMay(t *testing.T) {
	s := newServer(t, webtest.Acme(), proxied, withTokens(t))
	get := func(token, path string) int {
		return request(t, s, "GET", path, "Authorization", "Bearer "+token).StatusCode
	}
	make := func(r *web.Reader, n web.NewToken) string {
		t.Helper()
		n.Label = "a test"
		secret, _, err := s.MakeToken(t.Context(), r, n)
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	lead := &web.Reader{ID: "proxy:lead", Name: "lead", Roles: web.Viewer | web.People, Teams: []string{"web", "p*"}}
	all := make(owner(), web.NewToken{Roles: web.Admin})
	one := make(owner(), web.NewToken{Roles: web.Viewer, Teams: []string{"web"}})
	leads := make(lead, web.NewToken{Roles: web.Viewer})
	narrow := make(lead, web.NewToken{Roles: web.Viewer, Teams: []string{"web", "data"}}) // data is not the lead's
	for _, c := range []struct {
		token, path string
		want        int
	}{
		{all, "/api/v1/sources", 200}, {all, "/api/v1/points?scope=org", 200}, {all, "/api/v1/audit", 404}, {all, "/", 401}, {all, "/sources", 401},
		{one, "/api/v1/sources", 403}, {one, "/api/v1/points?team=web", 200}, {one, "/api/v1/points?team=data", 403}, {one, "/api/v1/points?scope=org", 403}, {one, "/metrics", 403},
		{leads, "/api/v1/points?team=payments", 200}, {leads, "/api/v1/points?team=data", 403},
		{narrow, "/api/v1/points?team=web", 200}, {narrow, "/api/v1/points?team=data", 403}, {narrow, "/api/v1/points?team=payments", 403},
	} {
		if got := get(c.token, c.path); got != c.want {
			t.Errorf("%s with the token %s: %d, want %d", c.path, map[string]string{all: "of all", one: "of one team", leads: "of a lead", narrow: "of one team of a lead"}[c.token], got, c.want)
		}
	}
	// In an address, where images and feeds have them, and nowhere else.
	for path, want := range map[string]int{
		"/teams/web/pr_pickup_time/badge.svg": 200, "/teams/web/feed.atom": 200, "/teams/data/pr_pickup_time/badge.svg": 404,
		"/teams/web/pr_pickup_time/chart.svg": 401, "/api/v1/status": 401, "/teams/web": 401,
	} {
		if r := request(t, s, "GET", path+"?token="+one); r.StatusCode != want {
			t.Errorf("%s with a token in its address: %s, want %d", path, r.Status, want)
		}
	}
	for name, bad := range map[string]web.NewToken{
		"more than its owner has": {Label: "x", Roles: web.Admin}, "no role": {Label: "x"}, "no name": {Roles: web.Viewer},
		"for ever": {Label: "x", Roles: web.Viewer, Life: 10 * web.LongestToken}, "an empty team": {Label: "x", Roles: web.Viewer, Teams: []string{""}},
	} {
		if _, _, err := s.MakeToken(t.Context(), lead, bad); err == nil {
			t.Errorf("%s: made", name)
		}
	}
	if _, _, err := s.MakeToken(t.Context(), &web.Reader{ID: "demo", Roles: web.Viewer, Every: true, Looks: true}, web.NewToken{Label: "x", Roles: web.Viewer}); err == nil {
		t.Error("made by somebody who may only look")
	}
	// The lead leaves a group, and the token loses it with their next request.
	request(t, s, "GET", "/", "X-User", "lead", "X-Groups", "of-web")
	if got := get(leads, "/api/v1/points?team=payments"); got != 403 {
		t.Errorf("what its owner may not see any more: %d", got)
	}
	if got := get(leads, "/api/v1/points?team=web"); got != 200 {
		t.Errorf("what its owner may still see: %d", got)
	}
}

func TestToken_EndsAndIsKeptAsAHash(t *testing.T) {
	now := webtest.Clock.Time()
	keep := withTokens(t)
	clock := func(c *web.Config) { c.Now = func() time.Time { return now } }
	var path string
	s := newServer(t, webtest.Acme(), guarded, keep, clock, func(c *web.Config) { path = c.Tokens })
	secret, made, err := s.MakeToken(t.Context(), owner(), web.NewToken{Label: "grafana", Roles: web.Viewer, Life: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(b), secret) || !strings.Contains(string(b), "grafana") {
		t.Errorf("the file: %s, %v", b, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	after := newServer(t, webtest.Acme(), guarded, keep, clock) // a restart
	get := func(s *web.Server, token string) int {
		return request(t, s, "GET", "/api/v1/status", "Authorization", "Bearer "+token).StatusCode
	}
	for token, want := range map[string]int{secret: 200, secret + "x": 401, secret[1:]: 401, made.Hash: 401, made.ID: 401} {
		if got := get(after, token); got != want {
			t.Errorf("%q after a restart: %d, want %d", token, got, want)
		}
	}
	if used := after.Tokens(owner(), false)[0].Used; !used.Equal(now.Truncate(time.Second)) {
		t.Errorf("last used %s", used)
	}
	now = now.Add(time.Hour)
	if got := get(after, secret); got != 401 {
		t.Errorf("an hour later: %d", got)
	}
	now = now.Add(-time.Hour)
	if err := after.RevokeToken(t.Context(), &web.Reader{ID: "proxy:other", Roles: web.Viewer}, made.ID); err == nil {
		t.Error("ended by somebody else")
	}
	if err := after.RevokeToken(t.Context(), owner(), made.ID); err != nil {
		t.Fatal(err)
	}
	if got := get(after, secret); got != 401 {
		t.Errorf("ended: %d", got)
	}
	if got := get(newServer(t, webtest.Acme(), guarded, keep, clock), secret); got != 401 {
		t.Errorf("ended, after a restart: %d", got)
	}
}

func TestToken_ThePageMakesAndEndsOnesOwn(t *testing.T) {
	log := web.NewAuditFile(filepath.Join(t.TempDir(), "audit.jsonl"))
	s := newServer(t, webtest.Acme(), proxied, withTokens(t), func(c *web.Config) { c.Audit = log })
	post := func(path, form string, headers ...string) *http.Response {
		r := httptest.NewRequest("POST", "http://127.0.0.1:8080"+path, strings.NewReader(form))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Accept", asBrowser)
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		return w.Result()
	}
	viewer := as("viewer")
	res := post("/tokens", "label=grafana&role=viewer&teams=web,+data&days=30", viewer...)
	text := body(t, res)
	secret := regexp.MustCompile(`meridian_[A-Z2-7]{26}`).FindString(text)
	if res.StatusCode != 200 || secret == "" || res.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%s %v %.500s", res.Status, res.Header, text)
	}
	if strings.Contains(page(t, s, "/tokens", viewer...), secret) {
		t.Error("the token is shown again")
	}
	contains(t, page(t, s, "/tokens", viewer...), "grafana", "web, data")
	if other := page(t, s, "/tokens", "X-User", "jonas", "X-Groups", "viewer"); strings.Contains(other, "grafana") {
		t.Error("somebody else sees it")
	}
	contains(t, page(t, s, "/tokens", "X-User", "boss", "X-Groups", "admin"), "grafana")
	if r := post("/tokens", "label=x&role=admin&days=30", viewer...); r.StatusCode != http.StatusBadRequest {
		t.Errorf("a role that one has not: %s", r.Status)
	}
	if r := post("/tokens", "label=x&role=viewer&days=30", append(viewer, "Sec-Fetch-Site", "cross-site")...); r.StatusCode != http.StatusForbidden {
		t.Errorf("from another site: %s", r.Status)
	}
	id := s.Tokens(&web.Reader{ID: "proxy:mai"}, false)[0].ID
	if r := post("/tokens/"+id+"/revoke", "", "X-User", "jonas", "X-Groups", "viewer"); r.StatusCode != http.StatusNotFound {
		t.Errorf("somebody else's: %s", r.Status)
	}
	if r := post("/tokens/"+id+"/revoke", "", viewer...); r.StatusCode != http.StatusSeeOther {
		t.Errorf("one's own: %s", r.Status)
	}
	if r := request(t, s, "GET", "/api/v1/status", "Authorization", "Bearer "+secret); r.StatusCode != 401 {
		t.Errorf("ended: %s", r.Status)
	}
	var b strings.Builder
	if err := log.CopyTo(&b); err != nil || strings.Contains(b.String(), secret) || strings.Count(b.String(), "\n") != 2 {
		t.Errorf("the audit log: %s, %v", b.String(), err)
	}
}
