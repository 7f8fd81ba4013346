package web_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web"
	"meridian/web/webtest"
)

// byHand has 1 h, 3 h and (on Monday in Berlin) 4 h on 2 March, 2 h on 3 March:
// the medians are 3 h and 2 h.
func TestMetricPage_ComparesWindowByWindow(t *testing.T) {
	s := newServer(t, byHand(t))
	const here = "/teams/web/pr_pickup_time?from=2026-03-03&to=2026-03-03&compare="
	row := func(text string) string {
		rows := text[strings.Index(text, `id="rows"`):strings.Index(text, `id="evidence"`)]
		return regexp.MustCompile(`<[^>]*>`).ReplaceAllString(rows[strings.Index(rows, "<tbody>"):], " ")
	}
	contains(t, row(page(t, s, here+"previous")), "Tue 3 Mar", "2\u202fh", "3\u202fh")
	contains(t, row(page(t, s, "/teams/web/pr_pickup_time?from=2026-03-02&to=2026-03-02&compare=team:core")), "Mon 2 Mar", "3\u202fh", "10\u202fh")
	contains(t, page(t, s, here+"team:core"), `<option value="team:core" selected>core</option>`, "key other", "compare=team%3Acore")
	contains(t, page(t, s, here+"run:7"), "run 7")
	contains(t, page(t, s, "/teams/web/pr_pickup_time?run=7"), "These numbers are of run 7", "run=7")
	for query, want := range map[string]int{"team:nobody": 404, "run:x": 400, "run:0": 400, "yesterday": 400, "team:": 400} {
		if r := request(t, s, "GET", here+url.QueryEscape(query), "Accept", asBrowser); r.StatusCode != want {
			t.Errorf("compare=%s: %s, want %d", query, r.Status, want)
		}
	}
}

// A year is 52 weeks, so that Tuesday 3 March stands beside Tuesday 4 March of the year
// before; since: lays the range beside one that begins on that day.
func TestMetricPage_ComparesWithOtherTimes(t *testing.T) {
	o := byHand(t)
	for i := range o.Covered {
		o.Covered[i].From = at(t, "2025-01-01T00:00:00Z")
	}
	put := func(when string, hours int64) {
		row := o.Rows[0]
		row.At, row.Value, row.Entity = at(t, when), hours*3600*1000, event.EntityID(when)
		o.Rows = append(o.Rows, row)
	}
	put("2025-03-03T09:00:00Z", 7)
	put("2025-03-04T09:00:00Z", 5)
	put("2025-12-24T09:00:00Z", 9)
	s := newServer(t, o)
	row := func(text string) string {
		rows := text[strings.Index(text, `id="rows"`):strings.Index(text, `id="evidence"`)]
		return regexp.MustCompile(`<[^>]*>`).ReplaceAllString(rows[strings.Index(rows, "<tbody>"):], " ")
	}
	const here = "/teams/web/pr_pickup_time?from=2026-03-03&to=2026-03-03&compare="
	contains(t, row(page(t, s, here+"year")), "Tue 3 Mar", "2\u202fh", "5\u202fh")
	contains(t, page(t, s, here+"year"), `<option value="year" selected>`, "4 Mar 2025")
	contains(t, row(page(t, s, here+"since:2025-12-24")), "Tue 3 Mar", "2\u202fh", "9\u202fh")
	contains(t, page(t, s, here+"since:2025-12-24"), `<option value="since:2025-12-24" selected>`, "24 Dec 2025", `name="since" id="since" value="2025-12-24"`)
	for _, query := range []string{"since:", "since:2026-02-30", "since:soon", "since:1890-01-01", "since:2200-01-01"} {
		if r := request(t, s, "GET", here+query, "Accept", asBrowser); r.StatusCode != http.StatusBadRequest {
			t.Errorf("compare=%s: %s", query, r.Status)
		}
	}
}

