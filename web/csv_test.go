package web_test

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"meridian/metrics"
	"meridian/web/webtest"
)

// The same list in both formats has the same rows, whichever way CSV is asked for.
func TestCSV_IsTheListInAnotherFormat(t *testing.T) {
	s := newServer(t, byHand(t))
	const query = "metric=pr_pickup_time&team=web&from=2026-03-01&to=2026-03-03"
	want := points(t, s, query).Points
	for _, way := range [][]string{{query, "text/csv"}, {query + "&format=csv", "*/*"}, {query, "text/html;q=0.9, text/csv;q=0.8, application/json;q=0.1"}} {
		r := request(t, s, "GET", "/api/v1/points?"+way[0], "Accept", way[1])
		rows, err := csv.NewReader(strings.NewReader(body(t, r))).ReadAll()
		if err != nil || len(rows) != len(want)+1 {
			t.Fatalf("%v: %d rows for %d points, %v", way, len(rows), len(want), err)
		}
		start, value := slices.Index(rows[0], "start"), slices.Index(rows[0], "value")
		for i, p := range want {
			if got := rows[i+1]; got[start] != p.Start || got[value] == "" != (p.Value == nil) {
				t.Errorf("%v: row %v for %v", way, got, p)
			}
		}
		if rows[2][value] != "10800" {
			t.Errorf("the median of 2 March is %s", rows[2][value])
		}
		if kind := r.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/csv") {
			t.Errorf("%v: %s", way, kind)
		}
		if got := r.Header.Get("Content-Disposition"); got != "attachment; filename=points-pr_pickup_time-web.csv" {
			t.Error(got)
		}
	}
	for accept, want := range map[string]string{
		"": "application/json", "*/*": "application/json", "application/json, text/csv": "application/json", "text/csv;q=0": "application/json", "text/html": "application/json", "nonsense;;": "application/json",
	} {
		if got := request(t, s, "GET", "/api/v1/points?"+query, "Accept", accept).Header.Get("Content-Type"); got != want {
			t.Errorf("Accept %q: %s", accept, got)
		}
	}
}

func TestCSV_PagesAndTagsAreItsOwn(t *testing.T) {
	s := newServer(t, webtest.Acme())
	address := "/api/v1/evidence?metric=pr_merged&team=web&limit=5"
	seen := map[string]bool{}
	for range 3 {
		r := request(t, s, "GET", address, "Accept", "text/csv")
		rows, err := csv.NewReader(strings.NewReader(body(t, r))).ReadAll()
		if err != nil || len(rows) != 6 {
			t.Fatalf("%s: %d rows, %v", address, len(rows), err)
		}
		for _, row := range rows[1:] {
			if key := strings.Join(row, "|"); seen[key] {
				t.Errorf("twice: %s", key)
			} else {
				seen[key] = true
			}
		}
		next, ok := strings.CutPrefix(r.Header.Get("Link"), "<")
		next, ok2 := strings.CutSuffix(next, `>; rel="next"`)
		if !ok || !ok2 {
			t.Fatalf("Link: %q", r.Header.Get("Link"))
		}
		address = "/api/v1/evidence" + next
	}
	asJSON, asCSV := request(t, s, "GET", "/api/v1/points?team=web").Header.Get("ETag"), request(t, s, "GET", "/api/v1/points?team=web&format=csv").Header.Get("ETag")
	if asJSON == asCSV {
		t.Errorf("both formats have the tag %s", asCSV)
	}
	if r := request(t, s, "GET", "/api/v1/points?team=web&format=csv", "If-None-Match", asCSV); r.StatusCode != http.StatusNotModified {
		t.Error(r.Status)
	}
	if r := request(t, s, "GET", "/api/v1/points?format=xml"); r.StatusCode != http.StatusBadRequest {
		t.Error(r.Status)
	}
}

// A title is somebody else's text, and a spreadsheet runs what looks like a formula.
func TestCSV_NoCellIsAFormula(t *testing.T) {
	o := byHand(t)
	evil := []string{`=HYPERLINK("https://evil.example","click")`, "+1", "-1+1", "@SUM(A1)", "\tx", `say "hello", world`}
	o.Rows = o.Rows[:0]
	for i, label := range evil {
		o.Rows = append(o.Rows, metrics.ObservationRow{Team: "web", Observation: metrics.Observation{
			Metric: "pr_merged", At: at(t, "2026-03-02T09:30:00Z"), Value: 1, Outcome: metrics.Observed, Primary: true, Entity: "e", Item: string(rune('a' + i)), Label: label,
		}})
	}
	text := body(t, request(t, newServer(t, o), "GET", "/api/v1/evidence?metric=pr_merged&team=web", "Accept", "text/csv"))
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != len(evil)+1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows[1:] {
		for _, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				t.Errorf("a cell is %q", cell)
			}
		}
	}
	if label := slices.Index(rows[0], "label"); rows[6][label] != evil[5] && rows[1][label] != evil[5] {
		t.Errorf("quotes and commas are not kept: %q", rows)
	}
}

// What an address is there for is said to who asks with another method.
func TestMethods_AreSaid(t *testing.T) {
	s := newServer(t, webtest.Acme())
	for _, c := range []struct{ method, target, allow string }{
		{"POST", "/api/v1/points", "GET, HEAD"}, {"DELETE", "/", "GET, HEAD"}, {"PUT", "/teams/" + url.PathEscape("acme/web"), "GET, HEAD"},
		{"OPTIONS", "/api/v1/metrics", "GET, HEAD"}, {"GET", "/sign-out", "POST"}, {"GET", "/quarantine/x/drop", "POST"}, {"TRACE", "/api/v1/status", "GET, HEAD"},
	} {
		r := request(t, s, c.method, c.target)
		if r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Allow") != c.allow || r.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s: %s, Allow %q, %s", c.method, c.target, r.Status, r.Header.Get("Allow"), r.Header.Get("Content-Type"))
		}
	}
	if r := request(t, s, "POST", "/nowhere"); r.StatusCode != http.StatusNotFound {
		t.Error(r.Status)
	}
}
