package web_test

import (
	"regexp"
	"strings"
	"testing"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/webtest"
)

func TestGuide_KeepsASecretInSightUntilADeliveryCounts(t *testing.T) {
	o := webtest.Empty()
	s := newServer(t, o)
	src := &o.SourceList[0]
	shown := func(target string) bool { return strings.Contains(page(t, s, target), src.Secret) }
	contains(t, page(t, s, "/"), "secrets.json in the data directory")
	src.Last, src.Taken, src.LastType, src.Pings = webtest.Clock, webtest.Clock, "ping", 1
	if !shown("/") || !shown("/sources") {
		t.Error("a ping hides the secret, which is still to be copied")
	}
	contains(t, page(t, s, "/"), "It works: a signed ping came in at 3 Mar, 15:05 Europe/Berlin; now choose events.")
	contains(t, page(t, s, "/sources"), "connected, waiting for the first event")
	src.Ignored = 1
	if !shown("/sources") {
		t.Error("a delivery that no metric reads hides the secret")
	}

	for _, c := range []struct {
		name   string
		change func()
	}{
		{"accepted", func() { src.Accepted = 1 }},
		{"before a restart", func() {
			src.Accepted, src.Last, src.Pings, src.Ignored = 0, 0, 0, 0
			o.Covered = []metrics.CoverageRow{{Team: "web", Source: event.GitHub, From: webtest.Clock - timeline.Day, Last: webtest.Clock - timeline.Hour}}
		}},
	} {
		c.change()
		if shown("/") || shown("/sources") {
			t.Errorf("%s: the secret is on the page unasked", c.name)
		}
		m := regexp.MustCompile(`<summary>Show the secret</summary>.*?<a href="([^"]+)"`).FindStringSubmatch(page(t, s, "/sources"))
		if m == nil {
			t.Fatalf("%s: it cannot be asked for", c.name)
		}
		if target, _, _ := strings.Cut(m[1], "#"); !shown(target) {
			t.Errorf("%s: asked for, it is not shown", c.name)
		}
		src.Secret, o.SourceList[1].Secret = "ANOTHER-SECRET", ""
	}
	contains(t, page(t, s, "/sources"), "It stands in the configuration", "no delivery since this process started", "1 h ago", "before this process started")
	if text := page(t, s, "/sources?secret=guide-2"); strings.Contains(text, src.Secret) {
		t.Error("asked for one, another is shown")
	}
	if r := request(t, s, "GET", "/sources?x=1", "Accept", asBrowser); r.StatusCode != 400 {
		t.Errorf("an unknown parameter: %s", r.Status)
	}
}

// A badge follows what was signed right: what anybody can send changes it not.
func TestSources_StrangersBreakNothing(t *testing.T) {
	o := webtest.Empty()
	s := newServer(t, o)
	src := &o.SourceList[0]
	src.Accepted, src.Last, src.Taken = 5, webtest.Clock-timeline.Minute, webtest.Clock-timeline.Minute
	src.LastFailed, src.LastError, src.Refused = webtest.Clock, "deliveries are sent with POST", map[int]int64{405: 1, 401: 2}
	src.Unsigned = 2
	const hint = "without the right signature since"
	text := page(t, s, "/sources")
	contains(t, text, "deliveries come in", "Last request that was refused", "deliveries are sent with POST")
	if strings.Contains(text, `class="state failing"`) || strings.Contains(text, hint) || strings.Contains(text, "Last failure") {
		t.Error("a stranger makes a healthy source look broken")
	}
	src.Unsigned = 3
	text = page(t, s, "/sources")
	contains(t, text, "3 requests have come "+hint, "deliveries come in")
	if strings.Contains(text, `class="state failing"`) {
		t.Error("wrong signatures make a healthy source look broken")
	}
	src.Trouble, src.Why = webtest.Clock, "the body is not JSON"
	contains(t, page(t, s, "/sources"), `class="state failing"`, "the last delivery could not be taken", "Last failure", "the body is not JSON")
	src.Last = webtest.Clock
	contains(t, page(t, s, "/sources"), "the last delivery could not be read")
	src.Taken = webtest.Clock + 1
	contains(t, page(t, s, "/sources"), "deliveries come in")
	o.SourceList[1].Unsigned = 1 // somebody is connecting it
	contains(t, page(t, s, "/sources"), "1 request has come "+hint, "waiting for the first delivery")
}

func TestGuide_SamplesPrintTheAnswer(t *testing.T) {
	text := page(t, newServer(t, webtest.Empty()), "/")
	if n := strings.Count(text, "curl -sS -i "); n != 3 || strings.Count(text, "| sed &#39;2,/^[[:space:]]*$/d&#39;") != 3 {
		t.Errorf("%d samples", n)
	}
}

// Whoever runs the server can send each source a test, and sees of which time
// deliveries may be missing.
func TestSources_TestAndGaps(t *testing.T) {
	o := webtest.Acme()
	o.SourceList[0].Gaps = []timeline.Window{{Start: webtest.Clock - timeline.Hour, End: webtest.Clock - timeline.Minute}}
	s := newServer(t, o, guarded)
	cookie := pair(signIn(t, s))
	path := o.SourceList[0].Path
	contains(t, page(t, s, "/sources", "Cookie", cookie), `action="/sources/test"`, `name="path" value="`+path+`"`, "Deliveries may be missing between 3 Mar, 14:05 Europe/Berlin and 3 Mar, 15:04 Europe/Berlin.")
	if r := posted(t, s, "/sources/test", "path="+path, "Cookie", cookie, "Sec-Fetch-Site", "same-origin"); r.StatusCode != 303 {
		t.Errorf("tested: %s", r.Status)
	}
	contains(t, page(t, s, "/sources", "Cookie", cookie), path+": A test delivery was taken at "+path+".")
	if text := page(t, newServer(t, o), "/sources"); strings.Contains(text, "/sources/test") {
		t.Error("who may only look can test")
	}
	contains(t, body(t, request(t, newServer(t, o), "GET", "/api/v1/sources")), `"gaps":[{"from":"2026-03-03T13:05:00Z","to":"2026-03-03T14:04:00Z"}]`)
}
