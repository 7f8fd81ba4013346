package metrics

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// described is every row in full, to compare histories to the byte.
func described(rows []Row) []string {
	var out []string
	for _, row := range rows {
		switch r := row.(type) {
		case *Point:
			out = append(out, fmt.Sprintf("%s %x", r.AppendJSON(nil), r.Aggregate.Bytes()))
		default:
			out = append(out, fmt.Sprintf("%T %+v", row, row))
		}
	}
	return out
}

// A restore after every record, at ticks and between them, and records in any
// order within a round, change neither a row nor a byte of state. Evicting
// changes no row.
func TestEngineRestores(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := testConfig(t, rapid.SampledFrom(testZones).Draw(rt, "zone"))
		c.Horizon = rapid.SampledFrom([]timeline.Millis{2 * timeline.Day, 20 * timeline.Day, DefaultHorizon}).Draw(rt, "horizon")
		log := drawLog(rt, drawStart(rt), 20*timeline.Day)
		if rapid.Bool().Draw(rt, "history") {
			c.HistoryEnd = streaming.RoundOf(log[len(log)/2].clock)
		}
		kept := c
		kept.Keep = true
		plain, crashing, keeping, shuffled := newRig(t, c), newRig(t, c), newRig(t, kept), newRig(t, c)
		for _, round := range log {
			records := slices.Clone(round.records)
			for _, r := range records {
				plain.apply(r)
				keeping.apply(r)
				crashing.apply(r)
				crashing.engine = restored(rt, c, crashing.engine)
			}
			order := make([]int, len(records))
			for i := range order {
				order[i] = i
			}
			acts := slices.ContainsFunc(records, func(r event.Routed) bool { return r.Act != nil || r.Verdict != event.Accepted })
			if !acts { // the tests' act fold keeps the first of two, and rejects come in the order of records
				order = rapid.Permutation(order).Draw(rt, "order")
			}
			for _, i := range order {
				shuffled.applyAt(shuffled.offset+int64(i)+1, records[i])
			}
			shuffled.offset += int64(len(records))
			for _, g := range []*rig{plain, crashing, keeping, shuffled} {
				g.tickAt(round.clock)
			}
			crashing.engine = restored(rt, c, crashing.engine)
			want := described(plain.rows)
			for name, g := range map[string]*rig{"restored": crashing, "kept": keeping, "shuffled": shuffled} {
				if got := described(g.rows); !slices.Equal(got, want) {
					rt.Fatalf("%s, at %s:\n%s", name, round.clock, strings.ReplaceAll(difference(got, want), "oracle", "plain"))
				}
			}
			for name, g := range map[string]*rig{"restored": crashing, "shuffled": shuffled} {
				if got, want := g.engine.Due(), plain.engine.Due(); got != want {
					rt.Fatalf("%s, at %s: due at %s, not %s", name, round.clock, got, want)
				}
				if !maps.EqualFunc(sections(g.engine), sections(plain.engine), bytes.Equal) {
					rt.Fatalf("%s, at %s: other bytes of state", name, round.clock)
				}
			}
		}
	})
}

// In a history nothing comes out before its end, and then everything once, as
// if the log had one round; afterwards the engine follows.
func TestEngineHistory(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		zone := rapid.SampledFrom(testZones).Draw(rt, "zone")
		c := testConfig(t, zone)
		c.Horizon = 10000 * timeline.Day
		log := drawLog(rt, drawStart(rt), 20*timeline.Day)
		end := log[rapid.IntRange(0, len(log)-1).Draw(rt, "end")].clock
		c.HistoryEnd = streaming.RoundOf(end)
		g := newRig(t, c)
		o := &oracle{config: c, zone: testZone(t, zone), folds: map[string]Fold{}, last: map[oracleKey]oracleSaid{}, from: map[string]timeline.Millis{}}
		for _, round := range log {
			for _, r := range round.records {
				g.apply(r)
				o.apply(r)
			}
			g.tickAt(round.clock)
			if round.clock < end {
				if len(g.rows) > 0 {
					rt.Fatalf("rows at %s, before the end of history", round.clock)
				}
				continue
			}
			var got []string
			for _, row := range g.rows {
				if p, ok := row.(*Point); ok {
					got = append(got, string(p.AppendJSON(nil)))
				}
			}
			if want := o.tick(round.clock); !slices.Equal(got, want) {
				rt.Fatalf("at %s:\n%s", round.clock, difference(got, want))
			}
			if round.clock == end {
				var final []string
				for p := range g.engine.Final() {
					final = append(final, string(p.AppendJSON(nil)))
				}
				if !slices.Equal(final, got) {
					rt.Fatalf("a restated history is not what stands:\n%s", difference(final, got))
				}
			}
		}
	})
}

