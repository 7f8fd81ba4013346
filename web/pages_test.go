package web_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web"
	"meridian/web/webtest"
)

func TestOverview_ShowsTheHandWorkedNumbers(t *testing.T) {
	text := page(t, newServer(t, byHand(t)), "/")
	// 1, 2, 3, 4 h of web: 2 h 30 min. With core's 10 h: 3 h.
	contains(t, text, `title="9000 s"`, "2\u202fh 30\u202fmin", `title="10800 s"`, "n = 4, covers 5 of 30 days",
		"This time begins before the first delivery that Meridian received for this team", "Too few people were active", "2 Feb – 3 Mar", "Europe/Berlin", "America/New_York")
}

func TestOverview_TeachesAnEmptyInstance(t *testing.T) {
	o := webtest.Empty()
	text := page(t, newServer(t, o), "/")
	contains(t, text, "Connect your first source", o.SourceList[0].Secret, "http://127.0.0.1:8080/webhooks/github", "openssl dgst -sha256 -hmac", "X-Hub-Signature-256", "nothing yet")
}

func TestSources_NeverShowSecretsInTheAPI(t *testing.T) {
	o := webtest.Empty()
	if text := body(t, request(t, newServer(t, o), "GET", "/api/v1/sources")); strings.Contains(text, o.SourceList[0].Secret) {
		t.Error("it does")
	}
}

// Where webhooks have an address of their own, senders are given that one.
func TestSources_GiveTheAddressOfWebhooks(t *testing.T) {
	o := webtest.Empty()
	path := o.SourceList[0].Path
	for url, change := range map[string]func(*web.Config){
		"http://127.0.0.1:8080" + path:   func(*web.Config) {},
		"https://hooks.example/x" + path: func(c *web.Config) { c.WebhookURL = "https://hooks.example/x/" },
	} {
		s := newServer(t, o, change)
		for _, at := range []string{"/sources", "/"} {
			contains(t, page(t, s, at), url)
		}
	}
}

func TestPages_SayHowFarTheyAre(t *testing.T) {
	for _, state := range webtest.States() {
		s := newServer(t, state.Organisation, func(c *web.Config) {
			c.Now = func() time.Time { return webtest.Clock.Time().Add(state.Behind) }
		})
		switch state.Name {
		case "acme":
			contains(t, page(t, s, "/"), "up to date", "3 Mar, 15:05 Europe/Berlin", "9f2c6b1de03a")
		case "behind":
			contains(t, page(t, s, "/"), "The engine is 47\u202fmin behind")
		case "importing":
			contains(t, page(t, s, "/"), "Importing: 41 of 90 days")
		case "beginning":
			text := page(t, s, "/")
			contains(t, text, "<h1>Importing: 41 of 90 days</h1>", `max="90" value="41"`, "every 2s")
			if strings.Contains(text, "Connect") {
				t.Error("it asks to connect a source while a history comes in")
			}
			state.Organisation.EngineState.Importing, state.Organisation.EngineState.Generation, state.Organisation.EngineState.History = "", 1, true
			contains(t, page(t, s, "/"), "all is in, its numbers are being computed", "every 2s")
			state.Organisation.EngineState.History = false // a new instance, whose first turn is still to come
			contains(t, page(t, s, "/"), "Connect your first source")
		case "doubt":
			text := page(t, s, "/")
			contains(t, text, "The clock stands still", "more than a day after the last tick (3 Mar, 15:05 Europe/Berlin)", "<code>meridian clock trust</code>", "stands still</span>")
			if strings.Contains(text, "behind:") {
				t.Error("it says that the engine is catching up")
			}
			state.Organisation.Parts[len(state.Organisation.Parts)-1].Detail = "the last tick could not be appended: no space"
			contains(t, page(t, s, "/"), "could not be appended: no space. If this machine", "<code>meridian clock trust</code>")
		case "broken":
			r := request(t, s, "GET", "/", "Accept", asBrowser)
			text := body(t, r)
			if r.StatusCode != 503 || r.Header.Get("Retry-After") == "" || strings.Contains(text, "connection refused") {
				t.Errorf("%s: %s", r.Status, text)
			}
			contains(t, text, r.Header.Get("X-Request-Id"))
			contains(t, page(t, s, "/status"), "Something needs attention", "does not answer: start it")
			if r := request(t, s, "GET", "/readyz"); r.StatusCode != 503 || !strings.Contains(body(t, r), "clickhouse: does not answer") {
				t.Errorf("readyz: %s", r.Status)
			}
		}
	}
	newer := webtest.Acme()
	newer.EngineState.Generation = 2
	contains(t, page(t, newServer(t, newer), "/"), "Generation 2 is being computed")
}

