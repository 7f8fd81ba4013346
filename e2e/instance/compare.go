package instance

import (
	"net/url"
	"slices"
	"testing"
)

// Line is all of a point, for a comparison to the byte.
func Line(p Point) string { return p.Line }

// work are metrics about work, which nothing withholds.
var work = []string{"pr_pickup_time", "pr_review_time", "pr_time_to_merge", "pr_merged", "deploy_frequency", "issue_cycle_time"}

// Compare reads all rows of the instance, in pages, and wants them to be those of a replay, in what show says of them.
// Rows that keep does not want are passed over; nil keeps all. Values that are withheld from readers of pages, because
// they are about too few people, are not compared: who runs a replay has the archive before them.
func (in *Instance) Compare(t testing.TB, want map[string]Point, keep func(Point) bool, show func(Point) string) {
	t.Helper()
	got := map[string]Point{}
	withheld := 0
	for _, grain := range []string{"hour", "day", "day30"} {
		query := url.Values{"grain": {grain}, "service": {"*"}, "from": {earliest(want)}, "to": {latest(want)}}
		points, err := in.Points(query.Encode(), 19_999) // in as few pages as there may be, and several
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range points {
			if p.Missing == "below_min_people" {
				if p.Value != nil || p.N != 0 || slices.Contains(work, p.Metric) {
					t.Errorf("withheld, and tells: %s", p.Line)
				}
				if _, ok := want[p.Key()]; ok {
					withheld++
				}
				delete(want, p.Key())
				continue
			}
			if !p.Stored() || keep != nil && !keep(p) {
				continue
			}
			if _, twice := got[p.Key()]; twice {
				t.Fatalf("the API gives %s twice", p.Key())
			}
			got[p.Key()] = p
		}
	}
	t.Logf("%d rows compared, %d withheld", len(got), withheld)
	for _, line := range Diff(want, got, show) {
		t.Error(line)
	}
}

func earliest(points map[string]Point) string {
	first := ""
	for _, p := range points {
		if first == "" || p.Start < first {
			first = p.Start
		}
	}
	return first
}

func latest(points map[string]Point) string {
	last := ""
	for _, p := range points {
		last = max(last, p.End)
	}
	return last
}
