package simulation

import (
	"fmt"
	"strconv"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// chance draws numbers: from a seed, or from rapid, which can make them smaller.
type chance interface{ IntN(n int) int }

// one reports whether one case of n is drawn.
func one(c chance, n int) bool { return c.IntN(n) == 0 }

func pick[T any](c chance, of ...T) T { return of[c.IntN(len(of))] }

// senders make up deliveries about lives of pull requests, deployments and
// issues: facts in any order, copies, and what cannot be right.
type senders struct {
	chance  chance
	horizon timeline.Millis
	pulls   []*pull
	issues  int
	runs    int
	reviews int64
	sent    []*sent
}

// pull is a pull request as its provider knows it.
type pull struct {
	repository     int64
	number         int64
	opened         timeline.Millis
	merged, closed timeline.Millis
}

// sent is a delivery and where its key puts it.
type sent struct {
	key      int64
	delivery *ingest.LoggedDelivery
}

var repositories = []string{"acme/web", "acme/shop", "acme/pay", "acme/other"}

func account(login string) event.Account {
	return event.Account{Provider: "github", Key: "key of " + login, Login: login, Bot: login == "robot[bot]"}
}

func (s *senders) somebody() event.Account {
	return account(pick(s.chance, "mai", "jonas", "stranger", "robot[bot]"))
}

// happened draws the time of a fact that is sent at now: mostly just before, at
// times behind the bound, the horizon, or ahead of what can be.
func (s *senders) happened(now timeline.Millis) timeline.Millis {
	c := s.chance
	back := timeline.Millis(c.IntN(1000))
	switch c.IntN(12) {
	case 0:
		back *= 200 // up to three minutes
	case 1:
		back *= s.horizon / 1000
	case 2:
		back = s.horizon + timeline.Millis(c.IntN(4)-2)*15*timeline.Minute + timeline.Millis(c.IntN(3)-1)
	case 3:
		back = pick(c, 5*timeline.Minute, 10*timeline.Minute, 15*timeline.Minute) + timeline.Millis(c.IntN(3)-1)
	case 4:
		if one(c, 4) {
			back = -10*timeline.Minute - timeline.Millis(c.IntN(2))
		}
	}
	return now - back
}

// next makes the next delivery.
func (s *senders) next(now timeline.Millis) *sent {
	c := s.chance
	if len(s.sent) > 0 && one(c, 6) {
		return s.again(now)
	}
	d := &sent{delivery: &ingest.LoggedDelivery{Outcome: ingest.OutcomeAccepted, Delivery: ingest.Delivery{Provider: "github", Received: now, ViaAPI: one(c, 15)}}}
	for n := 1 + c.IntN(2); n > 0; n-- {
		e := s.fact(now)
		if one(c, 40) {
			e.Defect = "broken"
		}
		if len(d.delivery.Events) == 0 {
			d.key = e.key
		}
		if e.key == d.key { // a delivery is about one scope
			d.delivery.Events = append(d.delivery.Events, e.Event)
		}
	}
	s.sent = append(s.sent, d)
	return d
}

// again is one of the deliveries before, as a second hook, a redelivery or an API
// read brings it: the same ids, and times that may differ a little, or too much.
func (s *senders) again(now timeline.Millis) *sent {
	old := pick(s.chance, s.sent...)
	d := *old.delivery
	d.Delivery.Received, d.Delivery.ViaAPI = now, one(s.chance, 4)
	apart := timeline.Millis(0)
	if one(s.chance, 4) {
		apart = pick(s.chance, 10, 59*timeline.Minute, timeline.Hour, 61*timeline.Minute, -59*timeline.Minute)
	}
	d.Events = nil
	for _, e := range old.delivery.Events {
		e.Time += apart
		d.Events = append(d.Events, e)
	}
	return &sent{old.key, &d}
}

type keyed struct {
	event.Event
	key int64
}

func (s *senders) fact(now timeline.Millis) keyed {
	switch n := s.chance.IntN(10); {
	case n == 0:
		return s.deployment(now)
	case n == 1:
		return s.issue(now)
	case n == 2:
		return s.push(now)
	case n < 5 || len(s.pulls) == 0:
		return s.open(now)
	default:
		return s.goOn(now, pick(s.chance, s.pulls...))
	}
}

func (s *senders) open(now timeline.Millis) keyed {
	p := &pull{repository: int64(s.chance.IntN(len(repositories))), number: int64(len(s.pulls) + 1), opened: s.happened(now)}
	s.pulls = append(s.pulls, p)
	e := s.about(p, event.PullRequestOpened, p.opened, event.PullRequestOpenedID(p.repository, p.number))
	e.PullRequest.Draft = one(s.chance, 4)
	return e
}

func (s *senders) goOn(now timeline.Millis, p *pull) keyed {
	at := s.happened(now)
	switch s.chance.IntN(6) {
	case 0:
		if p.merged == 0 {
			p.merged, p.closed = at, at
		}
		return s.about(p, event.PullRequestMerged, p.merged, event.PullRequestMergedID(p.repository, p.number))
	case 1:
		p.closed = at
		return s.about(p, event.PullRequestClosed, at, event.PullRequestClosedID(p.repository, p.number, at))
	case 2:
		if p.merged == 0 {
			p.closed = 0
		}
		return s.about(p, event.PullRequestReopened, at, event.PullRequestReopenedID(p.repository, p.number, at))
	default:
		s.reviews++
		e := s.about(p, event.ReviewSubmitted, at, event.ReviewSubmittedID(p.repository, p.number, s.reviews))
		e.Review = &event.Review{Key: strconv.FormatInt(s.reviews, 10), State: pick(s.chance, event.ReviewCommented, event.ReviewApproved), Submitted: at}
		return e
	}
}

func (s *senders) about(p *pull, kind event.Kind, at timeline.Millis, id event.ID) keyed {
	return keyed{event.Event{
		ID: id, Source: event.GitHub, Kind: kind, Time: at, Created: p.opened, Actor: s.somebody(),
		Entity: event.EntityID(fmt.Sprintf("github/repo/%d/pr/%d", p.repository, p.number)),
		Scope:  event.Scope{Provider: "github", Repository: repositories[p.repository]},
		PullRequest: &event.PullRequest{
			Number: p.number, Author: account("mai"), Created: p.opened, Merged: p.merged, Closed: p.closed, Additions: p.number,
		},
	}, p.repository}
}

func (s *senders) push(now timeline.Millis) keyed {
	r := int64(s.chance.IntN(len(repositories)))
	at := s.happened(now)
	sha := fmt.Sprint(s.reviews, at)
	e := event.Event{
		ID: event.PushedID(r, "main", "", sha, at), Source: event.GitHub, Kind: event.Pushed, Time: at, Actor: s.somebody(),
		Entity: event.EntityID(fmt.Sprintf("github/repo/%d", r)), Scope: event.Scope{Provider: "github", Repository: repositories[r]},
		Push: &event.Push{Ref: "main", Default: true, After: sha},
	}
	for n := s.chance.IntN(3); n > 0; n-- {
		e.Push.Commits = append(e.Push.Commits, event.Commit{
			SHA: fmt.Sprint(sha, n), Author: s.somebody(), Authored: at - timeline.Millis(n)*timeline.Minute,
			Paths: []string{pick(s.chance, "services/checkout/a", "services/ledger/b", "README")},
		})
	}
	return keyed{e, r}
}

func (s *senders) deployment(now timeline.Millis) keyed {
	if s.runs == 0 || one(s.chance, 2) {
		s.runs++
	}
	run := "run-" + strconv.Itoa(1+s.chance.IntN(s.runs))
	at, state := s.happened(now), pick(s.chance, event.DeploymentRunning, event.DeploymentSuccess, event.DeploymentFailure)
	return keyed{event.Event{
		ID: event.DeployStateID("ci", run, "checkout-eu", "production", state, at), Source: event.Deploy, Kind: event.DeploymentStatus, Time: at,
		Entity: event.EntityID("deploy/ci/" + run + "/checkout-eu"), Actor: s.somebody(),
		Scope:      event.Scope{Provider: "deploy", Name: "ci", Service: "checkout-eu", Environment: "production"},
		Deployment: &event.Deployment{Key: run, State: state, Creator: account("jonas")},
	}, 100}
}

func (s *senders) issue(now timeline.Millis) keyed {
	if s.issues == 0 || one(s.chance, 2) {
		s.issues++
	}
	n := strconv.Itoa(1 + s.chance.IntN(s.issues))
	at := s.happened(now)
	to := pick(s.chance, "To Do", "In Progress", "Done")
	return keyed{event.Event{
		ID: event.IssueTransitionedID("acme", n, "", "", to, at), Source: event.Jira, Kind: event.IssueTransitioned, Time: at,
		Entity: event.EntityID("jira/acme/issue/" + n), Scope: event.Scope{Provider: "jira", Project: pick(s.chance, "WEB", "OPS")},
		Actor: event.Account{Provider: "jira", Key: "mai", Login: "mai"},
		Issue: &event.Issue{Key: "WEB-" + n, Type: "Story", Current: event.Status{Name: to}, To: event.Status{Name: to}, From: event.Status{Name: "To Do"}},
	}, 200}
}
