package metrics

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

func dayPoint(d *Definition, team string, date timeline.Date, obs ...Observation) *Point {
	w := timeline.UTC().Day(date)
	p := &Point{Team: team, Metric: d.Name, Definition: d, Grain: Day, Start: w.Start, End: w.End, Zone: "UTC", Status: Final, Aggregate: aggregateOf(d.Statistic, obs)}
	p.Missing = p.missing()
	return p
}

func of(minutes ...int64) (obs []Observation) {
	for _, m := range minutes {
		obs = append(obs, Observation{Value: m * 60_000, Outcome: Observed, Primary: true})
	}
	return obs
}

func TestMergeDays(t *testing.T) {
	d := &Definition{Name: "t_wait", Statistic: MedianDuration}
	monday := timeline.MakeDate(2026, 3, 2)
	week := Frame{Team: "web", Grain: Week, Window: timeline.Window{Start: timeline.UTC().Midnight(monday), End: timeline.UTC().Midnight(monday + 7)}, Zone: "UTC", Clock: timeline.UTC().Midnight(monday + 8)}
	// The median over the week's values, not of the days' medians (1, 1, 9).
	points := []*Point{dayPoint(d, "web", monday, of(1)...), dayPoint(d, "web", monday+1, of(1)...), dayPoint(d, "web", monday+4, of(1, 9, 9, 9, 9)...)}
	points[1].LateAccepted, points[2].LateAccepted = 1, 2
	p, err := Merge(d, week, points)
	if err != nil {
		t.Fatal(err)
	}
	if got := short(p); got != "web t_wait week 2026-03-02T00:00:00Z n=7 value=540 final" || p.LateAccepted != 3 || p.CoveredDays != -1 {
		t.Errorf("%s, %+v", got, p)
	}
	points[1].Status = Revised
	if p, _ := Merge(d, week, points); p.Status != Revised {
		t.Errorf("a revised day makes the week %s", p.Status)
	}
	week.Clock = timeline.UTC().Midnight(monday + 6)
	if p, _ := Merge(d, week, points); p.Status != Provisional {
		t.Errorf("before its end the week is %s", p.Status)
	}
	if p, err := Merge(d, week, nil); p != nil || err != nil {
		t.Errorf("nothing merges to %v, %v", p, err)
	}
	outside := dayPoint(d, "web", monday+7, of(1)...)
	other := dayPoint(&Definition{Name: "t_other", Statistic: Count}, "web", monday, of(1)...)
	thirty := dayPoint(d, "web", monday, of(1)...)
	thirty.Aggregate.Quantiles = thirty.Aggregate.quantiles()
	for _, p := range []*Point{outside, other, thirty, {Metric: d.Name, Start: week.Window.Start, End: week.Window.End}} {
		if _, err := Merge(d, week, []*Point{p}); !errors.Is(err, ErrNotMergeable) {
			t.Errorf("%s was merged: %v", short(&Point{Metric: p.Metric, Start: p.Start, Aggregate: new(Aggregate)}), err)
		}
	}
}

// A member of teams A (76 approvals) and B (151) with 5 shared: 222, not 227;
// and people of several teams count once.
func TestMergeTeams(t *testing.T) {
	acts := func(n int, primary bool, people ...byte) (obs []Observation) {
		for i := range n {
			o := Observation{Value: 1, Hit: true, Outcome: Observed, Primary: primary, Known: event.ZoneConfigured}
			o.Person[0] = people[i%len(people)]
			obs = append(obs, o)
		}
		return obs
	}
	monday := timeline.MakeDate(2026, 3, 2)
	org := Frame{Team: "org", Several: true, Grain: Day, Window: timeline.UTC().Day(monday), Zone: "UTC", Clock: timeline.UTC().Midnight(monday + 1)}
	count := &Definition{Name: "t_acts", Statistic: Count}
	people := &Definition{Name: "t_acts", Statistic: People}
	a := acts(76, true, 1, 2)
	b := slices.Concat(acts(146, true, 3), acts(5, false, 1))
	p, err := Merge(count, org, []*Point{dayPoint(count, "a", monday, a...), dayPoint(count, "b", monday, b...)})
	if err != nil || p.N() != 222 {
		t.Errorf("%v, %v", p, err)
	}
	p, err = Merge(people, org, []*Point{dayPoint(people, "a", monday, a...), dayPoint(people, "b", monday, b...)})
	if v, _ := p.Value(); err != nil || v != 3 || p.Aggregate.Zones() != (ZonesJSON{Configured: 3}) {
		t.Errorf("%v people, %v", v, err)
	}
	org.Several, org.Team = false, "b"
	if p, _ := Merge(count, org, []*Point{dayPoint(count, "b", monday, b...)}); p.N() != 151 {
		t.Errorf("team b alone has %d", p.N())
	}
}

