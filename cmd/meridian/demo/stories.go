package demo

import (
	"time"

	"meridian/streaming/timeline"
)

// What makes the weeks differ. Days are counted from the start of the history.

func (w *world) day(t timeline.Millis) int { return int((t - w.start) / timeline.Day) }

// launch is mobile's: from the middle of the fifth week to the end of the sixth.
func (w *world) launch(t timeline.Millis) bool {
	d := w.day(t)
	return d >= 33 && d < 42
}

// trouble is the shop's week of incidents, the tenth.
func (w *world) trouble(t timeline.Millis) bool {
	d := w.day(t)
	return d >= 63 && d < 70
}

// outage is the working day in the third week in which the hooks of mobile's
// repositories deliver nothing; it comes that night.
func (o *Organisation) outage() timeline.Window {
	z := mustZone(saigon)
	d := z.Date(o.start + 18*timeline.Day)
	for d.Weekday() != time.Wednesday {
		d = d.AddDays(1)
	}
	return timeline.Window{Start: z.Midnight(d) + 9*timeline.Hour, End: z.Midnight(d) + 18*timeline.Hour}
}

// improving is what goes from one number to another over the history, and stays
// there.
func (w *world) improving(t timeline.Millis, from, to int) int {
	return from + (to-from)*min(max(w.day(t), 0), HistoryDays)/HistoryDays
}

// teamAt is the team that p works for.
func (w *world) teamAt(p *person, t timeline.Millis) string {
	if p.moved != "" && t >= w.org.moved() {
		return p.moved
	}
	return p.team
}

// pickup is the median wait for a review in a team, in working time.
func (w *world) pickup(t *team, at timeline.Millis) timeline.Millis {
	if t.name == platform {
		return timeline.Millis(w.improving(at, 15*60, 75)) * timeline.Minute
	}
	if t.name == storefront && w.trouble(at) {
		return 12 * t.pickup // everybody is busy with something else
	}
	return t.pickup
}

// owl is how likely p does something in the evening or at the weekend, in
// thousandths.
func (w *world) owl(p *person, t timeline.Millis) int {
	if w.teamAt(p, t) == mobile && w.launch(t) {
		return 620
	}
	return p.owl
}

// changes is how many changes p begins on a working day, in thousandths; or on
// another.
func (w *world) changes(p *person, t timeline.Millis, working bool) int {
	n := p.busy
	if !working {
		n = p.owl / 2
	}
	switch team := w.teamAt(p, t); {
	case team == mobile && w.launch(t):
		if working {
			return n * 3 / 2
		}
		return 550
	case w.trouble(t) && (team == storefront || team == payments):
		return n * 6 / 10
	}
	return n
}

// leaves gives everybody some days off, and all but two the organisation's
// holiday.
func (w *world) leaves() {
	for i, p := range w.people {
		first := p.zone.Date(w.start + w.between(5*timeline.Day, 80*timeline.Day))
		for n := range 4 + w.IntN(6) {
			p.leave[first.AddDays(n)] = true
		}
		if i%13 != 3 {
			p.leave[w.org.holiday()] = true
		}
	}
}

// answer is when p gets to do something that came up at t and takes its turn after
// so much working time; some answer from home.
func (w *world) answer(p *person, t, wait timeline.Millis) timeline.Millis {
	at := seconds(p.after(t, wait+w.between(timeline.Minute, 15*timeline.Minute)))
	if !w.chance(w.owl(p, t)) {
		return at
	}
	for d := p.zone.Date(t); ; d = d.AddDays(1) {
		minute := 19*60 + w.IntN(285)
		if len(p.schedule.On(d).Spans) == 0 {
			minute = 10*60 + w.IntN(13*60) // on a day off
		}
		if evening := seconds(p.local(d, minute)); evening > t+10*timeline.Minute {
			return min(at, evening) // who stays on does not wait for the evening
		}
	}
}

// reviewer is a colleague of p's team who is not on leave, now and then one of
// another team.
func (w *world) reviewer(p *pull, t timeline.Millis, but ...*person) *person {
	home := p.repository.team.name
	for range 60 {
		r := pick(w.dice, w.people)
		if r == p.author || contains(but, r) || r.leave[r.zone.Date(t)] {
			continue
		}
		if w.teamAt(r, t) == home || w.chance(25) {
			return r
		}
	}
	return w.people[0]
}

func contains(list []*person, p *person) bool {
	for _, o := range list {
		if o == p {
			return true
		}
	}
	return false
}
