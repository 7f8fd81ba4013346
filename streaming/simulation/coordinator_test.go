package simulation

import (
	"errors"
	"fmt"
	"slices"

	"meridian/ingest/catalog"
	"meridian/metrics"
	"meridian/streaming"
)

// The coordinator is played, by the steps of the program's own: what it says in
// control is all that survives it, and each step can be done twice. It dies before
// and after any of them, and goes on for a while after it has been replaced.

// mostGenerations is how many one run may begin while things go wrong.
const mostGenerations = 6

// coordinate does the next thing that is due.
func (w *world) coordinate(m *member, replaced bool) {
	if !replaced {
		m.said.hear(&w.control)
	}
	s := &m.said
	course := s.course()
	var err error
	switch now := (pins{w.catalog, m.logic}); {
	case course.pins != now && !replaced && s.promotion == nil && (w.calm || len(w.generations) < mostGenerations && !w.noChange):
		err = w.beginGeneration(m, now)
	case course.offsets != nil && !s.following[course.number]:
		if course.pins.logic == m.logic {
			err = w.computeHistory(m, course)
		}
	case s.promotion != nil:
		err = w.promote(m, *s.promotion)
	case len(w.db.replay.of(s.live.generation).rows) > 0: // of one that did not stand, or of a zombie
		w.note(sweptUp)
		err = w.db.promote(s.live.generation, w.hurt)
	default:
		w.takeover(m, course)
	}
	if errors.Is(err, errCut) {
		w.dies(m)
		w.leader = pick(w.rng, w.members...)
	} else if err != nil {
		w.say("%s: the coordinator fails: %v", w.now, err)
	}
}

var errCut = errors.New("the coordinator died")

// cut draws whether the coordinator dies here, one time in n.
func (w *world) cut(n int, f fault) error {
	if w.hurt(n, f) == none {
		return nil
	}
	w.note(f)
	return errCut
}

// beginGeneration begins one by what is in force now, over all that every
// partition has ticked.
func (w *world) beginGeneration(m *member, now pins) error {
	last := streaming.Clock(1 << 62)
	for _, log := range w.deliveries {
		last = min(last, lastTick(log))
	}
	g := &manifest{number: streaming.Generation(len(w.generations) + 1), pins: now}
	if last > 0 {
		g.end = streaming.RoundOf(last)
		g.offsets = historyOffsets(w.deliveries, g.end)
	}
	w.addGeneration(g)
	if err := w.cut(6, beginCut); err != nil {
		w.generations = w.generations[:len(w.generations)-1] // a manifest that nobody has read is none
		w.shards = slices.DeleteFunc(w.shards, func(o *owned) bool { return o.manifest == g })
		return err
	}
	w.say("%s: generation %d begins with %+v, history up to %d", w.now, g.number, now, g.end)
	m.say(w, func(s *said) { s.manifests = append(s.manifests, g) })
	return nil
}

// addGeneration makes what a manifest stands for.
func (w *world) addGeneration(g *manifest) {
	l := *w.layout
	l.generation, l.historyEnd = g.number, g.end
	l.catalog = []*catalog.Catalog{acme(), nobody(), moved()}[g.pins.catalog]
	if l.definitions = metrics.Definitions(); g.pins.logic > 1 {
		l.definitions = slices.DeleteFunc(slices.Clone(l.definitions), func(d *metrics.Definition) bool { return d.Name == "pr_merged" })
	}
	g.layout = &l
	for p := range l.events {
		g.events = append(g.events, &topic{name: fmt.Sprintf("events-%d/%d", g.number, p)})
	}
	w.generations = append(w.generations, g)
	w.addShards(g)
}

// takeover begins the turn of the generation that numbers will come from, when it
// has caught up.
func (w *world) takeover(m *member, g *manifest) {
	s := &m.said
	if s.live.generation == g.number || !w.caughtUp(s, g) {
		return
	}
	p := promotion{generation: g.number, step: stepCatchUp, sequence: max(s.live.sequence, uint64(s.live.generation)) + 1}
	m.say(w, func(s *said) { s.promotion = &p })
}

// caughtUp compares how far the rows of two generations are in the tables.
func (w *world) caughtUp(s *said, g *manifest) bool {
	if g.end == 0 && s.live.generation == 0 {
		return true
	}
	least := g.end.Clock()
	if live := s.manifestOf(s.live.generation); live != nil {
		least = max(least, w.db.clock(live))
	}
	return w.db.clock(g) >= least
}

// promote does one step of a promotion.
func (w *world) promote(m *member, p promotion) error {
	s := &m.said
	g := s.manifestOf(p.generation)
	then := func(step promotionStep) error {
		p.step = step
		m.say(w, func(s *said) { s.promotion = &p })
		return nil
	}
	if s.live.generation == p.generation {
		w.endPromotion(m)
		return nil
	}
	switch p.step {
	case stepCatchUp:
		if err := w.cut(8, catchUpCut); err != nil || !w.caughtUp(s, g) {
			return err
		}
		if s.live.generation == 0 {
			return then(stepFlip)
		}
		last := streaming.Clock(1 << 62)
		for _, log := range w.deliveries {
			last = min(last, lastTick(log))
		}
		p.round = streaming.RoundOf(last)
		return then(stepPause)
	case stepPause:
		n := 0
		for _, o := range w.shards {
			if a, ok := s.paused[o.name]; ok && o.manifest == g && a.sequence == p.sequence && a.clock >= p.round.Clock() {
				n++
			}
		}
		if err := w.cut(40, pauseCut); err != nil || n < len(g.events) {
			return err
		}
		return then(stepMove)
	case stepMove:
		if err := w.cut(3, moveCut); err != nil {
			return err
		}
		if err := w.db.promote(g.number, w.hurt); err != nil {
			return err
		}
		if err := w.cut(3, movedCut); err != nil {
			return err
		}
		return then(stepFlip)
	}
	if err := w.cut(8, flipCut); err != nil {
		return err
	}
	if len(w.db.replay.of(g.number).rows) > 0 { // of a zombie: some rows are not in the live tables
		w.note(notMoved)
		return then(stepMove)
	}
	if !w.db.flip(g.number, p.sequence) {
		p.sequence = w.db.current.sequence + 1
		return then(stepFlip)
	}
	if err := w.checkGeneration(g); err != nil && w.seam == nil {
		w.seam = fmt.Errorf("at the turn of generation %d, %w", g.number, err)
	}
	if err := w.cut(8, flippedCut); err != nil {
		return err
	}
	w.say("%s: readers see generation %d", w.now, g.number)
	m.say(w, func(s *said) { s.live = turn{g.number, p.sequence} })
	w.endPromotion(m)
	return nil
}

func (w *world) endPromotion(m *member) {
	m.say(w, func(s *said) {
		s.promotion = nil
		clear(s.paused)
	})
}