// The engine's day30 rows are the merge of its day rows.
func TestDay30IsTheMergeOfDays(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		zone := rapid.SampledFrom(testZones).Draw(rt, "zone")
		c := testConfig(t, zone)
		c.Keep = true
		z := testZone(t, zone)
		g := newRig(t, c)
		for _, round := range drawLog(rt, drawStart(rt), 20*timeline.Day) {
			for _, r := range round.records {
				g.apply(r)
			}
			g.tickAt(round.clock)
		}
		var all []*Point
		for p := range g.engine.Final() {
			all = append(all, p)
		}
		for _, p := range all {
			if p.Grain != Day30 || p.Withdrawn {
				continue
			}
			var days []*Point
			for _, q := range all {
				if q.Grain == Day && q.Team == p.Team && q.Metric == p.Metric && q.Service == p.Service && q.Start >= p.Start && q.End <= p.End {
					days = append(days, q)
				}
			}
			if w := z.Days30(z.Date(p.End - 1)); w.Start != p.Start || w.End != p.End {
				rt.Fatalf("[%s, %s) are no 30 local days", p.Start, p.End)
			}
			m, err := Merge(p.Definition, Frame{Team: p.Team, Service: p.Service, Grain: Day30, Window: timeline.Window{Start: p.Start, End: p.End}, Zone: p.Zone, Clock: g.engine.Clock()}, days)
			if err != nil || m == nil {
				rt.Fatalf("merging: %v, %v", m, err)
			}
			m.Status, m.CoveredDays, m.LateAccepted, m.LateDropped, m.Duplicates, m.Quarantined = p.Status, p.CoveredDays, p.LateAccepted, p.LateDropped, p.Duplicates, p.Quarantined
			if got, want := string(m.AppendJSON(nil)), string(p.AppendJSON(nil)); got != want {
				rt.Fatalf("merged\n%s\nnot\n%s", got, want)
			}
		}
	})
}

