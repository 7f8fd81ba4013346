package ingest

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// genLog draws a log around a short horizon, so that every border is met often.
// Copies of an id agree within an hour unless wild.
func genLog(t *rapid.T, horizon timeline.Millis, wild bool) []step {
	base := instant0
	times := make([]timeline.Millis, 12)
	for i := range times {
		times[i] = base + timeline.Millis(rapid.IntRange(-40, 200).Draw(t, "quarter"))*(15*timeline.Minute) + timeline.Millis(rapid.SampledFrom([]int{0, 1, 500, 899_999}).Draw(t, "ms"))
	}
	clock := base
	var steps []step
	for range rapid.IntRange(1, 120).Draw(t, "steps") {
		if rapid.IntRange(0, 3).Draw(t, "tick?") == 0 {
			clock += timeline.Millis(rapid.SampledFrom([]int{0, 1, 500, 60_000, 900_000, 3_600_000, 7_200_000, int(horizon)}).Draw(t, "tick"))
			steps = append(steps, step{tick: clock})
			continue
		}
		d := &LoggedDelivery{Outcome: OutcomeAccepted, Delivery: Delivery{
			Received: clock + timeline.Millis(rapid.IntRange(-5000, 5000).Draw(t, "received")),
			ViaAPI:   rapid.IntRange(0, 5).Draw(t, "api") == 0,
		}}
		for range rapid.IntRange(0, 3).Draw(t, "events") {
			i := rapid.IntRange(0, len(times)-1).Draw(t, "id")
			e := event.Event{
				ID: event.ID{byte(i)}, Source: event.Sources[i%3], Kind: event.IssueUpdated,
				Entity: event.EntityID(fmt.Sprintf("jira/acme/issue/%d", i%5)),
				Time:   times[i], Scope: event.Scope{Project: "OPS", Repository: "acme/web"}, Issue: &event.Issue{},
			}
			if wild {
				e.Time += timeline.Millis(rapid.SampledFrom([]int{0, 0, 1, 3_600_000, 3_600_001, -3_600_000, -3_600_001, 9_000_000}).Draw(t, "apart"))
			}
			if rapid.IntRange(0, 15).Draw(t, "defect") == 0 {
				e.Defect = "broken"
			}
			d.Events = append(d.Events, e)
		}
		steps = append(steps, step{delivery: d})
	}
	return append(steps, step{tick: clock + 1000})
}

const instant0 timeline.Millis = 1_772_445_600_000 // 2026-03-02T10:00:00Z

func genConfig(t *rapid.T) RouteConfig {
	return RouteConfig{
		Generation: 1, EventPartitions: 3,
		Horizon:    timeline.Millis(rapid.SampledFrom([]int{1, 2, 5, 30}).Draw(t, "horizon")) * timeline.Hour,
		Bounds:     map[event.Source]timeline.Millis{event.GitHub: 5 * timeline.Minute, event.Jira: 15 * timeline.Minute},
		FutureSkew: 10 * timeline.Minute,
		HistoryEnd: streaming.RoundOf(instant0 + timeline.Millis(rapid.SampledFrom([]int{0, 0, 1, 10}).Draw(t, "history"))*timeline.Hour),
		Catalog:    emptyCatalog(),
	}
}

// An oracle in the plainest words: every accepted fact ever, looked through again
// for each event.
func oracle(c RouteConfig, steps []step) (verdicts []string) {
	type accepted struct {
		id event.ID
		t  timeline.Millis
	}
	var all []accepted
	clock := streaming.NoClock
	var pending []*LoggedDelivery
	for _, s := range steps {
		if s.delivery != nil {
			pending = append(pending, s.delivery)
			continue
		}
		next := streaming.RoundOf(s.tick).Clock()
		if next <= clock {
			continue
		}
		history := streaming.RoundOf(s.tick) <= c.HistoryEnd
		late := func(t timeline.Millis) bool {
			return clock != streaming.NoClock && t-t%(15*timeline.Minute)+15*timeline.Minute-1+c.Horizon <= clock
		}
		for _, d := range pending {
			for _, e := range d.Events {
				known := d.Delivery.Received
				if !history {
					known = max(known, clock)
				}
				v := ""
				switch {
				case e.Defect != "":
					v = "quarantined invalid"
				case e.Time > known+c.FutureSkew:
					v = "quarantined future"
				case late(e.Time) && !history:
					v = "late"
					if d.Delivery.ViaAPI {
						v += " backfilled"
					}
				default:
					for _, a := range slices.Backward(all) {
						if a.id == e.ID && (history || !late(a.t+timeline.Hour)) {
							if v = "duplicate"; e.Time-a.t > timeline.Hour || a.t-e.Time > timeline.Hour {
								v = "quarantined id_time_conflict"
							}
							break
						}
					}
					if v == "" {
						v = "accepted"
						switch {
						case d.Delivery.ViaAPI:
							v += " backfilled"
						case late(e.Time):
							v += " healed"
						case clock != streaming.NoClock && e.Time <= clock-c.Bounds[e.Source]:
							v += " late_accepted"
						}
						all = append(all, accepted{e.ID, e.Time})
					}
				}
				verdicts = append(verdicts, v)
			}
		}
		pending, clock = nil, next
	}
	return verdicts
}

