package metrics_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

var pullRequestMetrics = []string{
	"pr_pickup_time", "pr_pickup_time_working", "pr_first_response", "pr_time_to_approval", "pr_review_time", "pr_time_to_merge", "pr_draft_time",
	"pr_opened", "pr_merged", "pr_closed_unmerged", "pr_size", "pr_reviews", "pr_review_rounds", "pr_reviewer_response", "pr_coding_time",
}

func (o *oracle) pullRequests() {
	for _, events := range o.entities(func(e *event.Event) bool { return e.PullRequest != nil }) {
		p := &oraclePull{oracle: o, team: o.catalog.Home(events[0]), events: events}
		p.points()
	}
}

// oraclePull is a pull request with all its events, oldest first; of one instant,
// reviews come as their keys do.
type oraclePull struct {
	*oracle
	team           string
	events         []event.Event
	opened, merged *event.Event
	author         event.PersonID
	start          timeline.Millis // 0: it was never ready
}

func (p *oraclePull) points() {
	slices.SortStableFunc(p.events, func(a, b event.Event) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(answerKey(a), answerKey(b)))
	})
	var ready timeline.Millis
	for i := range p.events {
		switch e := &p.events[i]; e.Kind {
		case event.PullRequestOpened:
			p.opened = e
		case event.PullRequestMerged:
			p.merged = e
		case event.PullRequestReady:
			if ready == 0 {
				ready = e.Time
			}
		}
	}
	if author := p.catalog.Person(p.opened.PullRequest.Author); author.Bot {
		if p.merged != nil {
			for _, metric := range pullRequestMetrics {
				p.excluded(metric, p.team, "", p.merged.Time, "bot")
			}
		}
		return
	} else {
		p.author = author.ID
	}
	p.start = p.opened.Time
	if p.opened.PullRequest.Draft {
		if p.start = ready; p.merged != nil && ready > p.merged.Time {
			p.start = 0
		}
	}

	isReview := func(e event.Event) bool {
		return e.Kind == event.ReviewSubmitted || e.Kind == event.ReviewCommentedKind
	}
	first := p.wait("pr_pickup_time", isReview)
	if first != nil {
		p.value("pr_pickup_time", p.team, "", first.Time, int64(first.Time-p.start))
	}
	p.working(p.wait("pr_pickup_time_working", isReview))
	said := p.wait("pr_first_response", func(e event.Event) bool { return isReview(e) || e.Kind == event.PullRequestCommented })
	if said != nil {
		p.value("pr_first_response", p.team, "", said.Time, int64(said.Time-p.start))
	}
	approval := p.wait("pr_time_to_approval", func(e event.Event) bool { return isReview(e) && e.Review.State == event.ReviewApproved })
	if approval != nil {
		p.value("pr_time_to_approval", p.team, "", approval.Time, int64(approval.Time-p.start))
	}
	p.value("pr_opened", p.team, "", p.opened.Time, 1)
	p.coding()
	p.waiting(first)
	p.reviews()
	p.rounds()
	p.responses()
	p.ended()
	if p.merged == nil {
		return
	}
	at := p.merged.Time
	p.value("pr_merged", p.team, "", at, 1)
	if first != nil {
		p.value("pr_review_time", p.team, "", at, int64(at-first.Time))
	}
	if p.start != 0 {
		p.between("pr_time_to_merge", p.start, at, int64(at-p.start))
	}
}

// between is a value from one fact to another, in order.
func (p *oraclePull) between(metric string, from, to timeline.Millis, value int64) {
	if to < from {
		p.excluded(metric, p.team, "", to, "anomaly")
	} else {
		p.value(metric, p.team, "", to, value)
	}
}

func answerKey(e event.Event) string {
	switch e.Kind {
	case event.ReviewSubmitted:
		return "review/" + e.Review.Key
	case event.ReviewCommentedKind:
		return "comment/" + e.Review.Key
	}
	return ""
}

// never says why an answer counts for nothing.
func (p *oraclePull) never(e *event.Event) string {
	by := p.catalog.Person(e.Actor)
	switch {
	case by.Bot:
		return "bot"
	case by.Deleted:
		return "deleted_user"
	case by.ID == p.author:
		return "self"
	case e.Review != nil && e.Review.State == event.ReviewPending:
		return "pending"
	case e.Time < p.opened.Time:
		return "anomaly"
	}
	return ""
}

func (p *oraclePull) late(e *event.Event) bool { return p.merged != nil && e.Time > p.merged.Time }

// wait finds the first answer that counts, and counts those before it.
func (p *oraclePull) wait(metric string, isAnswer func(event.Event) bool) (first *event.Event) {
	reasons := map[*event.Event]string{}
	for i := range p.events {
		e := &p.events[i]
		if !isAnswer(*e) {
			continue
		}
		reason := p.never(e)
		switch {
		case reason != "":
		case p.late(e):
			reason = "after_merge"
		case p.start == 0 || e.Time < p.start:
			reason = "draft"
		}
		if reason != "" {
			reasons[e] = reason
		} else if first == nil {
			first = e
		}
	}
	for e, reason := range reasons {
		if first == nil {
			p.ignored(metric, p.team, e.Time, reason)
		} else if e.Time < first.Time {
			p.ignored(metric, p.team, first.Time, reason)
		}
	}
	return first
}

