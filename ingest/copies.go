package ingest

import (
	"cmp"
	"slices"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Copy is one copy of an event, or a tick, on its way to a partition of
// meridian.events.
type Copy struct {
	Partition int32 // of events: the one that owns the team, see [TeamPartition]
	Message   streaming.Message[event.Routed]
}

// fanOut emits the copies of one judged event: home, then one per act and team of
// the person in the order of the acts, then references by team. Only accepted
// events have more than the home copy.
func (r *Route) fanOut(o *ordinals, routed *event.Routed, home string, of *place) {
	e := &routed.Event
	routed.Copy, routed.Team = event.Home, home
	if routed.Verdict != event.Accepted {
		if routed.Verdict == event.Duplicate {
			stripBody(e) // counted and nothing else; the first copy has it all
		}
		o.emit(routed)
		return
	}

	catalog := r.config.Catalog
	switch {
	case e.Kind == event.Pushed && e.Push != nil:
		r.paths = r.paths[:0]
		for i := range e.Push.Commits {
			r.paths = append(r.paths, e.Push.Commits[i].Paths...)
		}
		if len(e.Push.Commits) > 0 { // without paths, all of the repository's
			routed.Services = catalog.Touched(e.Scope.Repository, r.paths, e.Time)
		}
		if e.Push.Default {
			routed.Commits = r.commits(e, routed.Services)
		}
	case e.Deployment != nil:
		routed.Service = catalog.Service(*e)
		routed.Production = catalog.Production(*e)
	case e.Issue != nil:
		routed.Service = catalog.Service(*e)
	}
	if !e.Actor.IsZero() {
		routed.Actor = catalog.Person(e.Actor)
	}
	if p := e.PullRequest; p != nil && !p.Author.IsZero() {
		routed.Author = catalog.Person(p.Author)
	}
	o.emit(routed)

	r.activities(o, routed, home, of)

	routed.Copy = event.Reference
	for _, team := range catalog.References(*e, home) {
		routed.Team = team
		o.emit(routed)
	}
}

// commits says of each commit of a push which services it touches by itself, and
// whether a bot wrote it. The slice is the copies' own.
func (r *Route) commits(e *event.Event, services []string) []event.RoutedCommit {
	catalog := r.config.Catalog
	commits := make([]event.RoutedCommit, len(e.Push.Commits))
	for i := range e.Push.Commits {
		c := &e.Push.Commits[i]
		commits[i] = event.RoutedCommit{Touches: event.EveryService, Bot: c.Author.Bot || !c.Author.IsZero() && catalog.Person(c.Author).Bot}
		if len(services) == 0 || len(c.Paths) == 0 {
			continue
		}
		commits[i].Touches = 0
		touched := catalog.Touched(e.Scope.Repository, c.Paths, e.Time)
		for place, service := range services[:min(len(services), 64)] {
			if slices.Contains(touched, service) {
				commits[i].Touches |= 1 << place
			}
		}
	}
	return commits
}

// activities emits the activity copies of an accepted event.
func (r *Route) activities(o *ordinals, accepted *event.Routed, home string, of *place) {
	full := &accepted.Event
	r.acts = actsOf(full, r.acts[:0])
	if len(r.acts) == 0 && full.Push == nil {
		return // most events: spare them a copy of a kilobyte
	}
	routed := &r.acted
	*routed = *accepted
	stripBody(&routed.Event)
	routed.Copy, routed.Commits = event.Activity, nil
	for i := range r.acts {
		a := &r.acts[i]
		who := r.config.Catalog.Person(a.who)
		if a.kind == event.ActDeployed && of != nil {
			if of.act == nil {
				of.act = &starting{who.ID, a.at}
				r.places.changed(hashEntity(full.Entity))
			}
			if of.act.who != who.ID {
				continue // somebody started it before
			}
			a.teamsAt = of.act.at
		}
		r.activity(o, routed, home, a, who)
	}
	if full.Push != nil {
		for i := range full.Push.Commits {
			commit := &full.Push.Commits[i]
			if commit.Author.IsZero() {
				continue
			}
			r.coAuthors(o, routed, home, commit, repositoryOf(full.Entity))
			who := r.config.Catalog.Person(commit.Author)
			a := act{
				key:   commitKey(who.ID, commit.Authored, repositoryOf(full.Entity)),
				kind:  event.ActCommit,
				at:    commit.Authored,
				local: commit.Local,
			}
			r.activity(o, routed, home, &a, who)
		}
	}
}

// coAuthors emits the acts of those who wrote a commit with its author: of each
// it is as much a commit. What the commit says of a local time is the author's.
func (r *Route) coAuthors(o *ordinals, routed *event.Routed, home string, commit *event.Commit, repository event.EntityID) {
	author := r.config.Catalog.Person(commit.Author).ID
	var seen []event.PersonID
	for _, account := range commit.CoAuthors {
		who := r.config.Catalog.Person(account)
		if who.ID == author || slices.Contains(seen, who.ID) {
			continue
		}
		seen = append(seen, who.ID)
		r.activity(o, routed, home, &act{key: commitKey(who.ID, commit.Authored, repository), kind: event.ActCommit, at: commit.Authored}, who)
	}
}

// activity emits one act to each team of its person; somebody in no team works
// for the team of what they touch. It leaves its marks in routed, which the next
// act overwrites.
func (r *Route) activity(o *ordinals, routed *event.Routed, home string, a *act, who event.Person) {
	catalog := r.config.Catalog
	routed.Actor = who
	ignored := a.ignored
	switch {
	case who.Bot:
		ignored = ignoredBot
	case who.Deleted:
		ignored = ignoredDeleted
	}
	teams := catalog.Teams(who.ID, cmp.Or(a.teamsAt, a.at))
	if len(teams) == 0 {
		r.home[0] = home
		teams = r.home[:]
	}
	for i, team := range teams {
		zone, known := catalog.ActZone(who.ID, a.local, team, a.at)
		routed.Team = team
		routed.Act = r.newAct()
		*routed.Act = event.Act{
			Key:     a.key,
			Kind:    a.kind,
			At:      a.at,
			Primary: i == 0,
			Zone:    zone.Name(),
			Known:   known,
			Class:   timeline.Classify(zone, catalog.PersonSchedule(who.ID, team), a.at),
			Ignored: ignored,
		}
		o.emit(routed)
	}
}

// actsAtOnce are allocated together. They are read and forgotten together too.
const actsAtOnce = 32

func (r *Route) newAct() *event.Act {
	if len(r.made) == 0 {
		r.made = make([]event.Act, actsAtOnce)
	}
	one := &r.made[0]
	r.made = r.made[1:]
	return one
}

// bare returns e without its body.
func bare(e event.Event) event.Event {
	stripBody(&e)
	return e
}

func stripBody(e *event.Event) {
	e.PullRequest, e.Review, e.Comment, e.Push, e.Deployment, e.Issue, e.Repository = nil, nil, nil, nil, nil, nil, nil
}

// meansNothing reports whether an event is of what need not be a deployment, as
// a run of a workflow, and the catalog does not say that it is one. It is judged
// and counted, and nothing comes of it.
func (r *Route) meansNothing(e *event.Event) bool {
	return e.Deployment != nil && e.Deployment.OnlyIfNamed && r.config.Catalog.Service(*e) == ""
}

// stillOpen reports whether an entity goes on after this fact about it.
func (r *Route) stillOpen(e *event.Event) bool {
	switch {
	case e.PullRequest != nil:
		return e.PullRequest.Merged == 0 && e.PullRequest.Closed == 0
	case e.Issue != nil:
		return e.Kind != event.IssueDeleted && r.config.Catalog.Category(e.Issue.Current) != event.CategoryDone
	case e.Deployment != nil:
		switch e.Deployment.State {
		case event.DeploymentUnknown, event.DeploymentPending, event.DeploymentRunning:
			return true
		}
	}
	return false
}

// hasLife reports whether an event is about something that begins and ends, and
// whose home is therefore fixed.
func hasLife(e *event.Event) bool {
	return e.PullRequest != nil || e.Issue != nil || e.Deployment != nil
}

// ordinals numbers the copies of one delivery and sends each to its partition.
type ordinals struct {
	origin     streaming.Origin
	partitions int32
	to         func(Copy)
	direct     Direct // instead of to
}

// Direct takes a copy for a partition of events where it is made; what it points
// to is good until it returns.
type Direct func(partition int32, origin streaming.Origin, routed *event.Routed)

func (o *ordinals) emit(routed *event.Routed) {
	o.emitTo(TeamPartition(routed.Team, o.partitions), routed)
}

func (o *ordinals) emitTo(partition int32, routed *event.Routed) {
	if o.direct != nil {
		o.direct(partition, o.origin, routed)
	} else {
		o.to(Copy{
			Partition: partition,
			Message:   streaming.Message[event.Routed]{Record: streaming.Record[event.Routed]{Origin: o.origin, Value: *routed}},
		})
	}
	o.origin.Ordinal++
}
