package web_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web"
	"meridian/web/webtest"
)

// foreign finds what a page must not have: elements and attributes that run, and
// addresses of other schemes. Every text of the pages comes from somewhere else.
func foreign(text string) (found []string) {
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() != io.EOF {
				found = append(found, z.Err().Error())
			}
			return found
		case html.StartTagToken, html.SelfClosingTagToken:
			tag := z.Token()
			var src string
			for _, a := range tag.Attr {
				if a.Key == "src" {
					src = a.Val
				}
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc" {
					found = append(found, tag.String())
				}
				if a.Key == "href" || a.Key == "src" || a.Key == "action" || a.Key == "formaction" || a.Key == "hx-get" {
					if u, err := url.Parse(strings.TrimSpace(a.Val)); err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
						found = append(found, tag.String())
					}
				}
			}
			if tag.Data == "script" && !strings.HasPrefix(src, "/static/") || tag.Data == "img" || tag.Data == "iframe" || tag.Data == "object" || tag.Data == "embed" || tag.Data == "base" {
				found = append(found, tag.String())
			}
		}
	}
}

// hostileCatalog has names that break out in every field.
type hostileCatalog struct{}

func (hostileCatalog) On(d timeline.Date) web.CatalogView {
	v := web.CatalogView{Hash: hostile[0], Zone: hostile[1], Production: hostile}
	for _, bad := range hostile {
		v.Teams = append(v.Teams, web.CatalogTeam{Name: bad, Group: bad, Zone: bad, Hours: bad, Holidays: bad, Repositories: hostile, Jira: hostile, Services: hostile, People: hostile})
		v.People = append(v.People, web.CatalogPerson{Name: bad, Teams: hostile, Accounts: hostile, Zone: bad, ZoneFrom: web.ZoneFrom{Team: bad}})
		v.Services = append(v.Services, web.CatalogService{Name: bad, Repositories: hostile, Paths: hostile, Deploys: hostile})
	}
	return v
}

func (hostileCatalog) Changes(bool) ([]string, bool, string) { return hostile, true, hostile[0] }

func hostileOrganisation(t *testing.T) *webtest.Organisation {
	o := byHand(t)
	o.Rows, o.List = nil, nil
	for i, bad := range hostile {
		o.List = append(o.List, web.Team{Name: bad, Group: bad, Zone: webtest.Zone("UTC")})
		for _, d := range metrics.Definitions() {
			o.Rows = append(o.Rows, metrics.ObservationRow{Team: bad, Observation: metrics.Observation{
				Metric: d.Name, At: at(t, "2026-03-02T09:30:00Z"), Start: at(t, "2026-03-02T08:30:00Z"), Value: 3600_000, Outcome: metrics.Observed, Primary: true,
				Entity: event.EntityID(bad), Label: bad, URL: []string{bad, "javascript:alert(1)", "https://x.example/\"onclick=alert(1)"}[i%3], Service: bad, Basis: bad, Item: bad,
			}})
		}
		o.RejectRows = append(o.RejectRows, metrics.RejectRow{Verdict: event.Quarantined, Reason: bad, Detail: bad, Team: bad, Entity: event.EntityID(bad), Received: webtest.Clock, Time: webtest.Clock})
	}
	for i := range o.SourceList {
		s := &o.SourceList[i]
		s.Name, s.Path, s.LastType, s.LastError, s.Why, s.Secret = hostile[i], "/webhooks/"+hostile[i], hostile[0], hostile[1], hostile[2], hostile[0]
		s.Unread, s.Ignored, s.Undecoded, s.Trouble, s.LastFailed = map[string]int64{hostile[0]: 3}, 3, 3, webtest.Clock, webtest.Clock
	}
	for i := range o.Parts {
		o.Parts[i].Detail, o.Parts[i].OK = hostile[i], false
	}
	o.EngineState.Catalog, o.EngineState.Logic, o.EngineState.Shards, o.EngineState.Importing = hostile[0], hostile[1], hostile, hostile[0]
	return o
}

func TestPages_NothingFromOutsideRuns(t *testing.T) {
	s := newServer(t, hostileOrganisation(t), func(c *web.Config) { c.Catalog, c.Bounds = hostileCatalog{}, webtest.Bounds })
	targets := []string{"/", "/dora", "/waiting", "/sources", "/quality", "/catalog", "/status"}
	for _, bad := range hostile {
		team := "/teams/" + url.PathEscape(bad)
		targets = append(targets, team, team+"?grain=day", team+"/pr_pickup_time?sort=longest&find="+url.QueryEscape(bad), team+"/pr_pickup_time?service="+url.QueryEscape(bad), team+"/pr_waiting",
			team+"/pr_merged?compare="+url.QueryEscape("team:"+hostile[0]), team+"/pr_merged/chart.svg", team+"/pr_merged/badge.svg", team+"/nope", "/dora?team="+url.QueryEscape(bad), "/waiting?team="+url.QueryEscape(bad), "/nowhere/"+url.PathEscape(bad))
	}
	for _, target := range targets {
		r := request(t, s, "GET", target, "Accept", asBrowser)
		text := body(t, r)
		if r.StatusCode >= 500 {
			t.Errorf("%s: %s", target, r.Status)
		}
		for _, f := range foreign(text) {
			t.Errorf("%s: %s", target, f)
		}
	}
	if len(foreign(`<p onclick="x"><a href="javascript:alert(1)"><script>1</script><img src=x>`)) != 4 {
		t.Error("the test would find nothing")
	}
}

// Whatever an address says, a page answers, and with what it was asked for or why not.
func FuzzQuery(f *testing.F) {
	for _, q := range []string{"", "grain=hour&range=7d", "from=2026-03-01&to=2026-03-02&compare=previous", "compare=team:core&sort=longest&show=counted&find=a", "run=3&cursor=eyJ4IjoxfQ", "from=2026-03-02T11:00:00Z", "grain=day30&range=365d", "limit=1&format=csv&scope=org", "%zz", "a=%00", "team=web&team=core", "at=2026-02-30", "range=7d&cursor=!!", "sort=longest&cursor=999999999999"} {
		f.Add(q)
	}
	o := byHand(f)
	s := newServer(f, o, func(c *web.Config) { c.Catalog = hostileCatalog{} })
	f.Fuzz(func(t *testing.T, query string) {
		for _, path := range []string{"/", "/teams/web", "/teams/web/pr_pickup_time", "/teams/web/pr_waiting", "/teams/web/pr_merged/chart.svg", "/teams/web/pr_merged/badge.svg", "/teams/web/feed.atom", "/dora", "/waiting", "/quality", "/catalog", "/api/v1/points", "/api/v1/evidence", "/api/v1/quality", "/api/v1/rejects"} {
			r, err := http.NewRequest(http.MethodGet, "http://127.0.0.1:8080"+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.URL.RawQuery = query
			r.RequestURI = path
			r.Header.Set("Accept", asBrowser)
			w := newRecorder()
			s.Handler().ServeHTTP(w, r)
			if w.Code >= 500 || w.Code == 0 {
				t.Errorf("%s?%s: %d %s", path, query, w.Code, w.Body)
			}
			if strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
				if found := foreign(w.Body.String()); found != nil {
					t.Errorf("%s?%s: %s", path, query, fmt.Sprint(found))
				}
			}
		}
	})
}
