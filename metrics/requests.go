package metrics

import (
	"cmp"
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// request says that a review was asked of somebody, or is no longer.
type request struct {
	Of        string // an account, by key or else by login; or a team
	At        timeline.Millis
	Withdrawn bool
	Who       who // without its person
	Team      string
}

func (q request) compare(o request) int {
	return cmp.Or(strings.Compare(q.Of, o.Of), q.inTime(o))
}

// inTime puts what was asked and withdrawn in one instant in this order.
func (q request) inTime(o request) int {
	switch c := cmp.Compare(q.At, o.At); {
	case c != 0 || q.Withdrawn == o.Withdrawn:
		return c
	case o.Withdrawn:
		return -1
	}
	return 1
}

func (f *PullRequestFold) requested(r *event.Routed) {
	p := r.Event.PullRequest
	q := request{At: r.Event.Time, Withdrawn: r.Event.Kind == event.ReviewRequestRemoved, Team: p.RequestedTeam}
	switch a := p.RequestedReviewer; {
	case q.Team != "":
		q.Of = "team/" + q.Team
	case a.Key != "":
		q.Of, q.Who = "account/"+a.Key, whoIs(a, event.Person{})
	case a.Login != "":
		q.Of, q.Who = "login/"+strings.ToLower(a.Login), whoIs(a, event.Person{})
	default:
		return // of an account that is gone
	}
	i, found := slices.BinarySearchFunc(f.Requests, q, request.compare)
	if found {
		f.Requests[i].Who.see(q.Who)
		return
	}
	f.Requests = slices.Insert(f.Requests, i, q)
}

// asked is one of whom reviews were asked, a person or a team, and when.
type asked struct {
	who      who
	team     string
	requests []request
}

// asked returns all of whom reviews were asked. Accounts of one person are one.
func (f *PullRequestFold) asked(v View) []asked {
	var all []asked
	for _, q := range f.Requests {
		if q.Team == "" {
			p := v.Catalog.Person(event.Account{Provider: "github", Key: q.Who.Key, Login: q.Who.Login, Bot: q.Who.Bot, Deleted: q.Who.Deleted})
			q.Who.Person = p.ID
		}
		i := slices.IndexFunc(all, func(a asked) bool { return a.team == q.Team && (q.Team != "" || a.who.same(&q.Who)) })
		if i < 0 {
			i = len(all)
			all = append(all, asked{who: q.Who, team: q.Team})
		}
		all[i].requests = append(all[i].requests, q)
	}
	for i := range all {
		slices.SortStableFunc(all[i].requests, request.inTime)
	}
	return all
}

// since returns from when on a review is asked for at an instant, 0 where it is
// not. A review in the very instant of a request answers it, and in the very
// instant of a withdrawal still did.
func (a *asked) since(t timeline.Millis) (since timeline.Millis) {
	for _, q := range a.requests {
		switch {
		case q.At > t || q.At == t && q.Withdrawn:
			return since
		case q.Withdrawn:
			since = 0
		case since == 0:
			since = q.At
		}
	}
	return since
}
