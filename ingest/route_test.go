package ingest

import (
	"fmt"
	"testing"

	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// step is one record of a partition of deliveries in a test: a tick when
// delivery is nil.
type step struct {
	delivery *LoggedDelivery
	tick     timeline.Millis
}

// drive does to a program what a shard with one upstream does: records wait for
// the next tick that raises the clock. between is called after each round.
func drive(r *Route, steps []step, emit func(Copy), between func(c streaming.Clock)) {
	clock := streaming.NoClock
	var pending []streaming.Record[Entry]
	for offset, s := range steps {
		if s.delivery != nil {
			pending = append(pending, streaming.Record[Entry]{
				Origin: streaming.Origin{Partition: r.config.Partition, Offset: int64(offset)},
				Value:  Entry{Delivery: s.delivery},
			})
			continue
		}
		round := streaming.RoundOf(s.tick)
		if round.Clock() <= clock {
			continue
		}
		for _, record := range pending {
			r.Apply(clock, record, emit)
		}
		pending = nil
		clock = round.Clock()
		r.Tick(clock, streaming.NewVersion(r.config.Generation, round), emit)
		if between != nil {
			between(clock)
		}
	}
}

func testRoute(t testing.TB, change func(*RouteConfig)) *Route {
	t.Helper()
	c := RouteConfig{
		Generation:      1,
		EventPartitions: 4,
		Horizon:         92 * timeline.Day,
		Bounds:          map[event.Source]timeline.Millis{event.GitHub: 5 * timeline.Minute, event.Jira: 15 * timeline.Minute, event.Deploy: 10 * timeline.Minute},
		FutureSkew:      10 * timeline.Minute,
		Catalog:         emptyCatalog(),
	}
	if change != nil {
		change(&c)
	}
	r, err := NewRoute(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func emptyCatalog() *catalog.Catalog {
	return catalog.Empty(catalog.Options{Key: make([]byte, 32)})
}

func instant(t testing.TB, s string) timeline.Millis {
	t.Helper()
	m, err := timeline.ParseInstant(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// fact is a delivery of one event about a deployment.
func fact(id byte, source event.Source, at, received timeline.Millis) *LoggedDelivery {
	return &LoggedDelivery{
		Outcome:  OutcomeAccepted,
		Delivery: Delivery{Received: received},
		Events: []event.Event{{
			ID: event.ID{id}, Source: source, Kind: event.DeploymentStatus, Time: at,
			Entity:     event.EntityID(fmt.Sprintf("deploy/ci/%d/web", id)),
			Scope:      event.Scope{Repository: "acme/web"},
			Deployment: &event.Deployment{State: event.DeploymentSuccess},
		}},
	}
}

func homes(copies *[]event.Routed) func(Copy) {
	return func(c Copy) {
		if !c.Message.IsTick && c.Message.Value.Copy == event.Home {
			*copies = append(*copies, c.Message.Value)
		}
	}
}

func TestVerdicts(t *testing.T) {
	day := func(s string) timeline.Millis { return instant(t, "2026-03-02T"+s+"Z") }
	const month = 30 * timeline.Day
	api := func(d *LoggedDelivery) *LoggedDelivery { d.Delivery.ViaAPI = true; return d }
	defective := func(d *LoggedDelivery) *LoggedDelivery { d.Events[0].Defect = "no author"; return d }

	tests := []struct {
		name    string
		horizon timeline.Millis
		steps   []step
		want    []string // of each event, in order
	}{
		{"case 20: behind the bound of 10 min", 0, []step{
			{tick: day("10:50:00")},
			{delivery: fact(1, event.Deploy, day("10:05:00"), day("10:50:30"))},
			{delivery: fact(2, event.Deploy, day("10:40:00"), day("10:50:30"))},     // t == C - B
			{delivery: fact(3, event.Deploy, day("10:40:00.001"), day("10:50:30"))}, // just inside
			{tick: day("10:51:00")},
		}, []string{"accepted late_accepted", "accepted late_accepted", "accepted"}},
		{"before the first tick nothing is late", 0, []step{
			{delivery: fact(1, event.GitHub, day("10:00:00")-400*timeline.Day, day("10:00:00"))},
			{tick: day("10:00:30")},
		}, []string{"accepted"}},
		// The cell of 10:07 ends at 10:15, so with H = 30 days the clock that
		// closes it is 30 days after 10:14:59.999; clocks lie on half seconds.
		{"a cell is open until its end and the horizon", month, []step{
			{tick: day("10:14:59.500") + month},
			{delivery: fact(1, event.GitHub, day("10:07:00"), day("10:14:59.500")+month)},
			{tick: day("10:15:00") + month},
			{delivery: fact(2, event.GitHub, day("10:14:59.999"), day("10:15:00")+month)},
			{delivery: fact(3, event.GitHub, day("10:15:00"), day("10:15:00")+month)},
			{tick: day("10:16:00") + month},
		}, []string{"accepted late_accepted", "late", "accepted late_accepted"}},
		{"the future is ten minutes beyond receipt or clock", 0, []step{
			{delivery: fact(1, event.GitHub, day("10:10:00"), day("10:00:00"))},
			{delivery: fact(2, event.GitHub, day("10:10:00.001"), day("10:00:00"))},
			{tick: day("12:00:00")},
			{delivery: fact(3, event.GitHub, day("12:10:00"), day("10:00:00"))},
			{delivery: fact(4, event.GitHub, day("12:10:00.001"), day("10:00:00"))},
			{tick: day("12:00:30")},
		}, []string{"accepted", "quarantined future", "accepted", "quarantined future"}},
		{"a copy within the hour is a duplicate, beyond it a conflict", 0, []step{
			{delivery: fact(1, event.GitHub, day("10:00:00"), day("10:00:00"))},
			{delivery: fact(1, event.GitHub, day("10:00:00"), day("10:00:01"))},
			{delivery: fact(1, event.GitHub, day("11:00:00"), day("11:00:00"))},
			{delivery: fact(1, event.GitHub, day("09:00:00"), day("11:00:00"))},
			{delivery: fact(1, event.GitHub, day("08:59:59.999"), day("11:00:00"))},
			{delivery: fact(1, event.GitHub, day("11:00:00.001"), day("11:00:00"))},
			{tick: day("11:00:30")},
		}, []string{"accepted", "duplicate", "duplicate", "duplicate", "quarantined id_time_conflict", "quarantined id_time_conflict"}},
		// 10:00 and its hour lie in the cell that ends at 11:15.
		{"an id is remembered an hour longer than its time is in reach", month, []step{
			{delivery: fact(1, event.GitHub, day("10:00:00"), day("10:00:00"))},
			{tick: day("11:14:59.500") + month},
			{delivery: fact(1, event.GitHub, day("11:00:00"), day("11:14:59.500")+month)},
			{delivery: fact(1, event.GitHub, day("12:00:00"), day("11:14:59.500")+month)},
			{tick: day("11:15:00") + month},
			{delivery: fact(1, event.GitHub, day("11:00:00"), day("11:15:00")+month)},
			{delivery: fact(1, event.GitHub, day("12:00:00"), day("11:15:00")+month)}, // another fact with a used id
			{delivery: fact(1, event.GitHub, day("12:30:00"), day("11:15:00")+month)},
			{tick: day("11:15:30") + month},
		}, []string{"accepted", "duplicate", "quarantined id_time_conflict", "late", "accepted late_accepted", "duplicate"}},
		{"an API read is backfilled inside the horizon and waits beyond it", month, []step{
			{tick: day("10:00:00")},
			{delivery: api(fact(1, event.GitHub, day("10:00:00")-month+timeline.Hour, day("10:00:01")))},
			{delivery: api(fact(2, event.GitHub, day("10:00:00")-month-timeline.Hour, day("10:00:02")))},
			{tick: day("10:00:30")},
		}, []string{"accepted backfilled", "late backfilled"}},
		{"what the decoder could not read is invalid and uses up no id", 0, []step{
			{delivery: defective(fact(1, event.GitHub, day("10:00:00"), day("10:00:00")))},
			{delivery: fact(1, event.GitHub, day("10:00:00"), day("10:00:00"))},
			{tick: day("10:00:30")},
		}, []string{"quarantined invalid", "accepted"}},
		{"a tick that does not raise the clock closes nothing", 0, []step{
			{tick: day("10:50:00")},
			{delivery: fact(1, event.Deploy, day("10:45:00"), day("10:50:10"))},
			{tick: day("10:50:00")},
			{tick: day("10:49:00")},
			{tick: day("10:59:00")},
			{delivery: fact(2, event.Deploy, day("10:45:00"), day("10:59:01"))},
			{tick: day("10:59:30")},
		}, []string{"accepted", "accepted late_accepted"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := testRoute(t, func(c *RouteConfig) {
				if test.horizon != 0 {
					c.Horizon = test.horizon
				}
			})
			var got []event.Routed
			drive(r, test.steps, homes(&got), nil)
			if len(got) != len(test.want) {
				t.Fatalf("%d home copies, want %d", len(got), len(test.want))
			}
			for i, want := range test.want {
				if s := verdictText(got[i]); s != want {
					t.Errorf("event %d: %q, want %q", i+1, s, want)
				}
			}
		})
	}
}

func verdictText(r event.Routed) string {
	s := r.Verdict.String()
	if r.Reason != "" {
		s += " " + r.Reason
	}
	if r.LateAccepted {
		s += " late_accepted"
	}
	if r.Healed {
		s += " healed"
	}
	if r.Backfilled {
		s += " backfilled"
	}
	return s
}

func TestHistory(t *testing.T) {
	at := func(s string) timeline.Millis { return instant(t, s) }
	end := at("2026-03-02T12:00:00Z")
	steps := []step{
		{tick: at("2026-03-02T10:00:00Z")},
		{delivery: fact(1, event.GitHub, at("2025-01-01T00:00:00Z"), at("2026-03-02T10:00:01Z"))},
		{delivery: fact(2, event.GitHub, at("2026-03-02T09:00:00Z"), at("2026-03-02T10:00:02Z"))},
		{delivery: fact(3, event.GitHub, at("2026-03-02T10:09:00Z"), at("2026-03-02T09:58:00Z"))}, // the clock would excuse it
		{tick: at("2026-03-02T11:00:00Z")},
		{delivery: fact(1, event.GitHub, at("2025-01-01T00:00:00Z"), at("2026-03-02T11:00:01Z"))},
		{tick: end - 500}, // this partition's last tick of the history
		// Behind the last tick of the history here, though the clock is below its end.
		{delivery: fact(4, event.GitHub, at("2025-01-01T00:00:00Z"), at("2026-03-02T12:00:01Z"))},
		{tick: end + 1000},
		{delivery: fact(1, event.GitHub, at("2025-01-01T00:00:00Z"), at("2026-03-02T12:00:02Z"))},
		{tick: end + 2000},
	}
	r := testRoute(t, func(c *RouteConfig) { c.HistoryEnd = streaming.RoundOf(end) })
	var got []event.Routed
	drive(r, steps, homes(&got), nil)
	want := []string{"accepted healed", "accepted late_accepted", "quarantined future", "duplicate", "late", "late"}
	for i := range want {
		if s := verdictText(got[i]); s != want[i] {
			t.Errorf("event %d: %q, want %q", i+1, s, want[i])
		}
	}
	if n := r.ids.times.size; n != 1 {
		t.Errorf("%d ids are remembered behind the history, want the one inside the horizon", n)
	}
}

func TestTicksGoToEveryPartition(t *testing.T) {
	r := testRoute(t, func(c *RouteConfig) { c.Partition = 3 })
	var got []Copy
	at := instant(t, "2026-03-02T10:00:00Z")
	drive(r, []step{{delivery: fact(1, event.Deploy, at, at)}, {tick: at}}, func(c Copy) { got = append(got, c) }, nil)
	ticks := got[len(got)-4:]
	for p, c := range ticks {
		if c.Partition != int32(p) || !c.Message.IsTick || c.Message.Tick != at || c.Message.Origin.Partition != 3 {
			t.Errorf("copy for partition %d is %+v", p, c)
		}
	}
	for i, c := range got[:len(got)-4] {
		if o := (streaming.Origin{Partition: 3, Offset: 0, Ordinal: int32(i)}); c.Message.Origin != o || c.Message.IsTick {
			t.Errorf("copy %d has origin %+v, want %+v", i, c.Message.Origin, o)
		}
	}
}

// The function is part of every generation's log: these values never change.
func TestTeamPartition(t *testing.T) {
	for team, want := range map[string]int32{"": 1, "web": 0, "acme/web": 1, "OPS": 3} {
		if got := TeamPartition(team, 4); got != want {
			t.Errorf("TeamPartition(%q, 4) = %d, want %d", team, got, want)
		}
		if got := TeamPartition(team, 1); got != 0 {
			t.Errorf("TeamPartition(%q, 1) = %d", team, got)
		}
	}
}

func TestRouteConfigReportsAllProblems(t *testing.T) {
	_, err := NewRoute(RouteConfig{Horizon: timeline.Minute, FutureSkew: -1, Bounds: map[event.Source]timeline.Millis{event.Jira: timeline.Day}})
	if err == nil {
		t.Fatal("no error")
	}
	want := "route: 0 partitions of events; there must be at least one\n" +
		"route: a horizon of 1m; it must be at least 1h\n" +
		"route: a bound of 1d for jira; it must lie between 0 and the horizon of 1m\n" +
		"route: the future skew is negative\n" +
		"route: there is no catalog; use catalog.Empty"
	if err.Error() != want {
		t.Errorf("got:\n%s\nwant:\n%s", err, want)
	}
}