// working counts five minutes by five minutes; everything happens at such times.
func (p *oraclePull) working(first *event.Event) {
	if first == nil {
		return
	}
	const step = 5 * timeline.Minute
	who := p.catalog.Person(first.Actor).ID
	zone, known := p.catalog.ActZone(who, event.LocalEvidence{}, p.team, first.Time)
	worked := timeline.Millis(0)
	for t := p.start; t < first.Time; t += step {
		if timeline.Classify(zone, p.catalog.PersonSchedule(who, p.team), t) == timeline.Working {
			worked += step
		}
	}
	p.ofPerson("pr_pickup_time_working", p.team, first.Time, int64(worked), who, known)
}

func (p *oraclePull) reviews() {
	for i := range p.events {
		e := &p.events[i]
		if e.Kind != event.ReviewSubmitted {
			continue
		}
		if reason := p.never(e); reason != "" {
			p.ignored("pr_reviews", p.team, e.Time, reason)
		} else {
			p.ofPerson("pr_reviews", p.team, e.Time, 1, p.catalog.Person(e.Actor).ID, 0)
		}
	}
}

// heads are the commits that were shown until an instant.
func (p *oraclePull) heads(until timeline.Millis) map[string]bool {
	seen := map[string]bool{}
	for _, e := range p.events {
		if e.Time <= until && e.PullRequest.HeadSHA != "" {
			seen[e.PullRequest.HeadSHA] = true
		}
	}
	return seen
}

func (p *oraclePull) rounds() {
	var demand timeline.Millis
	for i := range p.events {
		e := &p.events[i]
		if e.Kind != event.ReviewSubmitted || p.never(e) != "" || p.late(e) {
			continue
		}
		if demand != 0 && len(p.heads(e.Time)) > len(p.heads(demand)) {
			p.value("pr_review_rounds", p.team, "", e.Time, 1)
			demand = 0
		}
		if e.Review.State == event.ReviewChangesRequested && demand == 0 {
			demand = e.Time
		}
	}
}

// responses looks at everybody who was asked, by person, and at every team.
func (p *oraclePull) responses() {
	type whom struct {
		person event.PersonID
		team   string
	}
	asked, withdrawn := map[whom][]timeline.Millis{}, map[whom][]timeline.Millis{}
	for _, e := range p.events {
		w := whom{p.catalog.Person(e.PullRequest.RequestedReviewer).ID, e.PullRequest.RequestedTeam}
		switch e.Kind {
		case event.ReviewRequested:
			asked[w] = append(asked[w], e.Time)
		case event.ReviewRequestRemoved:
			withdrawn[w] = append(withdrawn[w], e.Time)
		}
	}
	for w := range maps.Keys(asked) {
		var passed []string
		var at []timeline.Millis
		answered := false
		for i := range p.events {
			e := &p.events[i]
			if answerKey(*e) == "" || answered {
				continue
			}
			by := p.catalog.Person(e.Actor)
			if w.team == "" && by.ID != w.person || w.team != "" && !p.isOf(by.ID, w.team, e.Time) {
				continue
			}
			var since timeline.Millis
			for _, t := range asked[w] {
				open := t <= e.Time && !slices.ContainsFunc(withdrawn[w], func(x timeline.Millis) bool { return t <= x && x < e.Time })
				if open && (since == 0 || t < since) {
					since = t
				}
			}
			if since == 0 {
				continue
			}
			reason := p.never(e)
			if reason == "" && p.late(e) {
				reason = "after_merge"
			}
			switch {
			case reason != "":
				passed, at = append(passed, reason), append(at, e.Time)
				continue
			case w.team != "":
				p.excluded("pr_reviewer_response", p.team, "", e.Time, "team_request")
			default:
				p.ofPerson("pr_reviewer_response", p.team, e.Time, int64(e.Time-since), by.ID, 0)
				for i := range at {
					at[i] = e.Time
				}
			}
			answered = true
		}
		for i := range passed {
			if w.team == "" {
				p.ignored("pr_reviewer_response", p.team, at[i], passed[i])
			}
		}
	}
}

func (p *oraclePull) isOf(who event.PersonID, team string, at timeline.Millis) bool {
	known := strings.Contains(staff, "{name: "+team)
	teams := p.catalog.Teams(who, at)
	return !known || len(teams) == 0 || slices.Contains(teams, team)
}