func TestMetricPage(t *testing.T) {
	s := newServer(t, byHand(t))
	text := page(t, s, "/teams/web/pr_pickup_time?range=14d")
	contains(t, text, "Pickup time", "How long does a change wait for a reviewer?", "local time of Europe/Berlin",
		"Mon 2 Mar", `title="10800 s"`, "Sun 1 Mar", "Nothing of this kind happened", "ignored: bot", "acme/web#1",
		`href="https://github.example/acme/web/pull/1"`, "By a bot.", "Keep in mind", "/api/v1/points?from=")
	contains(t, page(t, s, "/teams/web/pr_pickup_time?grain=hour&from=2026-03-02&to=2026-03-02"), "Mon 2 Mar, 10:00–11:00", "Mon 2 Mar, 11:00–12:00")
	contains(t, page(t, s, "/teams/web/pr_pickup_time?grain=day30"), "30 days to 3 Mar", `title="9000 s"`)
	for query, want := range map[string]string{
		"grain=minute": "grain=&#34;minute&#34;", "range=3y": "range=&#34;3y&#34;", "x=1": "no parameter", "from=2026-03-03&to=2026-03-01": "must be before",
		"grain=hour&from=2020-01-01": "more than 400 windows", "cursor=!!": "not made by this server",
	} {
		r := request(t, s, "GET", "/teams/web/pr_pickup_time?"+query, "Accept", asBrowser)
		if text := body(t, r); r.StatusCode != 400 || !strings.Contains(text, want) {
			t.Errorf("%s: %s without %q", query, r.Status, want)
		}
	}
}

// The call of the API that a page names gives the page's own points.
func TestMetricPage_NamesItsCall(t *testing.T) {
	s := newServer(t, webtest.Acme())
	for _, query := range []string{"", "?grain=hour", "?grain=day30", "?range=14d&grain=day"} {
		text := page(t, s, "/teams/web/pr_merged"+query)
		m := regexp.MustCompile(`href="/api/v1/points\?([^"]+)" id="api-call"`).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("%s: no call", query)
		}
		n := len(points(t, s, strings.ReplaceAll(m[1], "&amp;", "&")).Points)
		if rows := strings.Count(text[strings.Index(text, `id="rows"`):strings.Index(text, `id="evidence"`)], "<tr>") - 1; rows != n || n == 0 {
			t.Errorf("%s: %d rows, %d points", query, rows, n)
		}
	}
}

func TestMetricPage_EvidenceInPages(t *testing.T) {
	s := newServer(t, webtest.Acme())
	target, seen := "/teams/web/pr_merged?range=90d", 0
	for range 20 {
		text := page(t, s, target)
		seen += strings.Count(text, `rel="noopener noreferrer"`)
		m := regexp.MustCompile(`href="([^"]+)" id="older"`).FindStringSubmatch(text)
		if m == nil {
			break
		}
		target = strings.ReplaceAll(m[1], "&amp;", "&")
	}
	var want int
	a := points(t, s, "metric=pr_merged&team=web&grain=range&from=2025-12-04&to=2026-03-03")
	want = int(a.Points[0].N + a.Points[0].Excluded["bot"])
	if seen != want || want < 200 {
		t.Errorf("%d items in all pages, want %d", seen, want)
	}
}

