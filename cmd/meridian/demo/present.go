package demo

import (
	"slices"
	"strconv"

	"meridian/streaming/timeline"
)

// What happens live. It happens many times faster than in the history, or nobody
// would stay to watch; so that durations stay what they are, people take up what
// has waited long enough, and where there is nothing, something from before that
// the hooks had not told of: payloads say themselves when things were created.

const (
	longEnough = 45 * timeline.Minute
	mostOpen   = 2_000 // pull requests, and issues
)

// happen plays one thing at a time, whatever it is.
func (w *world) happen(at timeline.Millis) {
	by := w.somebody(at)
	if by == nil { // nobody is at work: mostly machines are
		if w.chance(650) {
			w.machines(at)
			return
		}
		by = w.sleepless(at)
	}
	switch n := w.IntN(1000); {
	case n < 150:
		w.begins(by, at)
	case n < 370:
		w.looksAt(by, at)
	case n < 570:
		w.finishes(by, at)
	case n < 640:
		w.goesOn(by, at)
	case n < 700:
		if p := w.found(w.team(w.teamAt(by, at)), by, func(p *pull) bool { return !p.draft }); p != nil {
			w.remark(p, at, by.user())
		}
	case n < 920:
		w.tracks(by, at)
	default:
		w.machines(at)
	}
}

// somebody is one who is at work, nil where none is found.
func (w *world) somebody(at timeline.Millis) *person {
	for range 80 {
		if p := pick(w.dice, w.people); p.atWork(at) {
			return p
		}
	}
	return nil
}

// sleepless is one who is awake, if anybody is.
func (w *world) sleepless(at timeline.Millis) *person {
	p := w.people[0]
	for range 40 {
		if p = pick(w.dice, w.people); p.awake(at) {
			break
		}
	}
	return p
}

// usualPickup and usualMerge are by the clock on the wall what has become of a
// team's waits at the end of the history.
func usualPickup(t *team) timeline.Millis {
	return map[string]timeline.Millis{storefront: 70 * timeline.Minute, payments: 24 * timeline.Hour, mobile: 4 * timeline.Hour, platform: 8 * timeline.Hour}[t.name]
}

func usualMerge(t *team) timeline.Millis {
	return map[string]timeline.Millis{storefront: 4 * timeline.Hour, payments: 70 * timeline.Hour, mobile: 19 * timeline.Hour, platform: 34 * timeline.Hour}[t.name]
}

// begins opens a pull request, or, where too many are open, gives one up.
func (w *world) begins(by *person, at timeline.Millis) {
	if len(w.waiting) >= mostOpen {
		p := w.waiting[0]
		w.waiting = w.waiting[1:]
		w.abandon(p, at, p.user)
		return
	}
	p := w.newPull(pick(w.dice, w.team(w.teamAt(by, at)).repositories), by, at)
	p.draft = w.chance(150)
	w.open(p, at, []timeline.Millis{at - w.seconds(60, 5_400)})
	if !p.draft {
		w.ask(p, at+timeline.Second, w.reviewer(p, at))
		if p.repository.team.robot {
			w.review(p, at+w.seconds(5, 20), robot(), "commented")
		}
	}
	w.waiting = append(w.waiting, p)
}

// found is an open pull request of a team that fits, and is not by.
func (w *world) found(t *team, by *person, fits func(*pull) bool) *pull {
	for _, p := range w.waiting {
		if p.author != by && p.repository.team == t && fits(p) {
			return p
		}
	}
	return nil
}

// earlier is a pull request that has been open for about so long, which nobody has
// told of yet.
func (w *world) earlier(t *team, at, since timeline.Millis, but *person) *pull {
	author := w.people[0]
	for range 60 {
		if author = pick(w.dice, w.people); author != but && w.teamAt(author, at) == t.name {
			break
		}
	}
	p := w.newPull(pick(w.dice, t.repositories), author, seconds(at-w.around(since)))
	p.head = w.sha()
	p.updated = at
	return p
}

// looksAt reviews what has waited long enough.
func (w *world) looksAt(by *person, at timeline.Millis) {
	t := w.team(w.teamAt(by, at))
	p := w.found(t, by, func(p *pull) bool {
		return !p.draft && !p.approved && (!p.reviewed || p.corrected) && w.waited(p.created, at)
	})
	if p == nil {
		p = w.earlier(t, at, usualPickup(t), by)
		w.waiting = append(w.waiting, p)
	}
	state := "approved"
	if w.chance(t.rounds) {
		state = "changes_requested"
	}
	w.judge(p, at, by, state)
}

// finishes merges what has been approved for long enough, else something whose
// review was not heard of either.
func (w *world) finishes(by *person, at timeline.Millis) {
	t := w.team(w.teamAt(by, at))
	p := w.found(t, nil, func(p *pull) bool { return p.approved && w.waited(p.judged, at) })
	if p == nil {
		p = w.earlier(t, at, usualMerge(t), nil)
	}
	w.mergeNow(p, at, by.user())
}

// waited reports whether something of a time can be taken up: with little space
// left, at once.
func (w *world) waited(since, at timeline.Millis) bool {
	return since < at-longEnough || len(w.waiting) >= mostOpen
}