// ended is what is dated at the merge, or at the last close.
func (p *oraclePull) ended() {
	var end timeline.Millis
	for _, e := range p.events {
		switch {
		case e.Kind == event.PullRequestClosed:
			end = e.Time
		case e.Kind == event.PullRequestReopened && e.Time > end:
			end = 0
		}
	}
	if p.merged != nil {
		end = p.merged.Time
		var size, stated timeline.Millis = 0, 0
		for _, e := range p.events {
			lines := timeline.Millis(e.PullRequest.Additions + e.PullRequest.Deletions)
			if lines != 0 && e.Time >= stated || e.Kind == event.PullRequestMerged {
				size, stated = lines, e.Time
			}
		}
		p.value("pr_size", p.team, "", end, int64(size))
	} else if end != 0 {
		p.value("pr_closed_unmerged", p.team, "", end, 1)
	}
	if end == 0 {
		return
	}
	const step = 5 * timeline.Minute
	var spent timeline.Millis
	ever := p.opened.PullRequest.Draft
	for t := p.opened.Time; t < end; t += step {
		draft := p.opened.PullRequest.Draft
		for _, e := range p.events {
			if e.Time <= t && (e.Kind == event.PullRequestReady || e.Kind == event.PullRequestDrafted) {
				draft = e.Kind == event.PullRequestDrafted
			}
		}
		if draft {
			spent, ever = spent+step, true
		}
	}
	if ever {
		p.between("pr_draft_time", p.opened.Time, end, int64(spent))
	}
}

// coding looks for the first commit among the pushes to the branch, from the last
// time before the opening that the branch was made, deleted or merged.
func (p *oraclePull) coding() {
	if p.start == 0 {
		return
	}
	first, ok := p.firstCommit()
	if !ok {
		p.excluded("pr_coding_time", p.team, "", p.start, "unknown_commit")
		return
	}
	p.known("pr_coding_time", p.team, "", p.start, int64(p.start-first), "measured")
}

func (p *oraclePull) firstCommit() (first timeline.Millis, ok bool) {
	branch, repository := "", strings.Split(string(p.opened.Entity), "/pr/")[0]
	for _, e := range p.events {
		if e.PullRequest.HeadRef != "" && !e.PullRequest.FromFork {
			branch = e.PullRequest.HeadRef
		}
	}
	created, end := p.opened.Time, timeline.Millis(1)<<60
	if p.merged != nil {
		end = p.merged.Time
	}
	// What cuts off the pushes before it: beside an instant, whether a push at
	// that very instant is still the branch's.
	type cut struct {
		at   timeline.Millis
		with bool
	}
	var cuts []cut
	var pushes []event.Event
	for _, e := range p.oracle.events {
		if pr := e.PullRequest; pr != nil && pr.Merged != 0 && pr.HeadRef == branch && !pr.FromFork && strings.HasPrefix(string(e.Entity), repository+"/pr/") && pr.Merged < created {
			cuts = append(cuts, cut{pr.Merged, false})
		}
		if e.Push == nil || string(e.Entity) != repository || e.Push.Ref != "refs/heads/"+branch || e.Push.Default {
			continue
		}
		pushes = append(pushes, e)
		switch {
		case e.Push.Created && e.Time <= created:
			cuts = append(cuts, cut{e.Time, true})
		case e.Push.Deleted && e.Time < created:
			cuts = append(cuts, cut{e.Time, false})
		case e.Push.Deleted && p.merged == nil:
			end = min(end, e.Time)
		}
	}
	for _, e := range pushes {
		another := slices.ContainsFunc(cuts, func(c cut) bool { return e.Time < c.at || e.Time == c.at && !c.with })
		if another || e.Time > end || branch == "" {
			continue
		}
		for _, c := range e.Push.Commits {
			if !c.Elsewhere && (first == 0 || c.Authored < first) {
				first = c.Authored
			}
		}
	}
	return first, first != 0 && first <= created
}

// waiting goes through what happened, instant by instant.
func (p *oraclePull) waiting(first *event.Event) {
	if p.start == 0 {
		return
	}
	var since timeline.Millis
	waits := func(at timeline.Millis, yes bool) {
		if yes && since == 0 {
			since = at
		}
		if !yes && since != 0 {
			if at > since {
				p.open("pr_waiting", p.team, "", since, at)
			}
			since = 0
		}
	}
	draft, closed := p.opened.PullRequest.Draft, false
	for i := 0; i < len(p.events); {
		at := p.events[i].Time
		var ready, drafted, reopened, closes, over bool
		for ; i < len(p.events) && p.events[i].Time == at; i++ {
			switch e := &p.events[i]; {
			case e.Kind == event.PullRequestReady:
				ready = true
			case e.Kind == event.PullRequestDrafted:
				drafted = true
			case e.Kind == event.PullRequestReopened:
				reopened = true
			case e.Kind == event.PullRequestClosed:
				closes = true
			case e.Kind == event.PullRequestMerged, e == first:
				over = true
			}
		}
		draft = !ready && (draft || drafted)
		closed = closes || closed && !reopened
		if over {
			waits(at, false)
			return
		}
		if at >= p.start {
			waits(at, !draft && !closed)
		}
	}
	if since != 0 {
		p.open("pr_waiting", p.team, "", since, 0)
	}
}
