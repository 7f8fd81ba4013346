package metrics

import (
	"errors"
	"testing"

	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

func TestEngineQuality(t *testing.T) {
	g := newRig(t, testConfig(t, "UTC"))
	verdict := func(v event.Verdict, reason string) func(*event.Routed) {
		return func(r *event.Routed) { r.Verdict, r.Reason, r.Event.Defect = v, reason, "what is wrong" }
	}
	late := func(r *event.Routed) { r.LateAccepted = true }
	g.send("web", "pr/1", event.PullRequestOpened, "2026-03-02T09:00:00Z")
	g.send("web", "pr/1", event.PullRequestOpened, "2026-03-02T09:00:00Z", verdict(event.Duplicate, ""))
	g.send("web", "pr/2", event.PullRequestOpened, "2026-03-02T09:01:00Z", late)
	g.send("web", "pr/3", event.PullRequestOpened, "2026-03-02T09:02:00Z", verdict(event.Late, ""))
	g.send("web", "pr/4", event.PullRequestOpened, "2026-03-02T09:16:00Z", verdict(event.Quarantined, event.ReasonInvalid))
	g.send("web", "pr/5", event.PullRequestOpened, "2026-03-02T09:17:00Z", func(r *event.Routed) { r.Copy = event.Reference })
	g.tick("2026-03-02T09:20:00Z")
	var quality []QualityRow
	var rejects []RejectRow
	var coverage []CoverageRow
	for _, row := range g.rows {
		switch r := row.(type) {
		case *QualityRow:
			quality = append(quality, *r)
		case *RejectRow:
			rejects = append(rejects, *r)
		case *CoverageRow:
			coverage = append(coverage, *r)
		case *Point:
			if r.Metric == "t_opened" && r.Grain == Hour && (r.N() != 3 || r.LateAccepted != 1 || r.LateDropped != 1 || r.Duplicates != 1) {
				t.Errorf("beside the point: %+v", r)
			}
		}
	}
	version := streaming.NewVersion(1, streaming.RoundOf(g.engine.Clock()))
	cell := timeline.CellOf(instant(t, "2026-03-02T09:00:00Z"))
	want := []QualityRow{
		{Version: version, Team: "web", Source: event.GitHub, Kind: event.PullRequestOpened, Cell: cell, Decoded: 4, Accepted: 2, LateAccepted: 1, Late: 1, Duplicates: 1},
		{Version: version, Team: "web", Source: event.GitHub, Kind: event.PullRequestOpened, Cell: cell + 1, Decoded: 1, Quarantined: 1},
	}
	if len(quality) != 2 || quality[0] != want[0] || quality[1] != want[1] {
		t.Errorf("quality %+v", quality)
	}
	for _, q := range quality {
		if q.Decoded != q.Accepted+q.Late+q.Duplicates+q.Quarantined {
			t.Errorf("does not add up: %+v", q)
		}
	}
	if len(rejects) != 2 || rejects[0].Verdict != event.Late || rejects[1].Reason != event.ReasonInvalid || rejects[1].Detail != "what is wrong" ||
		rejects[0].Origin.Offset != 4 || rejects[0].Version != version {
		t.Errorf("rejects %+v", rejects)
	}
	if len(coverage) != 1 || coverage[0].From != instant(t, "2026-03-02T09:00:00Z") || coverage[0].Last != instant(t, "2026-03-02T09:17:00Z") {
		t.Errorf("coverage %+v", coverage)
	}

	// Counts alone print no point, and the row is the whole count.
	g.send("web", "pr/1", event.PullRequestOpened, "2026-03-02T09:00:00Z", verdict(event.Duplicate, ""))
	same(t, "another duplicate", g.tick("2026-03-02T09:21:00Z"))
	if len(g.rows) != 1 {
		t.Fatalf("%d rows", len(g.rows))
	}
	if q, ok := g.rows[0].(*QualityRow); !ok || q.Duplicates != 2 || q.Decoded != 5 {
		t.Errorf("%+v", g.rows[0])
	}
	for p := range g.engine.Final() {
		if p.Metric == "t_opened" && p.Duplicates != 2 {
			t.Errorf("as of now: %+v", p)
		}
	}
}

// Counts of cells that may have been forgotten have no row, only rejects: a row
// is the whole count. And what an API read brought is not dropped for being late.
func TestEngineLateBeyondAll(t *testing.T) {
	g := newRig(t, testConfig(t, "UTC"))
	late := func(r *event.Routed) { r.Verdict = event.Late }
	g.send("web", "pr/1", event.PullRequestOpened, "2025-11-01T00:00:00Z", late)
	g.send("web", "pr/1", event.PullRequestOpened, "2026-03-02T09:00:00Z")
	g.send("web", "pr/2", event.PullRequestOpened, "2026-03-02T09:00:00Z", late, func(r *event.Routed) { r.Backfilled = true })
	g.tick("2026-03-07T00:00:00Z") // 126 days
	var quality []*QualityRow
	rejects := 0
	for _, row := range g.rows {
		switch r := row.(type) {
		case *QualityRow:
			quality = append(quality, r)
		case *RejectRow:
			rejects++
		case *Point:
			if r.LateDropped != 0 {
				t.Errorf("%s: dropped %d", short(r), r.LateDropped)
			}
		}
	}
	if len(quality) != 1 || quality[0].Late != 1 || quality[0].Backfilled != 1 || rejects != 2 {
		t.Errorf("%d rejects, quality %+v", rejects, quality)
	}
}

// Receipts of several partitions come in any order: the earliest begins coverage.
func TestCoverageBeginsWithTheEarliestReceipt(t *testing.T) {
	var c coverage
	c.receive(event.GitHub, 20)
	c.receive(event.GitHub, 10)
	c.receive(event.GitHub, 15)
	if v := c[event.GitHub]; v.from != 10 || v.last != 20 {
		t.Errorf("from %d to %d", v.from, v.last)
	}
}

func TestEngineCoveredDays(t *testing.T) {
	c := testConfig(t, "UTC")
	c.Definitions = ofMetric("t_opened")
	g := newRig(t, c)
	days := func() (days int32) {
		for _, row := range g.rows {
			if p, ok := row.(*Point); ok && p.Grain == Day30 {
				days = p.CoveredDays
			}
		}
		return days
	}
	g.send("web", "pr/1", event.PullRequestOpened, "2026-02-20T09:00:00Z", func(r *event.Routed) { r.Received = instant(t, "2026-03-02T09:00:00Z") })
	g.tick("2026-03-02T09:00:10Z")
	if n := days(); n != 1 {
		t.Errorf("on the first day %d are covered", n)
	}
	g.tick("2026-03-06T00:00:00Z")
	if n := days(); n != 5 {
		t.Errorf("on the fifth day %d are covered", n)
	}
}

// A team's zone that changes on a date: every cell stays in one hour and one
// day, and no window overlaps the next.
func TestEngineZoneOfATeamChanges(t *testing.T) {
	for _, zones := range [][2]string{{"Europe/Berlin", "Asia/Ho_Chi_Minh"}, {"Asia/Ho_Chi_Minh", "Europe/Berlin"}, {"UTC", "Asia/Kathmandu"}} {
		data := "teams:\n  - name: web\n    zone: [{value: " + zones[0] + ", to: 2026-03-04}, {value: " + zones[1] + ", from: 2026-03-05}]\n"
		c, err := catalog.Parse("catalog.yaml", []byte(data), catalog.Options{Zone: timeline.UTC()})
		if err != nil {
			t.Fatal(err)
		}
		cal := newCalendar(c, "web")
		if a, b := cal.zone(instant(t, "2026-03-01T12:00:00Z")).Name(), cal.zone(instant(t, "2026-03-08T12:00:00Z")).Name(); a != zones[0] || b != zones[1] {
			t.Fatalf("zones %s and %s", a, b)
		}
		var hour, day timeline.Window
		var date timeline.Date
		for at := instant(t, "2026-03-01T00:00:00Z"); at < instant(t, "2026-03-10T00:00:00Z"); at += timeline.CellLength {
			h, d := cal.hour(at), cal.date(at)
			w := cal.day(d)
			if !h.Contains(at) || !w.Contains(at) {
				t.Fatalf("%v: %s is in hour %s and day %s", zones, at, h, w)
			}
			if h != hour && hour != (timeline.Window{}) && h.Start != hour.End || w != day && day != (timeline.Window{}) && (w.Start != day.End || d <= date) {
				t.Fatalf("%v: after %s and %s come %s and %s", zones, hour, day, h, w)
			}
			hour, day, date = h, w, d
		}
	}
}

func TestWindows(t *testing.T) {
	z := testZone(t, "Europe/Berlin")
	from, to := z.Midnight(timeline.MakeDate(2026, 3, 29)), z.Midnight(timeline.MakeDate(2026, 3, 31))
	count := map[Grain]int{}
	for _, g := range []Grain{Hour, Day, Day30} {
		last := from
		for w := range Windows(z, g, from, to) {
			if count[g]++; g != Day30 {
				if w.Start != last {
					t.Errorf("%s: a hole before %s", g, w)
				}
				last = w.End
			}
		}
	}
	if count[Hour] != 23+24 || count[Day] != 2 || count[Day30] != 2 {
		t.Errorf("%v", count)
	}
}

func TestEngineRefusesForeignState(t *testing.T) {
	c := testConfig(t, "UTC")
	g := newRig(t, c)
	g.send("web", "pr/1", event.PullRequestOpened, "2026-03-02T09:00:00Z")
	g.tick("2026-03-02T09:20:00Z")
	saved := sections(g.engine)
	load := func(c Config, get func(string) ([]byte, error)) error {
		e, err := NewEngine(c)
		if err != nil {
			t.Fatal(err)
		}
		return e.Load(get)
	}
	for name := range saved {
		if err := load(c, func(s string) ([]byte, error) {
			if s == name {
				return nil, nil
			}
			return saved[s], nil
		}); !errors.Is(err, ErrState) {
			t.Errorf("without %s: %v", name, err)
		}
		if err := load(c, func(s string) ([]byte, error) {
			if s == name {
				return saved[s][:len(saved[s])-1], nil
			}
			return saved[s], nil
		}); !errors.Is(err, ErrState) {
			t.Errorf("with %s cut short: %v", name, err)
		}
	}
	other := c
	other.Definitions = c.Definitions[1:]
	if err := load(other, func(s string) ([]byte, error) { return saved[s], nil }); !errors.Is(err, ErrState) {
		t.Errorf("other metrics: %v", err)
	}
}

func TestConfigReportsAllProblems(t *testing.T) {
	d := testDefinitions()[0]
	c := Config{Definitions: []*Definition{d, d, {Name: "t_lost", Subject: 99}}, Folds: testKinds(), Bounds: map[event.Source]timeline.Millis{event.Jira: -1}}
	_, err := NewEngine(c)
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) || len(joined.Unwrap()) != 5 {
		t.Errorf("%v", err)
	}
}