func (w *world) mergeNow(p *pull, at timeline.Millis, by *ghUser) {
	w.waiting = slices.DeleteFunc(w.waiting, func(o *pull) bool { return o == p })
	if len(p.commits) == 0 { // of before; its branch was never heard of
		author, zone := p.authorOfCommits()
		p.commits = []ghCommit{w.commit(p.repository, author, zone, p.created-w.seconds(600, 7_200), p.title, p.folder())}
	}
	w.merge(p, at, by)
	if p.issue != nil {
		w.move(p.issue, done(), p.author, at+timeline.Second)
	}
}

// goesOn corrects what was criticised, or lets others see a draft.
func (w *world) goesOn(by *person, at timeline.Millis) {
	t := w.team(w.teamAt(by, at))
	if p := w.found(t, nil, func(p *pull) bool {
		return p.reviewed && !p.approved && !p.corrected && p.head != "" && p.author != nil
	}); p != nil {
		w.correct(p, at, []timeline.Millis{at - w.seconds(60, 900)})
		return
	}
	if p := w.found(t, nil, func(p *pull) bool { return p.draft && p.created < at-longEnough }); p != nil {
		w.ready(p, at)
		return
	}
	w.begins(by, at)
}

// tracks does something in Jira.
func (w *world) tracks(by *person, at timeline.Millis) {
	t := w.team(w.teamAt(by, at))
	i := w.issueOf(t, at)
	switch n := w.IntN(1000); {
	case n < 300 || i == nil:
		if len(w.working) < mostOpen {
			i = w.create(t.project, pick(w.dice, []string{"Story", "Story", "Bug"}), by, by, nil, at)
			w.working = append(w.working, i)
			return
		}
		w.discuss(w.working[0], by, at)
	case n < 500:
		w.discuss(i, by, at)
	case n < 560:
		w.reports(t, by, at)
	case i.status == toDo():
		w.move(i, inProgress(), by, at)
	case i.status == inProgress():
		w.move(i, inReview(), by, at)
	default:
		w.move(i, done(), by, at)
		w.working = slices.DeleteFunc(w.working, func(o *issue) bool { return o == i })
	}
}

// issueOf is one of a team, that nobody has touched for a while if it is being
// worked on.
func (w *world) issueOf(t *team, at timeline.Millis) *issue {
	for _, i := range w.working {
		if i.project == t.project && (i.status == toDo() || i.updated < at-longEnough/3) {
			return i
		}
	}
	return nil
}

// reports is Jira Automation: it sends a finished issue with all of its history,
// whose changes then come late.
func (w *world) reports(t *team, by *person, at timeline.Millis) {
	began := seconds(at - w.around(18*timeline.Hour))
	if w.chance(100) {
		began -= 95 * timeline.Day // too late to count
	}
	i := &issue{
		id: w.nextID() - 1_900_000_000 + 100_000, project: t.project, kind: "Story", summary: w.title(), reporter: by, assignee: by,
		created: began - w.around(timeline.Day), updated: at, resolved: at, status: done(),
	}
	w.keys[t.project]++
	i.key = t.project + "-" + strconv.Itoa(w.keys[t.project]+100)
	history := func(at timeline.Millis, from, to status) map[string]any {
		return map[string]any{
			"id": w.change(), "author": by.jiraUser(), "created": jiraTime(at, by.zone),
			"items": []jiraItem{{"status", "jira", "status", &from.id, &from.name, &to.id, &to.name}},
		}
	}
	p := i.payload()
	w.jira(at, map[string]any{
		"id": p.ID, "self": p.Self, "key": p.Key, "fields": p.Fields,
		"changelog": map[string]any{"startAt": 0, "maxResults": 2, "total": 2, "histories": []any{
			history(at, inProgress(), done()), history(began, toDo(), inProgress()),
		}},
	})
}

// machines deploy what has been merged, update dependencies and merge what is
// approved.
func (w *world) machines(at timeline.Millis) {
	n := w.IntN(1000)
	if n < 600 {
		for range 12 {
			s := pick(w.dice, w.services)
			if arrived := len(s.repository.main); arrived >= w.shipped[s]+w.atOnce(s.team) {
				w.shipped[s] = arrived
				w.deploysNow(s, at)
				return
			}
		}
	}
	if n < 850 {
		for _, p := range w.waiting {
			if p.approved && (p.author == nil || w.waited(p.judged, at)) && p.updated < at {
				p.auto = true
				w.mergeNow(p, at, p.user)
				return
			}
		}
	}
	p := w.newPull(pick(w.dice, w.repositories), nil, at)
	p.added, p.removed = 1+w.IntN(8), 1+w.IntN(8)
	w.open(p, at, []timeline.Millis{at - 5*timeline.Second})
	w.review(p, at+w.seconds(2, 9), robot(), "approved")
	p.approved = true
	w.waiting = append(w.waiting, p)
}

// atOnce is how many changes a team lets come together before it deploys.
func (w *world) atOnce(t *team) int {
	return map[string]int{storefront: 2, payments: 15, mobile: 5, platform: 4}[t.name]
}

// deploysNow takes the tip of the default branch to production, in seconds: nobody
// watches a deployment for a quarter of an hour.
func (w *world) deploysNow(s *service, at timeline.Millis) {
	to := shipment{service: s, sha: s.repository.tip, environment: s.production, started: at, takes: w.seconds(8, 45), outcome: "success"}
	fate := w.IntN(1000)
	if fate < s.team.failing/3 {
		to.outcome = "failure"
	}
	id := w.deploy(to)
	if fate >= s.team.failing/3 && fate < s.team.failing && s.through == "deploy" {
		to.takes += w.seconds(60, 300)
		w.told(to, id, "rolled_back")
	}
}
