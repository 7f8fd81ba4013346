package web_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"meridian/web"
	"meridian/web/webtest"
)

// Everything on a page that names an address.
var addresses = regexp.MustCompile(`\b(?:href|src|action|formaction|hx-get|hx-post|data-events|data-chart-src|data-href|content)="([^"]*)"`)

// The whole site lies under a path, as behind a proxy that leaves it on: each page
// that can be reached is opened, and each of its addresses is one of the site's
// own or of somewhere else, never of the root.
func TestBasePath_NothingLeadsOutOfIt(t *testing.T) {
	const base = "/metrics/here"
	s := newServer(t, webtest.Acme(), guarded, withTokens(t), func(c *web.Config) {
		c.BaseURL = "https://meridian.example" + base + "/"
		c.Audit = nothingRecorded{}
	})
	as := []string{"Host", "meridian.example", "Accept", asBrowser, "Cookie", signInAt(t, s, "meridian.example")}
	queue, seen := []string{base + "/", base + "/tokens", base + "/audit"}, map[string]bool{}
	kinds := map[string]int{} // pages by the pattern of their path: a hundred items look alike
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if seen[at] {
			continue
		}
		seen[at] = true
		path, _, _ := strings.Cut(at, "?")
		kind := regexp.MustCompile(`/teams/[^/]+`).ReplaceAllString(path, "/teams/*")
		if kinds[kind]++; kinds[kind] > 3 {
			continue
		}
		r := request(t, s, "GET", at, as...)
		text := body(t, r)
		switch {
		case r.StatusCode == http.StatusNotFound && slices.ContainsFunc([]string{"/catalog", "/replays"}, func(p string) bool { return path == base+p }):
			continue // this organisation has none
		case r.StatusCode >= 300 && r.StatusCode < 400:
			text = `href="` + html.EscapeString(r.Header.Get("Location")) + `"`
		case r.StatusCode != http.StatusOK:
			t.Errorf("%s: %s", at, r.Status)
			continue
		}
		if kind := r.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/html") && !strings.Contains(kind, "xml") && r.StatusCode == 200 {
			continue
		}
		for _, m := range addresses.FindAllStringSubmatch(text, -1) {
			address := html.UnescapeString(m[1])
			if strings.HasPrefix(m[0], "content=") {
				_, after, ok := strings.Cut(address, "url=")
				if !ok {
					continue
				}
				address = after
			}
			u, err := url.Parse(address)
			if err != nil {
				t.Errorf("%s names %q", at, address)
				continue
			}
			switch {
			case address == "", strings.HasPrefix(address, "#"), u.Scheme == "mailto", u.Scheme == "data":
			case u.Host == "meridian.example" || u.Host == "" && strings.HasPrefix(address, "/"):
				if u.Path != base && !strings.HasPrefix(u.Path, base+"/") {
					t.Errorf("%s leads out of the base: %s", at, m[0])
					continue
				}
				if !strings.HasPrefix(m[0], "action=") && !strings.HasPrefix(m[0], "data-events") && !strings.HasPrefix(m[0], "formaction=") {
					u.Scheme, u.Host, u.Fragment = "", "", ""
					queue = append(queue, u.String())
				}
			case u.Host == "":
				ref, err := url.Parse(at)
				if err != nil {
					t.Fatal(err)
				}
				to := ref.ResolveReference(u)
				if !strings.HasPrefix(to.Path, base+"/") && to.Path != base {
					t.Errorf("%s leads out of the base: %s", at, m[0])
				}
			}
		}
	}
	if len(seen) < 40 || kinds[base+"/teams/*"] < 3 {
		t.Errorf("only %d pages were found: %v", len(seen), kinds)
	}
	// Redirects and the place where a provider sends people back to, too.
	for method, target := range map[string]string{"POST": base + "/sign-out", "GET": base} {
		r := request(t, s, method, target, append(as, "Sec-Fetch-Site", "same-origin")...)
		if to := r.Header.Get("Location"); !strings.HasPrefix(to, base+"/") {
			t.Errorf("%s %s leads to %q", method, target, to)
		}
	}
}

// signInAt follows a new link under a name and returns the cookie.
func signInAt(t *testing.T, s *web.Server, host string) string {
	t.Helper()
	u, err := url.Parse(s.SignInLink())
	if err != nil {
		t.Fatal(err)
	}
	r := request(t, s, "GET", u.RequestURI(), "Accept", asBrowser, "Host", host)
	if len(r.Cookies()) != 1 || !strings.HasPrefix(r.Cookies()[0].Name, "__Host-") {
		t.Fatalf("%s: cookies %v", r.Status, r.Cookies())
	}
	return pair(r.Cookies()[0])
}

// nothingRecorded is an audit log without entries.
type nothingRecorded struct{}

func (nothingRecorded) Record(web.AuditEntry) error { return nil }

func (nothingRecorded) Recent(int, string) ([]web.AuditEntry, string, error) { return nil, "", nil }
