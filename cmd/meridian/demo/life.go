package demo

import (
	"cmp"
	"slices"

	"meridian/streaming/timeline"
)

// begun is that somebody opens a pull request. author nil is the bot that updates
// dependencies.
type begun struct {
	at         timeline.Millis
	author     *person
	repository *repository
}

// begin decides who opens pull requests, and when.
func (w *world) plan() []begun {
	var plan []begun
	for _, p := range w.people {
		for d := p.zone.Date(w.start); d <= p.zone.Date(w.now); d = d.AddDays(1) {
			noon := p.local(d, 12*60)
			working := p.works(d)
			if p.leave[d] {
				continue
			}
			for range w.count(w.changes(p, noon, working)) {
				at := w.moment(p, d, working)
				if at > w.start && at < w.now {
					plan = append(plan, begun{at, p, pick(w.dice, w.team(w.teamAt(p, at)).repositories)})
				}
			}
		}
	}
	for _, r := range w.repositories {
		for at := w.start + 5*timeline.Hour + w.between(0, timeline.Hour); at < w.now; at += 7 * timeline.Day {
			for n := range 1 + w.IntN(2) {
				if t := seconds(at) + timeline.Millis(n)*90*timeline.Second; t < w.now {
					plan = append(plan, begun{t, nil, r})
				}
			}
		}
	}
	slices.SortStableFunc(plan, func(a, b begun) int { return cmp.Compare(a.at, b.at) })
	return plan
}

// moment is some time of p's day d: more often in the middle of the working hours
// than at their ends, or in the evening.
func (w *world) moment(p *person, d timeline.Date, working bool) timeline.Millis {
	if !working {
		return seconds(p.local(d, 9*60+w.IntN(13*60)))
	}
	spans := p.schedule.On(d).Spans
	s := pick(w.dice, spans)
	if w.chance(w.owl(p, p.local(d, 12*60))) {
		return seconds(p.local(d, 18*60+30) + w.between(0, 5*timeline.Hour))
	}
	length := s.To - s.From
	minute := s.From + (w.IntN(length)+w.IntN(length))/2
	return seconds(p.local(d, minute) + w.between(0, timeline.Minute))
}

// pulls plays every pull request of the history, one after the other.
func (w *world) pulls() {
	for _, b := range w.plan() {
		p := w.newPull(b.repository, b.author, b.at)
		if b.author == nil {
			w.playUpdate(p)
		} else {
			w.play(p)
		}
		if p.closed == 0 {
			w.waiting = append(w.waiting, p)
		}
	}
	for _, r := range w.repositories {
		for at := w.start + w.between(0, 9*timeline.Day); at < w.now; at += w.between(7*timeline.Day, 16*timeline.Day) {
			by := w.colleague(r.team, at)
			if t := w.answer(by, at, w.around(timeline.Hour)); t < w.now {
				w.straight(r, by, t)
			}
		}
	}
	w.pushArrivals()
}

// play is the life of a pull request, as far as it lies before now.
func (w *world) play(p *pull) {
	author, team := p.author, p.repository.team
	first := w.prepare(p)
	p.draft = w.chance(150)
	w.open(p, p.created, first)
	ready := p.created
	if p.draft {
		var ok bool
		if ready, ok = w.playDraft(p); !ok {
			return
		}
	}
	if p.issue != nil && ready < w.now {
		w.move(p.issue, inReview(), author, ready+2*timeline.Minute)
	}
	reviewer := w.reviewer(p, ready)
	if t := ready + 3*timeline.Second; t < w.now {
		w.ask(p, t, reviewer)
	}
	if t := ready + w.seconds(20, 55); team.robot && t < w.now {
		w.review(p, t, robot(), "commented")
	}
	if t := ready + w.seconds(5, 600); w.chance(45) && t < w.now {
		w.review(p, t, author.user(), "commented") // a word on one's own change
	}

	t := ready
	for round := 0; ; round++ {
		wait := w.pickup(team, t)
		if round > 0 {
			wait /= 3
		}
		asked := t
		t = w.answer(reviewer, t, w.around(wait))
		if w.chance(220) {
			by := w.reviewer(p, asked)
			if said := w.answer(by, asked, w.around(wait/3)); said < t && said < w.now {
				w.remark(p, said, by.user())
			}
		}
		if t >= w.now {
			return
		}
		state := "approved"
		if w.chance(team.rounds) && round < 3 {
			state = "changes_requested"
		} else if w.chance(120) && round < 3 {
			state = "commented"
		}
		w.judge(p, t, reviewer, state)
		if state == "approved" {
			break
		}
		if state == "changes_requested" {
			fixed := w.answer(author, t, w.around(90*timeline.Minute))
			if fixed >= w.now {
				return
			}
			w.correct(p, fixed, []timeline.Millis{fixed - w.seconds(60, 900)})
			t = fixed
		}
		if w.chance(250) {
			reviewer = w.reviewer(p, t, reviewer)
		}
	}
	w.finish(p, t, reviewer)
}

