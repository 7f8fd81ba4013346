package simulation

import (
	"fmt"
	"maps"
	"slices"

	"meridian/streaming"
	"meridian/streaming/kafka"
)

// member is a process that runs shards of generations, and coordinates them while
// it leads.
type member struct {
	id      int
	logic   int // version of its program
	said    said
	deaf    int // how often it does not look at control
	runs    map[streaming.Generation]*running
	history *history // that it computes
}

// running is what a member knows of a generation that it runs.
type running struct {
	manifest *manifest
	live     bool   // it writes into the live tables
	stands   uint64 // sequence of the promotion that its shards stand for; 0: they run
	round    streaming.Round
	answered map[string]bool
}

// life is a shard's, of either stage.
type life interface {
	Begin() error
	Step() error
	End() error
	Close()
	Pause(streaming.Round)
	Resume()
	Status() kafka.ShardStatus
}

// owned is a shard with its owner.
type owned struct {
	name     string
	engine   bool
	manifest *manifest
	make     func(*member) life
	life     life // nil: nobody has begun it
	member   *member
	still    int // steps for which it does nothing
}

// arrange has a member do what control says: begin and leave generations, let their
// shards stand and go on, say that they stand, and write where readers look.
func (w *world) arrange(m *member) {
	if m.deaf > 0 && !w.calm {
		if m.deaf--; m.said.read < len(w.control.log) {
			w.note(deaf)
		}
		return
	}
	m.said.hear(&w.control)
	t := m.said.live
	for _, g := range slices.Sorted(maps.Keys(m.runs)) {
		if run := m.runs[g]; !w.wanted(m, run.manifest) || run.live && !t.writesLive(g) {
			w.leave(m, g)
		}
	}
	for _, manifest := range m.said.manifests {
		g := manifest.number
		if !w.wanted(m, manifest) {
			continue
		}
		if m.runs[g] == nil {
			m.runs[g] = &running{manifest: manifest, live: t.writesLive(g), answered: map[string]bool{}}
		}
		run := m.runs[g]
		switch p := m.said.promotion; {
		case g == t.generation:
			if !run.live && run.stands == 0 { // it has not stood, so what it wrote may lie where nobody looks
				w.note(wroteOn)
			}
			run.live = true
			w.goOn(m, run)
		case p != nil && p.generation == g:
			w.stand(m, run, *p)
			w.answer(m, run, *p)
		default:
			w.goOn(m, run)
		}
	}
}

// wanted reports whether a generation is to run at a member.
func (w *world) wanted(m *member, g *manifest) bool {
	s := &m.said
	due := g.number == s.live.generation || g == s.course() || s.promotion != nil && s.promotion.generation == g.number
	return due && g.pins.logic == m.logic && (g.end == 0 || g.offsets == nil || s.following[g.number])
}

// leave stops a generation at a member, as a process that has time for it.
func (w *world) leave(m *member, g streaming.Generation) {
	for _, o := range w.of(m, g) {
		_ = o.life.End()
		o.life = nil
	}
	delete(m.runs, g)
}

// of returns the shards of a generation that live at a member; those that were
// replaced and do not know it are among them.
func (w *world) of(m *member, g streaming.Generation) (of []*owned) {
	for _, o := range slices.Concat(w.shards, w.zombies) {
		if o.life != nil && o.member == m && o.manifest.number == g {
			of = append(of, o)
		}
	}
	return of
}

func (w *world) stand(m *member, run *running, p promotion) {
	if p.step == stepCatchUp || run.stands == p.sequence {
		return
	}
	run.stands, run.round = p.sequence, p.round
	clear(run.answered)
	for _, o := range w.of(m, run.manifest.number) {
		if o.engine {
			o.life.Pause(p.round)
		}
	}
}

func (w *world) goOn(m *member, run *running) {
	if run.stands == 0 {
		return
	}
	run.stands = 0
	for _, o := range w.of(m, run.manifest.number) {
		o.life.Resume()
	}
}

func (w *world) answer(m *member, run *running, p promotion) {
	if run.stands != p.sequence {
		return
	}
	for _, o := range w.of(m, run.manifest.number) {
		st := o.life.Status()
		if !o.engine || st.State != kafka.Paused || st.Clock < p.round.Clock() || run.answered[o.name] {
			continue
		}
		m.say(w, func(s *said) { s.paused[o.name] = pausedAnswer{p.sequence, st.Clock} })
		run.answered[o.name] = true
	}
}

// begin gives a shard that nobody has to a member that runs its generation.
func (w *world) begin(o *owned) (begun bool) {
	if o.member == nil || o.member.runs[o.manifest.number] == nil {
		var candidates []*member
		for _, m := range w.members {
			if m.runs[o.manifest.number] != nil {
				candidates = append(candidates, m)
			}
		}
		if len(candidates) == 0 {
			return false
		}
		o.member = pick(w.rng, candidates...)
	}
	run := o.member.runs[o.manifest.number]
	o.life = o.make(o.member)
	if o.engine && run.stands != 0 {
		o.life.Pause(run.round)
	}
	if err := o.life.Begin(); err != nil {
		w.say("%s: %s cannot begin at %d: %v", w.now, o.name, o.member.id, err)
		w.trouble = fmt.Errorf("%s cannot begin: %w", o.name, err)
		o.life = nil
		return false
	}
	w.say("%s: %s begins at %d, snapshot %d", w.now, o.name, o.member.id, o.life.Status().Snapshot)
	return true
}

// flush has a shard's rows durable, as they are after a while without a snapshot.
func (w *world) flush(o *owned) {
	if err := o.life.End(); err != nil {
		w.say("%s: %s fails: %v", w.now, o.name, err)
	}
	o.life = nil
}

// dies ends a member with all that it has in hand. It is back at once, with what
// control says.
func (w *world) dies(m *member) {
	w.say("%s: member %d dies", w.now, m.id)
	for g := range m.runs {
		for _, o := range w.of(m, g) {
			o.life.Close()
			o.life = nil
		}
	}
	w.zombies = slices.DeleteFunc(w.zombies, func(o *owned) bool { return o.life == nil })
	for _, o := range w.shards {
		if o.member == m {
			o.member = nil
		}
	}
	*m = member{id: m.id, logic: m.logic, runs: map[streaming.Generation]*running{}}
	m.said.hear(&w.control)
}
