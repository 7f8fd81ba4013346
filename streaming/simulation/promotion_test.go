package simulation

import (
	"errors"
	"testing"

	"meridian/ingest"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// A member that hears of nothing goes on with a shard that was taken from it while its
// generation is promoted. It writes where the rows are moved from before, between and
// after the move and the turn, and leaves a snapshot if it may: it may not, since the
// shard's new owner left one when it stood.
func TestAPromotionBesideAMemberThatHearsOfNothing(t *testing.T) {
	w := newWorld(1)
	w.say, w.calm, w.leader = t.Logf, true, w.members[0]
	w.layout.deliveries = int32(len(w.deliveries))
	deaf, others := w.members[2], w.members[:2]
	more := func() { // deliveries, and ticks behind them, copied to the events
		w.waiting = append(w.waiting, w.senders.next(w.now), w.senders.next(w.now), w.senders.next(w.now))
		for len(w.waiting) > 0 {
			w.ingesters[0].deliver()
		}
		w.now += timeline.Minute
		for _, p := range w.deliveries {
			p.append(ingest.EncodeEntry(ingest.Entry{Tick: w.now}))
		}
		for _, o := range w.shards {
			if !o.engine {
				w.move(o)
				w.move(o)
			}
		}
	}
	run := func(until string, over func() bool, members ...*member) {
		t.Helper()
		for range 200 {
			if over() {
				return
			}
			w.coordinate(w.leader, false)
			for _, m := range members {
				w.arrange(m)
			}
			for _, o := range w.shards {
				for range 4 {
					w.move(o)
				}
				if o.engine && o.life != nil && o.life.Status().State != kafka.Paused {
					w.flush(o)
				}
			}
		}
		t.Fatalf("it never came to %s: %+v", until, w.leader.said)
	}
	more()
	run("the first turn", w.settled, w.members...)
	more()
	w.catalog = 2
	following := func() bool {
		s := &w.leader.said
		return s.following[s.course().number] && s.course().number == 2 && w.db.clock(s.course()) > 0
	}
	run("following", following, w.members...)
	g := w.leader.said.course()

	// The deaf member has all shards of it, and loses them without knowing.
	var zombies []*owned
	for _, o := range w.shards {
		if o.manifest != g || !o.engine {
			continue
		}
		if o.life != nil {
			_ = o.life.End()
			o.life = nil
		}
		w.arrange(deaf)
		o.member = deaf
		w.move(o)
		w.move(o)
		w.flush(o) // so that nobody has anything to do until the shard stands
		w.move(o)
		w.move(o)
		replaced := *o
		zombies = append(zombies, &replaced)
		o.life, o.member = nil, others[len(zombies)%2]
	}
	write := func() {
		for _, z := range zombies {
			before := len(w.db.replay.of(g.number).rows)
			if err := z.life.Step(); err != nil {
				t.Fatal(err)
			}
			w.say("%s writes %d rows where they are moved from", z.name, len(w.db.replay.of(g.number).rows)-before)
		}
	}
	run("the pause", func() bool { p := w.leader.said.promotion; return p != nil && p.step == stepPause }, others...)
	more()
	write() // beyond the round at which the others stand
	run("the move", func() bool { p := w.leader.said.promotion; return p != nil && p.step == stepFlip }, others...)
	more()
	write()
	last := zombies[len(zombies)-1]
	if err := last.life.End(); !errors.Is(err, streaming.ErrStale) {
		t.Errorf("%s left a snapshot beyond the round at which its shard stands: %v", last.name, err)
	}
	zombies = zombies[:len(zombies)-1]
	run("the turn", func() bool { return w.leader.said.live.generation == g.number }, others...)
	more()
	write()
	for _, z := range zombies {
		if err := z.life.End(); err == nil {
			t.Errorf("%s left a snapshot beyond the round at which its shard stood", z.name)
		}
	}
	run("everybody's knowing", w.settled, w.members...)
	if err := w.rest(); err != nil {
		t.Fatal(err)
	}
	if err := w.check(); err != nil {
		t.Fatal(err)
	}
	for _, f := range []fault{notMoved, wroteOn, sweptUp} {
		if w.happened[f] == 0 {
			t.Errorf("%q did not come about", f)
		}
	}
}

// A shard whose history is in its snapshots alone does not go on without them: it would
// give rows of what came after as if they were all.
func TestAShardThatHasForgottenItsHistory(t *testing.T) {
	w := newWorld(1)
	w.calm = true
	if err := w.rest(); err != nil { // with nothing but ticks
		t.Fatal(err)
	}
	w.catalog = 2
	if err := w.rest(); err != nil {
		t.Fatal(err)
	}
	var o *owned
	for _, s := range w.shards {
		if s.engine && s.manifest.number == w.db.current.generation {
			o = s
		}
	}
	if o.manifest.end == 0 {
		t.Fatal("it began without a history")
	}
	for w.store.damage(o.name, tornManifest, false) {
	}
	if err := o.make(w.members[0]).Begin(); !errors.Is(err, kafka.ErrForgotten) {
		t.Errorf("without a whole snapshot it begins with %v, want ErrForgotten", err)
	}
}
