package demo

import (
	"meridian/streaming/timeline"
)

// incident plays one: reported, looked into, mitigated, closed when somebody gets
// to it.
func (w *world) incident(s *service, at, over timeline.Millis) *issue {
	by := w.colleague(s.team, at)
	i := w.create("OPS", "Incident", by, by, s, at)
	step := func(t timeline.Millis, to status) bool {
		if t >= w.now {
			return false
		}
		w.move(i, to, by, t)
		return true
	}
	if step(at+w.seconds(60, 900), investigating()) && step(over, mitigated()) {
		step(w.answer(by, over, w.around(5*timeline.Hour)), closed())
	}
	return i
}

// incidents plays those that no deployment of the plan brought about: one in two
// weeks and service, and a week of them for the shop, with a hotfix each.
func (w *world) incidents() {
	for _, s := range w.services {
		for at := w.start + w.between(2*timeline.Day, 20*timeline.Day); at < w.now; at += w.between(14*timeline.Day, 28*timeline.Day) {
			w.incident(s, at, at+w.around(80*timeline.Minute))
		}
	}
	for n := range 7 {
		s := pick(w.dice, []*service{w.service("checkout"), w.service("checkout"), w.service("payments-api")})
		at := w.start + timeline.Millis(63+n)*timeline.Day + w.between(6*timeline.Hour, 20*timeline.Hour)
		over := at + w.around(3*timeline.Hour)
		if over >= w.now {
			continue
		}
		i := w.incident(s, at, over)
		if sha, _ := s.repository.mainAt(over); sha != "" {
			w.deploy(shipment{service: s, sha: sha, environment: s.production, started: seconds(over) - 10*timeline.Minute, takes: w.seconds(60, 400),
				outcome: "success", by: w.colleague(s.team, over), labels: []string{"hotfix"}, incident: i.key})
		}
	}
}
