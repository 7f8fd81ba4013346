package web_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"meridian/web"
	"meridian/web/webtest"
)

// signIn follows a new link and returns the cookie.
func signIn(t testing.TB, s *web.Server) *http.Cookie {
	t.Helper()
	u, err := url.Parse(s.SignInLink())
	if err != nil {
		t.Fatal(err)
	}
	r := request(t, s, "GET", u.RequestURI(), "Accept", asBrowser)
	if r.StatusCode != http.StatusOK || len(r.Cookies()) != 1 {
		t.Fatalf("%s: %s, cookies %v", u, r.Status, r.Cookies())
	}
	return r.Cookies()[0]
}

func pair(c *http.Cookie) string { return c.Name + "=" + c.Value }

func TestSignIn_TheLinkWorksOnceAndTheCookieIsStrict(t *testing.T) {
	s := newServer(t, webtest.Acme(), guarded)
	link, _ := url.Parse(s.SignInLink())
	if r := request(t, s, "HEAD", link.RequestURI(), "Accept", asBrowser); len(r.Cookies()) != 0 {
		t.Errorf("somebody who looked ahead got %v", r.Cookies())
	}
	r := request(t, s, "GET", link.RequestURI(), "Accept", asBrowser)
	c := r.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" || c.Secure || c.Name != "meridian" {
		t.Errorf("cookie %v", c)
	}
	contains(t, body(t, r), `http-equiv="refresh"`)
	if r.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Error("the token could leave in a Referer header")
	}
	if r := request(t, s, "GET", "/", "Accept", asBrowser, "Cookie", pair(c)); r.StatusCode != 200 {
		t.Errorf("with the cookie: %s", r.Status)
	}
	again := request(t, s, "GET", link.RequestURI(), "Accept", asBrowser)
	if again.StatusCode != http.StatusUnauthorized || len(again.Cookies()) != 0 {
		t.Errorf("a second time: %s, cookies %v", again.Status, again.Cookies())
	}
	contains(t, body(t, again), "not valid any more")
	if r := request(t, s, "GET", link.RequestURI(), "Accept", asBrowser, "Cookie", pair(c)); r.StatusCode != http.StatusSeeOther {
		t.Errorf("a second time, by somebody who is in: %s", r.Status)
	}
}

func TestSignIn_WithHTTPSTheCookieIsOfThisHostAlone(t *testing.T) {
	s := newServer(t, webtest.Acme(), guarded, func(c *web.Config) { c.BaseURL = "https://meridian.example" })
	if c := signIn(t, s); c.Name != "__Host-meridian" || !c.Secure || c.Path != "/" || c.Domain != "" {
		t.Errorf("cookie %v", c)
	}
}

func TestSignIn_LinksExpire(t *testing.T) {
	now := webtest.Clock.Time()
	s := newServer(t, webtest.Acme(), guarded, func(c *web.Config) { c.Now = func() time.Time { return now } })
	link, _ := url.Parse(s.SignInLink())
	now = now.Add(24 * time.Hour)
	if r := request(t, s, "GET", link.RequestURI(), "Accept", asBrowser); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("a day later: %s", r.Status)
	}
}

func TestSignIn_SessionsSurviveARestartAndAreNoSecretsOnDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sessions")
	kept := func(c *web.Config) { c.Sessions, c.Now = dir, time.Now }
	c := signIn(t, newServer(t, webtest.Acme(), guarded, kept))
	after := newServer(t, webtest.Acme(), guarded, kept)
	if r := request(t, after, "GET", "/", "Accept", asBrowser, "Cookie", pair(c)); r.StatusCode != 200 {
		t.Errorf("after a restart: %s", r.Status)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	info, err := files[0].Info()
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	b, err := os.ReadFile(filepath.Join(dir, files[0].Name()))
	if err != nil || strings.Contains(files[0].Name()+string(b), c.Value) {
		t.Error("the directory holds a token that signs in")
	}
	if r := request(t, after, "GET", "/", "Accept", asBrowser, "Cookie", c.Name+"="+files[0].Name()); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("with the file's name: %s", r.Status)
	}
	// A damaged file is no session and no failure.
	if err := os.WriteFile(filepath.Join(dir, files[0].Name()), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := request(t, after, "GET", "/", "Accept", asBrowser, "Cookie", pair(c)); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("with a damaged file: %s", r.Status)
	}
}

func TestSignIn_SessionsEndAndAreSweptAway(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	kept := func(c *web.Config) { c.Sessions, c.Now = dir, func() time.Time { return now } }
	s := newServer(t, webtest.Acme(), guarded, kept)
	c := signIn(t, s)
	now = now.Add(31 * 24 * time.Hour)
	if r := request(t, s, "GET", "/", "Accept", asBrowser, "Cookie", pair(c)); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("a month later: %s", r.Status)
	}
	now = now.Add(-31 * 24 * time.Hour)
	signIn(t, s)
	now = now.Add(31 * 24 * time.Hour)
	newServer(t, webtest.Acme(), guarded, kept)
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

