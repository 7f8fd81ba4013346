package demo

import (
	"time"

	"meridian/streaming/timeline"
)

// shipping plays the deployments of the history, when it is known what was merged.
func (w *world) shipping() {
	for _, s := range w.services {
		w.ships(s)
	}
	w.pages()
}

// ships plays those of one service.
func (w *world) ships(s *service) {
	zone := mustZone(s.team.zone)
	shipped := 0 // of the arrivals on the default branch
	last := ""
	for d := zone.Date(w.start).AddDays(1); d <= zone.Date(w.now); d = d.AddDays(1) {
		for _, at := range w.slots(s, zone, d) {
			sha, arrived := s.repository.mainAt(at)
			if at >= w.now || sha == "" || arrived == shipped {
				continue
			}
			if w.takeOut(s, sha, last, at) {
				shipped, last = arrived, sha
			}
		}
	}
}

// slots are when a service is deployed on a day, where there is something new.
func (w *world) slots(s *service, zone *timeline.Zone, d timeline.Date) []timeline.Millis {
	weekday := d.Weekday()
	noon := zone.Midnight(d) + 12*timeline.Hour
	at := func(hour int) timeline.Millis {
		return seconds(zone.Midnight(d) + timeline.Millis(hour)*timeline.Hour + w.between(0, 50*timeline.Minute))
	}
	weekend := weekday == time.Saturday || weekday == time.Sunday
	switch s.team.name {
	case storefront: // every working day, twice
		if !weekend {
			return []timeline.Millis{at(11), at(15)}
		}
	case payments: // on Tuesdays
		if weekday == time.Tuesday {
			return []timeline.Millis{at(14)}
		}
	case mobile: // twice a week; around the launch at night, and every one
		if w.launch(noon) {
			return []timeline.Millis{at(16), at(22)}
		}
		if weekday == time.Monday || weekday == time.Thursday {
			return []timeline.Millis{at(14)}
		}
	case platform: // ever more often
		if !weekend && w.chance(w.improving(noon, 150, 700)) {
			return []timeline.Millis{at(10 + w.IntN(6))}
		}
	}
	return nil
}

// takeOut takes a commit to staging and then to production. It reports whether it
// got there and stayed.
func (w *world) takeOut(s *service, sha, last string, at timeline.Millis) bool {
	failing := s.team.failing
	if w.trouble(at) && s.team.group == "shop" {
		failing = 350
	}
	var by *person
	if w.chance(400) {
		by = w.colleague(s.team, at)
	}
	takes := func() timeline.Millis { return w.seconds(90, 900) }
	if s.through == "github" && w.chance(500) {
		w.deploy(shipment{service: s, sha: sha, environment: "staging", started: at - w.seconds(1_800, 3_000), takes: takes(), outcome: "success"})
	}
	to := shipment{service: s, sha: sha, environment: s.production, started: at, takes: takes(), outcome: "success", by: by}
	if s.name == "media" && w.chance(300) {
		to.together = w.service("search")
	}
	fate := w.IntN(1000)
	if fate < failing/3 {
		to.outcome = "failure" // never gets there
	}
	id := w.deploy(to)
	end := at + to.takes
	if to.outcome == "failure" || end >= w.now {
		return false
	}
	if fate < failing {
		w.rollBack(to, id, last, end)
		return false
	}
	return true
}

// rollBack takes back what was deployed: the generic system says so of the run
// itself; GitHub knows no such word, so what was there before is deployed again.
func (w *world) rollBack(was shipment, id, last string, end timeline.Millis) {
	noticed := end + w.seconds(900, 5_400)
	if noticed >= w.now {
		return
	}
	incident := w.incident(was.service, noticed-w.seconds(60, 600), noticed+w.seconds(600, 3_000))
	if was.service.through == "deploy" {
		was.takes = noticed - was.started
		w.told(was, id, "rolled_back")
		return
	}
	if last != "" {
		w.deploy(shipment{service: was.service, sha: last, environment: was.environment, started: noticed, takes: w.seconds(60, 200),
			outcome: "success", by: w.colleague(was.service.team, noticed), labels: []string{"rollback"}, incident: incident.key})
	}
}

// colleague is somebody of a team, best one who is at work.
func (w *world) colleague(t *team, at timeline.Millis) *person {
	var found *person
	for range 40 {
		p := pick(w.dice, w.people)
		if p.known && w.teamAt(p, at) == t.name && !p.leave[p.zone.Date(at)] {
			found = p
			if p.atWork(at) {
				break
			}
		}
	}
	if found == nil {
		return w.people[0]
	}
	return found
}

// pages are what the handbook is deployed to, which is not production.
func (w *world) pages() {
	r := w.repositories[len(w.repositories)-1]
	pages := &service{name: "handbook", repository: r, team: r.team, through: "github", production: "none"}
	for _, m := range r.main {
		if at := m.at + 20*timeline.Second; at < w.now && w.chance(400) {
			w.deploy(shipment{service: pages, sha: m.sha, environment: "github-pages", started: at, takes: 40 * timeline.Second, outcome: "success"})
		}
	}
}