func (w *world) seconds(a, b int) timeline.Millis {
	return timeline.Millis(a+w.IntN(b-a)) * timeline.Second
}

// prepare is what comes before the pull request: the issue, and the commits, whose
// author times it returns.
func (w *world) prepare(p *pull) []timeline.Millis {
	coding := w.around(9 * timeline.Hour)
	if p.repository.team.name == payments {
		coding = w.around(30 * timeline.Hour)
	}
	begins := p.created - coding
	var authored []timeline.Millis
	for range 1 + w.IntN(3) {
		t := p.author.after(begins+w.between(0, coding), 0) + w.between(0, 40*timeline.Minute)
		if t >= p.created {
			t = p.created - w.between(30*timeline.Second, 25*timeline.Minute)
		}
		authored = append(authored, seconds(t))
	}
	slices.Sort(authored)
	if w.chance(550) {
		reported := begins - w.around(2*timeline.Day)
		begins = min(begins, authored[0])
		if reported > w.start {
			kind := "Story"
			if w.chance(300) {
				kind = "Bug"
			}
			p.issue = w.create(p.repository.team.project, kind, w.reviewer(p, reported), p.author, nil, reported)
			p.title = p.issue.key + " " + p.title
			if w.chance(250) {
				by := w.reviewer(p, reported)
				if said := w.answer(by, reported, w.around(30*timeline.Minute)); said < begins {
					w.discuss(p.issue, by, said)
				}
			}
			w.move(p.issue, inProgress(), p.author, begins)
		}
	}
	return authored
}

// playDraft is the time until somebody else is to look at it: it reports false for
// one that never gets there.
func (w *world) playDraft(p *pull) (ready timeline.Millis, ok bool) {
	t := w.answer(p.author, p.created, w.around(6*timeline.Hour))
	if w.chance(80) {
		if t < w.now {
			w.abandon(p, t, p.user)
		}
		return 0, false
	}
	for {
		if t >= w.now {
			return 0, false
		}
		w.ready(p, t)
		if !w.chance(150) {
			return t, true
		}
		back := t + w.seconds(300, 7200)
		if back >= w.now {
			return 0, false
		}
		w.toDraft(p, back)
		t = w.answer(p.author, back, w.around(3*timeline.Hour))
	}
}

// finish is what comes after the approval.
func (w *world) finish(p *pull, t timeline.Millis, reviewer *person) {
	author := p.author
	by := author
	if w.chance(250) {
		by = reviewer
	}
	if w.chance(45) {
		t = w.answer(author, t, w.around(3*timeline.Hour))
		if t >= w.now {
			return
		}
		w.abandon(p, t, author.user())
		if !w.chance(300) {
			return
		}
		if t += w.seconds(600, 86_400); t >= w.now {
			return
		}
		w.reopen(p, t)
	}
	if p.auto = w.chance(60); p.auto {
		t += w.seconds(20, 400)
	} else {
		t = w.answer(by, t, w.around(25*timeline.Minute))
	}
	if t >= w.now {
		return
	}
	w.merge(p, t, by.user())
	if w.chance(20) {
		by := w.reviewer(p, t)
		if late := w.answer(by, t, w.around(timeline.Hour)); late < w.now {
			w.review(p, late, by.user(), "commented")
		}
	}
	if p.issue != nil {
		w.resolve(p.issue, author, w.answer(author, t, w.around(timeline.Hour)))
	}
}

// resolve closes an issue, and now and then it was not over.
func (w *world) resolve(i *issue, by *person, t timeline.Millis) {
	if t >= w.now {
		w.working = append(w.working, i)
		return
	}
	w.move(i, done(), by, t)
	again := w.answer(i.reporter, t, w.around(20*timeline.Hour))
	if !w.chance(40) || again >= w.now {
		return
	}
	w.move(i, inProgress(), i.reporter, again)
	if t = w.answer(by, again, w.around(4*timeline.Hour)); t < w.now {
		w.move(i, done(), by, t)
	}
}

// playUpdate is the life of a bot's pull request.
func (w *world) playUpdate(p *pull) {
	p.added, p.removed = 1+w.IntN(8), 1+w.IntN(8)
	w.open(p, p.created, []timeline.Millis{p.created - 5*timeline.Second})
	by := w.reviewer(p, p.created)
	t := w.answer(by, p.created, w.around(10*timeline.Hour))
	if t >= w.now {
		return
	}
	if w.chance(250) {
		w.abandon(p, t, p.user) // a newer one takes its place
		return
	}
	w.judge(p, t, by, "approved")
	if t += w.seconds(30, 900); t < w.now {
		w.merge(p, t, by.user())
	}
}