func TestSignOut(t *testing.T) {
	s := newServer(t, webtest.Acme(), guarded)
	c := signIn(t, s)
	if r := request(t, s, "POST", "/sign-out", "Cookie", pair(c), "Sec-Fetch-Site", "cross-site"); r.StatusCode != http.StatusForbidden {
		t.Errorf("from another site: %s", r.Status)
	}
	if r := request(t, s, "GET", "/", "Cookie", pair(c)); r.StatusCode != 200 {
		t.Errorf("still in: %s", r.Status)
	}
	request(t, s, "POST", "/sign-out", "Cookie", pair(c), "Sec-Fetch-Site", "same-origin")
	if r := request(t, s, "GET", "/", "Cookie", pair(c)); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("after signing out: %s", r.Status)
	}
}

func TestToken_IsComparedWhole(t *testing.T) {
	s := newServer(t, webtest.Acme(), guarded)
	for header, want := range map[string]int{
		"Bearer " + apiToken: 200, "bearer " + apiToken: 200, "Bearer " + apiToken + "x": 401, "Bearer " + apiToken[1:]: 401, "Bearer ": 401, "Bearer": 401, "Basic " + apiToken: 401, apiToken: 401, "": 401,
	} {
		if r := request(t, s, "GET", "/api/v1/status", "Authorization", header); r.StatusCode != want {
			t.Errorf("%q: %s, want %d", header, r.Status, want)
		}
	}
	none := newServer(t, webtest.Acme(), guarded, func(c *web.Config) { c.APIToken = "" })
	if r := request(t, none, "GET", "/api/v1/status", "Authorization", "Bearer "); r.StatusCode != 401 {
		t.Errorf("an empty token where none is configured: %s", r.Status)
	}
}

func TestHost_NamesThatCouldBeRebound(t *testing.T) {
	s := newServer(t, webtest.Acme(), guarded, func(c *web.Config) {
		c.BaseURL, c.Hosts = "https://Meridian.example:8443/m", []string{"other.example"}
		c.Webhooks = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) })
	})
	for host, ok := range map[string]bool{
		"meridian.example": true, "MERIDIAN.example:8443": true, "meridian.example.": true, "other.example": true, "localhost": true, "localhost:8080": true, "a.localhost": true,
		"127.0.0.1:8080": true, "[::1]:8080": true, "192.168.1.5": true, "10.0.0.1.evil.example": false,
		"evil.example": false, "meridian.example.evil.example": false, "localhost.evil.example": false, "": false, "meridian.example@evil.example": false,
	} {
		r := request(t, s, "GET", "/", "Host", host)
		if refused := r.StatusCode == http.StatusMisdirectedRequest; refused == ok {
			t.Errorf("Host %q: %s", host, r.Status)
		}
	}
	for target, want := range map[string]int{"/webhooks/github": 202, "/livez": 200, "/readyz": 200, "/api/v1/status": 421} {
		if r := request(t, s, "GET", target, "Host", "tunnel.example"); r.StatusCode != want {
			t.Errorf("%s under a name that is not ours: %s, want %d", target, r.Status, want)
		}
	}
	if r := request(t, s, "GET", "/api/v1/status", "Host", "meridian:8080", "Authorization", "Bearer "+apiToken); r.StatusCode != 200 {
		t.Errorf("a program with the token, under a service name: %s", r.Status)
	}
	if r := request(t, s, "POST", "/webhooks/github", "Sec-Fetch-Site", "cross-site"); r.StatusCode != 202 {
		t.Errorf("a webhook: %s", r.Status)
	}
}

func TestBasePath(t *testing.T) {
	s := newServer(t, webtest.Acme(), func(c *web.Config) { c.BaseURL = "http://127.0.0.1:8080/m/" })
	for _, target := range []string{"/m/", "/"} { // a proxy may take the path off
		text := page(t, s, target)
		contains(t, text, `href="/m/sources"`, `src="/m/static/vendor/`, `data-events="/m/events"`, `hx-get="/m/"`, `href="/m/teams/web/pr_pickup_time"`)
	}
	page(t, s, "/m/teams/web")
	if r := request(t, s, "GET", "/m"); r.Header.Get("Location") != "/m/" {
		t.Errorf("/m: %s %v", r.Status, r.Header)
	}
	if !strings.HasPrefix(s.SignInLink(), "http://127.0.0.1:8080/m/sign-in?token=") {
		t.Errorf("link %s", s.SignInLink())
	}
}

// Over the admin socket nobody signs in; everywhere else everybody does.
func TestSignIn_NotOverAWayThatOnlyTheOwnerHas(t *testing.T) {
	s := newServer(t, webtest.Acme(), guarded, func(c *web.Config) {
		c.Trusted = func(r *http.Request) bool { return r.Header.Get("X-Test-Socket") != "" }
	})
	for _, path := range []string{"/", "/api/v1/points", "/status"} {
		if r := request(t, s, "GET", path, "X-Test-Socket", "yes"); r.StatusCode != http.StatusOK {
			t.Errorf("%s over the socket: %s", path, r.Status)
		}
		if r := request(t, s, "GET", path); r.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s over the network: %s", path, r.Status)
		}
	}
}