func TestPages_HostileNamesStayText(t *testing.T) {
	for _, name := range hostile {
		o := byHand(t)
		o.List[0].Name, o.List[0].Group = name, name
		for i := range o.Rows {
			r := &o.Rows[i]
			r.Label, r.URL, r.Basis = name, name, name
			r.Metric, r.Service = "deploy_frequency", name
			if r.Team == "web" {
				r.Team = name
			}
		}
		o.SourceList[0].Name, o.SourceList[0].LastError, o.SourceList[0].LastType, o.SourceList[0].LastFailed = name, name, name, webtest.Clock
		o.RejectRows = []metrics.RejectRow{{Team: name, Reason: name, Detail: name, Entity: "x"}}
		o.Parts[0].Detail, o.EngineState.Importing = name, name
		s := newServer(t, o)
		team := "/teams/" + url.PathEscape(name)
		targets := []string{"/", "/sources", "/quality", "/status", team, team + "/deploy_frequency", team + "/deploy_frequency?service=" + url.QueryEscape(name), "/teams/" + url.PathEscape(name+"x")}
		for _, target := range targets {
			r := request(t, s, "GET", target, "Accept", asBrowser)
			text := body(t, r)
			if want := target == targets[len(targets)-1]; (r.StatusCode == 404) != want {
				t.Errorf("%q %s: %s", name, target, r.Status)
			}
			for _, bad := range []string{"<script>alert", "<img src=x", "' onmouseover='", `href="javascript:`, "href=\"/teams/../"} {
				if strings.Contains(text, bad) {
					t.Errorf("%q %s: holds %q", name, target, bad)
				}
			}
		}
		a := points(t, s, "metric=deploy_frequency&grain=day&from=2026-03-02&to=2026-03-02&service=*&team="+url.QueryEscape(name))
		if len(a.Points) != 2 || a.Points[1].Team != name || a.Points[1].Service != name {
			t.Errorf("%q: %v", name, lines(a.Points))
		}
	}
}

func TestPages_ATeamsNameIsOneSegment(t *testing.T) {
	o := byHand(t)
	for i := range o.Rows {
		if o.Rows[i].Team == "web" {
			o.Rows[i].Team = "acme/web"
		}
	}
	o.List = o.List[1:]
	s := newServer(t, o)
	text := page(t, s, "/")
	contains(t, text, `href="/teams/acme%2Fweb"`, `href="/teams/acme%2Fweb/pr_pickup_time"`)
	contains(t, page(t, s, "/teams/acme%2Fweb"), "<h1>acme/web</h1>")
	contains(t, page(t, s, "/teams/acme%2Fweb/pr_pickup_time"), `href="/teams/acme%2Fweb/pr_pickup_time?grain=hour"`)
	if r := request(t, s, "GET", "/teams/acme/web", "Accept", asBrowser); r.StatusCode != 404 {
		t.Errorf("unescaped: %s", r.Status)
	}
}

func TestPages_WorkWithoutScripts(t *testing.T) {
	s := newServer(t, webtest.Acme())
	web.MissingForTest(s)
	text := page(t, s, "/teams/web/pr_pickup_time")
	if strings.Contains(text, "vendor/") {
		t.Error("a file that is missing is linked")
	}
	contains(t, text, `<svg class="plot"`, `class="band"`)
}

// What a browser must fetch to show a page (docs/performance.md).
func TestPages_KeepTheirBudget(t *testing.T) {
	if _, err := os.Stat("static/vendor/htmx.min.js"); err != nil {
		t.Skip("run make assets first")
	}
	s := newServer(t, webtest.Acme())
	size := func(target string) int {
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
		_, _ = z.Write([]byte(body(t, request(t, s, "GET", target))))
		_ = z.Close()
		return b.Len()
	}
	var report strings.Builder
	for _, target := range []string{"/", "/teams/web", "/teams/web/pr_pickup_time", "/teams/web/pr_pickup_time?grain=hour&range=14d", "/sources", "/quality"} {
		text := page(t, s, target)
		total, scripts := size(target), 0
		for _, m := range regexp.MustCompile(`(?:src|href)="(/static/[^"]+)"`).FindAllStringSubmatch(text, -1) {
			n := size(m[1])
			total += n
			if strings.Contains(m[1], ".js") {
				scripts += n
			}
		}
		fmt.Fprintf(&report, "%s: %d bytes, of these scripts %d\n", target, total, scripts)
		if total > 150<<10 || scripts > 40<<10 {
			t.Errorf("%s: %d bytes, of these scripts %d", target, total, scripts)
		}
		if other := regexp.MustCompile(`(?:src|action)="(https?:)?//`).FindString(text); other != "" {
			t.Errorf("%s loads from elsewhere: %s", target, other)
		}
	}
	t.Log("\n" + report.String())
}