func TestMetricPage_EvidenceIsOrderedSearchedAndPaged(t *testing.T) {
	o := byHand(t)
	o.Rows = nil
	const n = 120 // and hours are 1 to n, later ones longer
	for i := 1; i <= n; i++ {
		r := metrics.ObservationRow{Team: "web", Observation: metrics.Observation{
			Metric: "pr_pickup_time", At: at(t, "2026-03-02T00:00:00Z") + timeline.Millis(i)*timeline.Second, Value: int64(i) * 3600 * 1000, Outcome: metrics.Observed, Primary: true,
			Entity: event.EntityID(fmt.Sprint("e", i)), Label: fmt.Sprintf("acme/web#%d", i),
		}}
		if i%10 == 0 {
			r.Outcome, r.Reason = metrics.Ignored, metrics.Bot
		}
		o.Rows = append(o.Rows, r)
	}
	s := newServer(t, o)
	list := func(query string) (labels []string, more string) {
		text := page(t, s, "/teams/web/pr_pickup_time?"+query)
		text = text[strings.Index(text, `id="evidence"`):]
		for _, m := range regexp.MustCompile(`acme/web#(\d+)<?`).FindAllStringSubmatch(text, -1) {
			labels = append(labels, m[1])
		}
		if m := regexp.MustCompile(`href="[^"?]*\?([^"]*)" id="older"`).FindStringSubmatch(text); m != nil {
			more = strings.ReplaceAll(m[1], "&amp;", "&")
		}
		return labels, more
	}
	first, more := list("sort=longest")
	if len(first) != 50 || first[0] != "119" || first[1] != "118" || first[9] != "109" || more == "" {
		t.Fatalf("longest first: %v, more %q", first, more)
	}
	second, more := list(more)
	third, end := list(more)
	if len(second) != 50 || len(third) != 20 || end != "" {
		t.Errorf("pages of %d and %d, then %q", len(second), len(third), end)
	}
	if got := third[19]; got == "1" || third[7] != "1" { // those that do not count stand at the end
		t.Errorf("the last page is %v", third)
	}
	if got, _ := list("sort=oldest&show=left-out"); len(got) != 12 || got[0] != "10" {
		t.Errorf("left out: %v", got)
	}
	if got, _ := list("sort=shortest&find=WEB%2311"); len(got) != 11 || got[0] != "11" {
		t.Errorf("found: %v", got)
	}
	if got, _ := list("find=bot"); len(got) != 12 {
		t.Errorf("found by reason: %v", got)
	}
	if got, _ := list("find=nobody"); len(got) != 0 {
		t.Errorf("found nothing: %v", got)
	}
	for _, query := range []string{"sort=size", "show=some", "sort=longest&cursor=-1", "sort=longest&cursor=x"} {
		if r := request(t, s, "GET", "/teams/web/pr_pickup_time?"+query, "Accept", asBrowser); r.StatusCode != 400 {
			t.Errorf("%s: %s", query, r.Status)
		}
	}
}

// The distribution has every value once, in each grain.
func TestMetricPage_SpreadHasEveryValue(t *testing.T) {
	s := newServer(t, byHand(t))
	for _, grain := range []string{"hour", "day", "day30"} {
		text := page(t, s, "/teams/web/pr_pickup_time?grain="+grain+"&from=2026-03-01&to=2026-03-03")
		text = text[strings.Index(text, `id="spread"`):]
		text = regexp.MustCompile(`(<[^>]*>)+`).ReplaceAllString(text[:strings.Index(text, "</table>")], "|")
		contains(t, text, "4 in the range", "1\u202fh – 2\u202fh|1|25\u202f%", "2\u202fh – 4\u202fh|2|75\u202f%", "4\u202fh – 8\u202fh|1|100\u202f%")
	}
}

// A picture is well-formed, holds no script, and is what the guard lets through.
func TestPictures(t *testing.T) {
	o := webtest.Acme()
	s := newServer(t, o, func(c *web.Config) { c.Shared = true })
	for _, target := range []string{
		"/teams/web/pr_pickup_time/chart.svg?compare=previous", "/teams/web/pr_merged/chart.svg?grain=hour", "/teams/web/pr_pickup_time/badge.svg",
		"/teams/mobile/after_hours/badge.svg", "/teams/data/issue_cycle_time/badge.svg", "/teams/web/feed.atom",
	} {
		r := request(t, s, "GET", target)
		text := body(t, r)
		if kind := r.Header.Get("Content-Type"); strings.HasSuffix(strings.Split(target, "?")[0], ".svg") != (kind == "image/svg+xml") {
			t.Errorf("%s is %s", target, kind)
		}
		if r.StatusCode != http.StatusOK || r.Header.Get("ETag") == "" {
			t.Errorf("%s: %s, tag %q", target, r.Status, r.Header.Get("ETag"))
		}
		d := xml.NewDecoder(bytes.NewReader([]byte(text)))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Errorf("%s: %v", target, err)
				break
			}
		}
		if again := request(t, s, "GET", target, "If-None-Match", r.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s again: %s", target, again.Status)
		}
	}
	contains(t, body(t, request(t, s, "GET", "/teams/mobile/after_hours/badge.svg")), "no data", "Too few people")
	if r := request(t, s, "GET", "/teams/mobile/after_hours/chart.svg?grain=hour"); r.StatusCode != http.StatusForbidden {
		t.Errorf("hours of people: %s", r.Status)
	}
	contains(t, body(t, request(t, newServer(t, byHand(t)), "GET", "/teams/web/pr_pickup_time/badge.svg")), ">2\u202fh 30\u202fmin<")
}

// The week from 23 February to 1 March has no item by hand; that from 2 March is
// not over. An entry is there as soon as its week is, and keeps its id.
func TestFeed_HasWholeWeeks(t *testing.T) {
	o := byHand(t)
	s := newServer(t, o)
	feed := func() string { return body(t, request(t, s, "GET", "/teams/web/feed.atom")) }
	if text := feed(); strings.Contains(text, "3 h") || strings.Count(text, "<entry>") != 8 {
		t.Errorf("before its end the week is there already:\n%s", text)
	}
	o.Change(func() { o.AsOfAnswer.Clock = at(t, "2026-03-09T05:00:00Z") })
	text := feed()
	contains(t, text, "Pickup time: 2 h 30 min, n = 4", "feed.atom#2026-03-02", "Merged pull requests: 0")
	if !strings.Contains(text, "web, 2 Mar – 8 Mar") {
		t.Errorf("the week is not there:\n%s", text)
	}
	if r := request(t, s, "GET", "/teams/nobody/feed.atom"); r.StatusCode != http.StatusNotFound {
		t.Error(r.Status)
	}
}
