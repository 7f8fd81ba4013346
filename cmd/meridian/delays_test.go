package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// A quantile is never below the true one, and at most 1/32 above it; the order in
// which delays come, and how sketches are merged, changes nothing.
func TestDelaySketch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bound := timeline.Millis(rapid.Int64Range(0, 1_000_000).Draw(t, "bound"))
		values := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) int64 {
			return rapid.Int64Range(-5, 1<<rapid.IntRange(1, 40).Draw(t, "bits")).Draw(t, "delay")
		}), 1, 200).Draw(t, "delays")
		var one, left, right delaySketch
		late := int64(0)
		for i, v := range values {
			one.add(timeline.Millis(v), bound)
			if i%2 == 0 {
				left.add(timeline.Millis(v), bound)
			} else {
				right.add(timeline.Millis(v), bound)
			}
			if timeline.Millis(v) > bound {
				late++
			}
		}
		right.merge(&left)
		slices.Sort(values)
		for _, q := range []float64{0.001, 0.5, 0.9, 0.99, 1} {
			want := max(0, values[int(math.Ceil(q*float64(len(values))))-1])
			got := int64(one.quantile(q))
			if got < want || got > want+want/32 {
				t.Fatalf("quantile %v of %v is %d, want %d", q, values, got, want)
			}
			if merged := right.quantile(q); merged != timeline.Millis(got) {
				t.Fatalf("merged: %d, at once: %d", merged, got)
			}
		}
		if one.late != late || right.late != late || one.n != int64(len(values)) || int64(one.max) != max(0, values[len(values)-1]) {
			t.Fatalf("%+v of %v", one, values)
		}
	})
	if n := int(delayBucket(math.MaxInt64)); n > 60<<delayBits {
		t.Errorf("there may be %d buckets", n)
	}
}

func TestDelaysAreMeasuredAgainstTheirBounds(t *testing.T) {
	d := newDelays(map[event.Source]timeline.Millis{event.GitHub: 5 * timeline.Minute}, 0.01)
	const day0 = 20_000 * timeline.Day
	take := func(received timeline.Millis, delay timeline.Millis, api bool) {
		d.take(2, &ingest.LoggedDelivery{Delivery: ingest.Delivery{Received: received, ViaAPI: api}, Events: []event.Event{
			{Source: event.GitHub, Kind: event.PullRequestOpened, Time: received - delay},
			{Source: event.GitHub, Kind: event.PullRequestOpened, Time: received - delay, Defect: "unreadable"},
		}})
	}
	take(day0-timeline.Day, 9*timeline.Hour, false) // eight days before the last: forgotten
	for i := range timeline.Millis(2_000) {
		delay := 2 * timeline.Second
		if i%50 == 0 { // 2 %
			delay = 20 * timeline.Minute
		}
		take(day0+i, delay, false)
		take(day0+i, 30*timeline.Day, true)
	}
	if d.alert() == "" {
		t.Error("2 % are late, the budget is 1 %, and nobody is told")
	}
	take(day0+6*timeline.Day, 2*timeline.Second, false)
	all := d.measured()
	if len(all) != 1 || all[0].n != 2_001 || all[0].late != 40 || all[0].partition != 2 || all[0].max != 20*timeline.Minute {
		t.Fatalf("%+v", all)
	}
	b := d.sources()[0]
	if one, tenth := boundFor(&b, 0.03), boundFor(&b, 0.01); one != 3*timeline.Second || tenth != 20*timeline.Minute {
		t.Errorf("a bound for 3 %% is %s, for 1 %% %s; want 3s (rounded up) and 20m", timeline.FormatLength(one), timeline.FormatLength(tenth))
	}
	if alert := d.alert(); !strings.Contains(alert, "a bound of 20m") {
		t.Errorf("alert %q", alert)
	}
	if d.budget = 0.05; d.alert() != "" {
		t.Errorf("within the budget: %q", d.alert())
	}
}

func TestLagOfARunningServer(t *testing.T) {
	in := newInstanceTest(t)
	s := in.start(t, "one", "")
	s.deploy(t, "run-1", "checkout")
	s.deploys(t, "checkout", 1)
	var l lagAnswer
	await(t, s.ended, func() error {
		l = lagAnswer{}
		out, err := command(t, "lag", "--json", "--data-dir", s.dir)
		if err == nil {
			err = json.Unmarshal([]byte(out), &l)
		}
		if err == nil && (len(l.Delays) == 0 || len(l.Shards) < 18) {
			err = fmt.Errorf("%d delays, %d shards", len(l.Delays), len(l.Shards))
		}
		return err
	})
	if len(l.Shards) != 18 || l.Generation != 1 || l.Clock == "" || len(l.Delays) != 1 || l.Delays[0].Kind != "deployment_status" || l.Delays[0].Events != 1 {
		t.Errorf("%+v", l)
	}
	text, err := command(t, "lag", "--data-dir", s.dir)
	if err != nil || !strings.Contains(text, "engine-1/0") || !strings.Contains(text, "deployment_status") {
		t.Errorf("%v\n%s", err, text)
	}
	engine, err := (&app{}).askAdmin(t.Context(), in.config(s), "GET", "/debug/engine")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"readers see it", "remembers 1 ids", "1 teams", "windows", "next due", "route of partition", "event time behind"} {
		if !strings.Contains(engine, want) {
			t.Errorf("/debug/engine does not say %q:\n%s", want, engine)
		}
	}
	prom, err := (&app{}).askAdmin(t.Context(), in.config(s), "GET", "/metrics")
	if err != nil || !strings.Contains(prom, `meridian_event_delay_seconds{kind="deployment_status"`) || !strings.Contains(prom, `meridian_late_share{source="deploy"} 0`) {
		t.Errorf("/metrics: %v", err)
	}
	if want := `meridian_engine_counted_total{generation="1",partition="0",stage="engine",what="changes too old to revise"} 0`; !strings.Contains(prom, want) {
		t.Errorf("/metrics does not say %s:\n%s", want, prom)
	}
}
