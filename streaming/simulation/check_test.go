package simulation

import (
	"errors"
	"fmt"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// check compares what readers see with a straight run over the log, and both with
// what was acknowledged; and the generations before it with runs of their own.
func (w *world) check() error {
	live := w.generations[w.db.current.generation-1]
	for _, g := range w.generations {
		if err := w.checkGeneration(g); err != nil {
			return fmt.Errorf("generation %d: %w", g.number, err)
		}
	}
	s := newStraight(live.layout)
	accepted := map[event.ID][]timeline.Millis{}
	seen := map[event.ID]bool{}
	s.copies = func(c ingest.Copy) {
		r := c.Message.Value
		if c.Message.IsTick || r.Copy != event.Home {
			return
		}
		seen[r.Event.ID] = true
		if r.Verdict == event.Accepted {
			accepted[r.Event.ID] = append(accepted[r.Event.ID], r.Event.Time)
		}
	}
	quality := map[string]int64{}
	put := s.put
	s.put = func(shard int32, row metrics.Row) {
		if r, ok := row.(*metrics.QualityRow); ok {
			quality[fmt.Sprint(r.Team, r.Source, r.Kind, r.Cell)] = r.Accepted
		}
		put(shard, row)
	}
	if err := s.play(w.deliveries); err != nil {
		return err
	}
	facts, counted := 0, int64(0)
	for _, times := range accepted {
		facts += len(times)
	}
	for _, n := range quality {
		counted += n
	}
	if counted != int64(facts) {
		return fmt.Errorf("%d facts were accepted, and the rows count %d", facts, counted)
	}
	if d := differences(w.db.live.of(live.number).rows, s.rows); d != "" {
		return fmt.Errorf("the database differs from a straight run:\n%s", d)
	}
	for id := range w.acked {
		if !seen[id] {
			return fmt.Errorf("event %s was acknowledged and is lost", id)
		}
	}
	for id, times := range accepted {
		for i, t := range times {
			for _, u := range times[:i] {
				if d := t - u; -timeline.Hour <= d && d <= timeline.Hour {
					return fmt.Errorf("event %s was counted twice, at %s and %s", id, u, t)
				}
			}
		}
	}
	if len(s.rows) == 0 && len(w.acked) > 0 {
		return errors.New("there are no rows at all")
	}
	return nil
}

// checkGeneration compares what a generation has written with a straight run by its
// manifest: every row is one of that run's, and none is missing up to where all of
// its shards have come. What readers see is in the live tables.
func (w *world) checkGeneration(g *manifest) error {
	s := newStraight(g.layout)
	if err := s.play(w.deliveries); err != nil {
		return err
	}
	got, reached := w.db.rows(g.number), w.db.clock(g)
	if g.number == w.db.current.generation {
		got = w.db.live.of(g.number).rows
	}
	due := rows{}
	for key, content := range s.rows {
		var shard int32
		var round streaming.Round
		if _, err := fmt.Sscan(key, &shard, &round); err != nil {
			return fmt.Errorf("%q is no key: %w", key, err)
		}
		if _, there := got[key]; there || round.Clock() <= reached {
			due[key] = content
		}
	}
	if d := differences(got, due); d != "" {
		return fmt.Errorf("it differs from a straight run up to %s:\n%s", reached, d)
	}
	return nil
}