// Final is the last line of every key, with the counts and version of now.
func TestEngineFinal(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := testConfig(t, "Europe/Berlin")
		c.Horizon, c.Keep = rapid.SampledFrom([]timeline.Millis{2 * timeline.Day, DefaultHorizon}).Draw(rt, "horizon"), true
		g := newRig(t, c)
		type key struct {
			team, service string
			metric        Name
			grain         Grain
			start         timeline.Millis
		}
		last := map[key]*Point{}
		for _, round := range drawLog(rt, drawStart(rt), 20*timeline.Day) {
			for _, r := range round.records {
				g.apply(r)
			}
			g.tickAt(round.clock)
			for _, row := range g.rows {
				if p, ok := row.(*Point); ok {
					last[key{p.Team, p.Service, p.Metric, p.Grain, p.Start}] = p
				}
			}
			n := 0
			for p := range g.engine.Final() {
				n++
				want := last[key{p.Team, p.Service, p.Metric, p.Grain, p.Start}]
				if want == nil {
					rt.Fatalf("never emitted: %s", p.AppendJSON(nil))
				}
				if p.Version != g.engine.version {
					rt.Fatalf("version %s, not the last round's", p.Version)
				}
				now := *p
				now.Version, now.LateAccepted, now.LateDropped, now.Duplicates, now.Quarantined, now.CoveredDays = want.Version, want.LateAccepted, want.LateDropped, want.Duplicates, want.Quarantined, want.CoveredDays
				if got, want := now.AppendJSON(nil), want.AppendJSON(nil); !bytes.Equal(got, want) {
					rt.Fatalf("stands as\n%s\nwas emitted as\n%s", got, want)
				}
			}
			if n != len(last) {
				rt.Fatalf("%d rows stand, %d keys were emitted", n, len(last))
			}
		}
	})
}

// Due is the very clock at which something comes out without input.
func TestEngineDue(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := testConfig(t, rapid.SampledFrom(testZones).Draw(rt, "zone"))
		g := newRig(t, c)
		var clock timeline.Millis
		for _, round := range drawLog(rt, drawStart(rt), 20*timeline.Day) {
			for _, r := range round.records {
				g.apply(r)
			}
			clock = round.clock
			g.tickAt(clock)
		}
		ticks := 0
		for ; g.engine.Due() != never; ticks++ {
			due := g.engine.Due()
			if due <= clock {
				rt.Fatalf("due at %s, and it is %s", due, clock)
			}
			if before := streaming.RoundOf(due) - 1; before.Clock() > clock {
				if lines := g.tickAt(before.Clock()); len(lines) > 0 {
					rt.Fatalf("due at %s, but at %s came %v", due, before.Clock(), lines)
				}
			}
			clock = streaming.RoundOf(due).Clock()
			if lines := g.tickAt(clock); len(lines) == 0 {
				rt.Fatalf("nothing at %s, where something was due", due)
			}
		}
		if ticks > 1000 {
			rt.Fatalf("%d ticks without input", ticks)
		}
		if lines := g.tickAt(clock + 1000*timeline.Day); len(lines) > 0 {
			rt.Fatalf("nothing was due, but %v came", lines)
		}
	})
}

// The stored evidence, as upserts and tombstones leave it, is what the folds
// are observed as.
func TestEngineEvidence(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := testConfig(t, "UTC")
		c.Horizon = 10000 * timeline.Day
		g := newRig(t, c)
		o := &oracle{config: c, folds: map[string]Fold{}, from: map[string]timeline.Millis{}}
		stored := map[string]Observation{}
		for _, round := range drawLog(rt, drawStart(rt), 20*timeline.Day) {
			for _, r := range round.records {
				g.apply(r)
				o.apply(r)
			}
			g.tickAt(round.clock)
			for _, row := range g.rows {
				r, ok := row.(*ObservationRow)
				if !ok {
					continue
				}
				key := fmt.Sprint(r.Team, r.Metric, r.Service, r.At, r.Entity, r.Item, r.Outcome, r.Reason)
				if _, known := stored[key]; r.Deleted && !known {
					rt.Fatalf("a tombstone for what was never given: %s", key)
				}
				delete(stored, key)
				if !r.Deleted {
					stored[key] = r.Observation
				}
			}
			want := 0
			for key, fold := range o.folds {
				team, entity, _ := strings.Cut(key, "\x00")
				for _, d := range c.Definitions {
					if d.Subject == subjectOf(fold) {
						d.Observe(fold, View{Team: team}, func(ob Observation) {
							ob.Metric, ob.Entity = d.Name, event.EntityID(entity)
							want++
							if got := stored[fmt.Sprint(team, ob.Metric, ob.Service, ob.At, ob.Entity, ob.Item, ob.Outcome, ob.Reason)]; got != ob {
								rt.Fatalf("stored %+v, observed %+v", got, ob)
							}
						})
					}
				}
			}
			if want != len(stored) {
				rt.Fatalf("%d observations are stored, of %d", len(stored), want)
			}
		}
	})
}

// A team's rows depend on its own records alone: one engine for all teams and
// one for each give the same rows, and the same state of each team.
func TestEngineOnSeveralShards(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := testConfig(t, rapid.SampledFrom(testZones).Draw(rt, "zone"))
		c.Horizon = rapid.SampledFrom([]timeline.Millis{2 * timeline.Day, DefaultHorizon}).Draw(rt, "horizon")
		all, shards := newRig(t, c), map[string]*rig{"acme/web": newRig(t, c), "ops": newRig(t, c)}
		for _, round := range drawLog(rt, drawStart(rt), 20*timeline.Day) {
			for i, r := range round.records {
				all.applyAt(int64(i), r)
				shards[r.Team].applyAt(int64(i), r)
			}
			all.tickAt(round.clock)
			got := described(all.rows)
			var want []string
			for _, team := range []string{"acme/web", "ops"} {
				shards[team].tickAt(round.clock)
				want = append(want, described(shards[team].rows)...)
			}
			slices.Sort(got) // rows of one kind of all teams come before those of the next
			slices.Sort(want)
			if !slices.Equal(got, want) {
				rt.Fatalf("at %s:\n%s", round.clock, strings.ReplaceAll(difference(got, want), "oracle", "shards"))
			}
		}
	})
}