func TestVerdictsEqualTheOracle(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		c := genConfig(t)
		steps := genLog(t, c.Horizon, true)
		r, err := NewRoute(c)
		if err != nil {
			t.Fatal(err)
		}
		var got []event.Routed
		drive(r, steps, homes(&got), func(streaming.Clock) {
			n := r.Counts()
			if n.Accepted+n.Late+n.Duplicates+n.Quarantined != n.Decoded {
				t.Fatalf("%+v does not add up", n)
			}
			var reasons int64
			for _, k := range n.ByReason {
				reasons += k
			}
			if reasons != n.Quarantined {
				t.Fatalf("%+v: reasons do not add up", n)
			}
		})
		want := oracle(c, steps)
		if len(got) != len(want) || r.Counts().Decoded != int64(len(want)) {
			t.Fatalf("%d home copies, %d decoded, want %d", len(got), r.Counts().Decoded, len(want))
		}
		for i := range want {
			if s := verdictText(got[i]); s != want[i] {
				t.Fatalf("event %d: %q, the oracle says %q", i, s, want[i])
			}
			seen[want[i]]++
		}
	})
	for _, v := range []string{"accepted", "accepted late_accepted", "accepted healed", "accepted backfilled", "late", "late backfilled", "duplicate", "quarantined future", "quarantined invalid", "quarantined id_time_conflict"} {
		if seen[v] == 0 {
			t.Errorf("no log had the verdict %q: the generator is too tame", v)
		}
	}
}

func TestDoubleCountingIsImpossible(t *testing.T) {
	late := 0
	rapid.Check(t, func(t *rapid.T) {
		c := genConfig(t)
		r, err := NewRoute(c)
		if err != nil {
			t.Fatal(err)
		}
		accepted := map[event.ID][]timeline.Millis{}
		drive(r, genLog(t, c.Horizon, rapid.Bool().Draw(t, "wild")), func(copy Copy) {
			v := copy.Message.Value
			if copy.Message.IsTick || v.Copy != event.Home {
				return
			}
			switch v.Verdict {
			case event.Accepted:
				for _, other := range accepted[v.Event.ID] {
					if d := other - v.Event.Time; d <= timeline.Hour && d >= -timeline.Hour {
						t.Fatalf("%s was counted twice, at %s and %s", v.Event.ID, other, v.Event.Time)
					}
				}
				accepted[v.Event.ID] = append(accepted[v.Event.ID], v.Event.Time)
			case event.Late:
				if len(accepted[v.Event.ID]) > 0 {
					late++
				}
			}
		}, nil)
	})
	if late == 0 {
		t.Error("no copy of an accepted event came too late: the generator does not reach the border")
	}
}

func sections(r *Route) map[string]string {
	m := map[string]string{}
	r.Save(func(s string, b []byte) {
		if _, twice := m[s]; twice {
			panic("section " + s + " is put twice")
		}
		m[s] = string(b)
	})
	return m
}

func restore(t interface{ Fatal(...any) }, c RouteConfig, m map[string]string) *Route {
	r, err := NewRoute(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Load(func(s string) ([]byte, error) {
		b, ok := m[s]
		if !ok {
			return nil, nil
		}
		return []byte(b), nil
	}); err != nil {
		t.Fatal(err)
	}
	return r
}

// A route that is stopped and restored after every round emits the same copies
// and has the same state, to the byte, as one that never stopped.
func TestRestoringChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := genConfig(t)
		steps := genLog(t, c.Horizon, true)
		straight, err := NewRoute(c)
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		var states []map[string]string
		drive(straight, steps, func(c Copy) { want = append(want, copyBytes(c)) }, nil)

		// The same rounds, each by a route made of the one before.
		stopped, err := NewRoute(c)
		if err != nil {
			t.Fatal(err)
		}
		drive(stopped, steps, func(c Copy) { got = append(got, copyBytes(c)) }, func(streaming.Clock) {
			state := sections(stopped)
			states = append(states, state)
			*stopped = *restore(t, c, state)
			if again := sections(stopped); !maps.Equal(state, again) {
				t.Fatal("a restored route saves other bytes")
			}
		})
		if !slices.Equal(got, want) {
			t.Fatal("a stopped route emits other copies")
		}
		if !maps.Equal(states[len(states)-1], sections(straight)) {
			t.Fatal("a stopped route ends with another state")
		}
	})
}

func copyBytes(c Copy) string {
	return fmt.Sprintf("%d %x", c.Partition, AppendMessage(nil, &c.Message))
}
