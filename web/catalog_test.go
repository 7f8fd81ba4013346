package web_test

import (
	"net/http"
	"strings"
	"testing"

	"meridian/streaming/timeline"
	"meridian/web"
	"meridian/web/webtest"
)

// book is a catalog in memory, with another one pending.
type book struct{ asked []string }

func (b *book) On(d timeline.Date) web.CatalogView {
	b.asked = append(b.asked, d.String())
	return web.CatalogView{Hash: "9f2c", Zone: "Europe/Berlin", Production: []string{"prod*", "live"},
		Teams:    []web.CatalogTeam{{Name: "acme/web", Group: "shop", Zone: "Asia/Tokyo", Hours: "09:00-18:00", Repositories: []string{"acme/web", "acme/<b>"}, Jira: []string{"web"}, People: []string{"Mai", "Jonas"}}},
		Services: []web.CatalogService{{Name: "checkout", Paths: []string{"services/checkout/**"}}}}
}

func (b *book) Changes(names bool) ([]string, bool, string) {
	if names {
		return []string{"team ops is new", "Lena is new, in ops"}, true, "catalog.yaml:3: there is no team"
	}
	return []string{"team ops is new"}, true, ""
}

func TestCatalogPage(t *testing.T) {
	b := &book{}
	owner := newServer(t, webtest.Acme(), guarded, func(c *web.Config) { c.Catalog = b })
	cookie := pair(signIn(t, owner))
	page := body(t, request(t, owner, "GET", "/catalog?at=2026-02-28", "Accept", asBrowser, "Cookie", cookie))
	contains(t, page, "Asia/Tokyo", "09:00-18:00", "acme/&lt;b&gt;", "WEB", "Mai, Jonas", "checkout", "services/checkout/**", "team ops is new", "Lena is new", "catalog.yaml:3", `href="/teams/acme%2Fweb"`, `value="2026-02-28"`)
	if r := request(t, owner, "GET", "/catalog?at=soon", "Cookie", cookie); r.StatusCode != http.StatusBadRequest {
		t.Errorf("at=soon: %s", r.Status)
	}
	// Whoever may only read sees how many work in a team, and no names.
	page = body(t, request(t, newServer(t, webtest.Acme(), func(c *web.Config) { c.Catalog = b }), "GET", "/catalog", "Accept", asBrowser))
	contains(t, page, "2 people", "team ops is new")
	if strings.Contains(page, "Mai") || strings.Contains(page, "Lena") {
		t.Error("names of people are shown to everybody")
	}
	if len(b.asked) != 2 || b.asked[0] != "2026-02-28" {
		t.Errorf("asked for %q", b.asked)
	}
}