func TestFill(t *testing.T) {
	z := timeline.UTC()
	monday := timeline.MakeDate(2026, 3, 2)
	days := Windows(z, Day, z.Midnight(monday), z.Midnight(monday+7))
	noon := func(d timeline.Date) timeline.Millis { return z.Midnight(d) + 12*timeline.Hour }
	gap := Coverage{From: noon(monday + 1), Gaps: []timeline.Window{{Start: noon(monday + 4), End: noon(monday+4) + 1}}}
	for _, c := range []struct {
		statistic Statistic
		coverage  Coverage
		want      string // of Monday to Saturday noon, when it is now
	}{
		{Count, Coverage{}, "no_source no_source no_source 2 no_source no_source"},
		{Count, gap, "before_coverage before_coverage 0 2 gap 0"},
		{Share, gap, "before_coverage nothing_observed nothing_observed 0 gap nothing_observed"},
	} {
		d := &Definition{Name: "t", Statistic: c.statistic}
		points := []*Point{dayPoint(d, "web", monday+3, of(1, 1)...)}
		filled := Fill(d, Frame{Team: "web", Grain: Day, Zone: "UTC", Clock: noon(monday + 5), Generation: 7}, days, points, c.coverage)
		if j := filled[0].JSON(); j.Generation != 7 || j.Version != "0" || !strings.Contains(string(filled[0].AppendJSON(nil)), `"generation":7,"version":"0"`) {
			t.Errorf("without a row: generation %d, version %s", j.Generation, j.Version)
		}
		var got []string
		for i, p := range filled {
			if p.Start != z.Midnight(monday+timeline.Date(i)) || p.Metric != "t" || p.Team != "web" {
				t.Errorf("point %d: %+v", i, p)
			}
			if v, ok := p.Value(); ok {
				got = append(got, v.String())
			} else {
				got = append(got, string(p.Missing))
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s, not %s", s, c.want)
		}
		thirty := Fill(d, Frame{Team: "web", Grain: Day30, Zone: "UTC", Clock: noon(monday + 5)}, Windows(z, Day30, z.Midnight(monday-26), z.Midnight(monday-25)), nil, c.coverage)
		if want := map[bool]int32{true: 3}[c.coverage.From != 0]; len(thirty) != 1 || thirty[0].CoveredDays != want {
			t.Errorf("the 30 days to Thursday: %+v", thirty)
		}
		if last := filled[len(filled)-1]; last.Status != Provisional || filled[0].Status != Final {
			t.Errorf("Monday is %s, Saturday %s", filled[0].Status, last.Status)
		}
	}
}

func TestCoverageOf(t *testing.T) {
	d := &Definition{Sources: []event.Source{event.GitHub, event.Deploy}}
	rows := []CoverageRow{{Source: event.Jira, From: 10}, {Source: event.Deploy, From: 30}, {Source: event.GitHub}}
	if c := CoverageOf(d, rows); c.From != 30 {
		t.Errorf("from %d", c.From)
	}
	issues := Find("issue_cycle_time")
	frame := Frame{Team: "web", Grain: Day, Zone: "UTC", Clock: 10 * timeline.Day}
	for _, c := range []struct {
		rows []CoverageRow
		want Reason
	}{
		{nil, NoSource},
		{[]CoverageRow{{Source: event.Deploy, From: 10}}, NoSource},
		{[]CoverageRow{{Source: event.GitHub, From: 10}}, NoSource}, // which sends no issues
		{[]CoverageRow{{Source: event.GitHub, From: 10}, {Source: event.Jira, From: 20}}, NothingObserved},
	} {
		filled := Fill(issues, frame, Windows(timeline.UTC(), Day, timeline.Day, 2*timeline.Day), nil, CoverageOf(issues, c.rows))
		if len(filled) != 1 || filled[0].Missing != c.want {
			t.Errorf("%v: %+v", c.rows, filled)
		}
	}
	// An incident of a deploy system, or an issue of GitHub with a label, shows
	// that such are sent: the day after it has none.
	for name, source := range map[Name]event.Source{"incidents": event.Deploy, "issues_done": event.GitHub} {
		d := Find(name)
		covered := CoverageOf(d, []CoverageRow{{Source: source, From: 10}})
		for _, c := range []struct {
			rows []*Point
			want Reason
		}{
			{nil, NoSource},
			{[]*Point{{Start: timeline.Day, End: 2 * timeline.Day}}, ""},
			{[]*Point{{Start: timeline.Day, End: 2 * timeline.Day, Missing: NoSource}}, NoSource}, // merged, of no row
		} {
			filled := Fill(d, frame, Windows(timeline.UTC(), Day, timeline.Day, 3*timeline.Day), c.rows, covered)
			if len(filled) != 2 || filled[1].Missing != c.want {
				t.Errorf("%s with %d rows: the day after is %+v", name, len(c.rows), filled)
			}
		}
	}
	z := timeline.UTC()
	c := Coverage{From: z.Midnight(20) + 5}
	if n := c.Days(z, 1, 30, z.Midnight(24)); n != 5 {
		t.Errorf("%d days", n)
	}
	if n := (Coverage{}).Days(z, 1, 30, z.Midnight(24)); n != 0 {
		t.Errorf("%d days of nothing", n)
	}
}