func TestStatic_IsKeptForEver(t *testing.T) {
	s := newServer(t, webtest.Acme())
	m := regexp.MustCompile(`href="(/static/style\.css\?v=[^"]+)"`).FindStringSubmatch(page(t, s, "/"))
	if m == nil {
		t.Fatal("no style sheet")
	}
	r := request(t, s, "GET", m[1])
	if !strings.Contains(r.Header.Get("Cache-Control"), "immutable") || r.Header.Get("Content-Type") != "text/css; charset=utf-8" {
		t.Errorf("%v", r.Header)
	}
	if r := request(t, s, "GET", "/static/style.css?v=old"); strings.Contains(r.Header.Get("Cache-Control"), "immutable") {
		t.Error("an old address is kept for ever")
	}
	if r := request(t, s, "GET", m[1], "If-None-Match", r.Header.Get("ETag")); r.StatusCode != http.StatusNotModified {
		t.Errorf("%s", r.Status)
	}
}

func FuzzQueries(f *testing.F) {
	for _, q := range []string{"metric=pr_merged&team=web", "grain=day30&scope=org&from=2026-02-01", "cursor=e30&limit=1", "from=2026-03-02T00:00:00Z&to=2026-03-03&grain=week", "service=*&run=3", "grain=range&scope=group:shop", "%zz", "range=14d&grain=hour"} {
		f.Add(q)
	}
	s := newServer(f, byHand(f))
	f.Fuzz(func(t *testing.T, q string) {
		for _, path := range []string{"/api/v1/points", "/api/v1/evidence", "/api/v1/quality", "/api/v1/rejects", "/teams/web/pr_pickup_time", "/quality", "/sign-in"} {
			r, err := http.NewRequest("GET", "http://127.0.0.1"+path, nil)
			if err != nil {
				t.Skip()
			}
			r.URL.RawQuery = q
			w := newRecorder()
			s.Handler().ServeHTTP(w, r)
			if w.Code >= 500 {
				t.Errorf("%s?%s: %d\n%s", path, q, w.Code, w.Body)
			}
		}
	})
}

func TestOverview_IsWorkedOutOnceAClockAndTheOrganisationOnceAMinute(t *testing.T) {
	o := byHand(t)
	var counted atomic.Int64
	o.Reads = func(metrics.Query) { counted.Add(1) }
	s := newServer(t, o)
	page(t, s, "/")
	first := counted.Load()
	page(t, s, "/")
	if reads := counted.Load(); reads != first || first == 0 {
		t.Errorf("%d reads, then %d", first, reads)
	}
	o.AsOfAnswer.Clock += 500
	page(t, s, "/")
	tick := counted.Load() - first // the teams; the organisation once a minute
	if tick == 0 || tick >= first {
		t.Errorf("after a tick %d more reads, of %d at first", tick, first)
	}
	o.AsOfAnswer.Clock += timeline.Minute
	page(t, s, "/")
	for began := time.Now(); counted.Load()-first-tick <= tick; time.Sleep(time.Millisecond) { // it is worked out behind the page
		if time.Since(began) > time.Minute {
			t.Fatalf("after a minute %d more reads, after a tick %d", counted.Load()-first-tick, tick)
		}
	}
}

// A page is written for its reader: the words are the same, the numbers as they write them.
func TestPages_WriteNumbersForTheReader(t *testing.T) {
	s := newServer(t, webtest.Acme())
	text := page(t, s, "/", "Accept-Language", "de-DE")
	contains(t, text, "4,1 a day", `title="4.`)
	contains(t, page(t, s, "/sources", "Accept-Language", "de"), ">48.210<", `value="48210"`)
	contains(t, page(t, s, "/teams/web/pr_pickup_time", "Accept-Language", "en-US"), "Tue Mar 3", "Feb 2 – Mar 3", "3:05\u202fPM")
	if r := request(t, s, "GET", "/", "Accept", asBrowser); !strings.Contains(strings.Join(r.Header.Values("Vary"), ","), "Accept-Language") {
		t.Error("a cache would give one reader's page to another")
	}
}
