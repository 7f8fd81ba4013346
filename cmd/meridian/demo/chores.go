package demo

import (
	"meridian/streaming/timeline"
)

// chores plays the issues that no pull request belongs to.
func (w *world) chores() {
	for _, p := range w.people {
		for d := p.zone.Date(w.start).AddDays(1); d <= p.zone.Date(w.now); d = d.AddDays(1) {
			if !p.works(d) || !w.chance(220) {
				continue
			}
			if at := w.moment(p, d, true); at < w.now {
				w.playChore(p, at)
			}
		}
	}
}

func (w *world) playChore(p *person, at timeline.Millis) {
	team := w.team(w.teamAt(p, at))
	kind := "Story"
	if w.chance(350) {
		kind = "Bug"
	}
	i := w.create(team.project, kind, p, p, nil, at)
	work := 7 * timeline.Hour
	if team.name == platform {
		work = timeline.Millis(w.improving(at, 20, 5)) * timeline.Hour
	}
	t := w.answer(p, at, w.around(5*timeline.Hour))
	if t >= w.now {
		return
	}
	w.move(i, inProgress(), p, t)
	if by := pick(w.dice, w.people); w.chance(500) {
		if said := w.answer(by, t, w.around(timeline.Hour)); said < w.now {
			w.discuss(i, by, said)
		}
	}
	if t = w.answer(p, t, w.around(work)); t >= w.now {
		w.working = append(w.working, i)
		return
	}
	w.resolve(i, p, t)
}
