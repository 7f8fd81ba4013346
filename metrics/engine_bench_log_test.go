package metrics

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// benchScale is how dense a log is. A team of 5,000 copies in 30 days is one of
// 200 that make a million.
type benchScale struct {
	first  int // number of the first team
	teams  int
	days   int
	copies int // of all teams
}

// engineLog is what route makes of teams that work as teams do: on working
// days, pull requests that are opened, pushed to, reviewed by one or two of six
// people, commented on and merged; for every other one an issue that goes through
// its statuses, and a deployment of one of two services. Each fact is a home
// copy; what a human did by hand is an activity copy too. By time.
func engineLog(s benchScale) []streaming.Record[event.Routed] {
	rng := rand.New(rand.NewPCG(7, uint64(s.first)))
	start := timeline.UTC().Midnight(timeline.MakeDate(2026, 3, 2))
	var log []event.Routed
	names := make([]string, s.teams)
	for i := range names {
		names[i] = fmt.Sprintf("team-%03d", s.first+i)
	}
	next := 0
	for len(log) < s.copies {
		team := next % s.teams
		next++
		day := timeline.Millis(rng.IntN(s.days))
		at := start + day*timeline.Day + 8*timeline.Hour + timeline.Millis(rng.Int64N(int64(9*timeline.Hour)))
		log = append(log, benchWork(rng, names[team], s.first+team, next, at)...)
	}
	slices.SortStableFunc(log, func(a, b event.Routed) int { return int(a.Event.Time - b.Event.Time) })
	log = log[:s.copies]
	out := make([]streaming.Record[event.Routed], len(log))
	for i := range log {
		out[i] = streaming.Record[event.Routed]{Origin: streaming.Origin{Offset: int64(i)}, Value: log[i]}
	}
	return out
}

// benchInput is a log as it lies on a topic. A log of records in memory would be
// most of what the collector looks at, and cold; decoded in batches, records come
// as the engine gets them.
type benchInput struct {
	data []byte
	ends []int
	at   []timeline.Millis // event times
}

func encodeLog(log []streaming.Record[event.Routed]) (in benchInput) {
	for i := range log {
		in.data = event.AppendRouted(in.data, &log[i].Value)
		in.ends = append(in.ends, len(in.data))
		in.at = append(in.at, log[i].Value.Event.Time)
	}
	return in
}

// batch decodes up to n records from the given one on.
func (in *benchInput) batch(b testing.TB, d *event.Decoder, into []streaming.Record[event.Routed], from, n int) []streaming.Record[event.Routed] {
	into = into[:0]
	for i := from; i < min(from+n, len(in.ends)); i++ {
		begin := 0
		if i > 0 {
			begin = in.ends[i-1]
		}
		r, err := d.Routed(in.data[begin:in.ends[i]])
		if err != nil {
			b.Fatal(err)
		}
		into = append(into, streaming.Record[event.Routed]{Origin: streaming.Origin{Offset: int64(i)}, Value: r})
	}
	return into
}

// benchWork is the copies of one change, from its issue to its deployment.
func benchWork(rng *rand.Rand, team string, number, change int, at timeline.Millis) (log []event.Routed) {
	repository := fmt.Sprintf("acme/%s", team)
	login := func(i int) string { return fmt.Sprintf("%s-%d", team, i) }
	person := func(i int) event.Person {
		return event.Person{ID: event.PersonID{byte(number), byte(number >> 8), byte(i), 1}, Known: true}
	}
	account := func(i int) event.Account {
		return event.Account{Provider: "github", Key: fmt.Sprint(number*10 + i), Login: login(i)}
	}
	later := func(most timeline.Millis) { at += timeline.Minute + timeline.Millis(rng.Int64N(int64(most))) }
	author := rng.IntN(6)
	reviewer := (author + 1 + rng.IntN(5)) % 6
	created := at
	n := 0
	add := func(who int, act event.ActKind, e event.Event, change func(*event.Routed)) {
		n++
		e.ID, e.Time = event.NewID(team, fmt.Sprint(number, at, n)), at
		e.Scope.Repository = repository
		e.Actor = account(who)
		r := event.Routed{
			Copy: event.Home, Team: team, Verdict: event.Accepted, Received: at + 2000, Clock: at - 1000, Event: e,
			Actor: person(who), Author: person(author), Service: []string{"checkout", "search"}[number%2],
		}
		if change != nil {
			change(&r)
		}
		log = append(log, r)
		if act != 0 {
			r.Copy = event.Activity
			r.Event.PullRequest, r.Event.Review, r.Event.Comment, r.Event.Issue, r.Event.Deployment = nil, nil, nil, nil, nil
			r.Act = &event.Act{
				Key: "event/" + e.ID.String(), Kind: act, At: at, Primary: true, Zone: "Europe/Berlin", Known: event.ZoneConfigured,
				Class: timeline.Class(max(0, rng.IntN(10)-6)),
			}
			log = append(log, r)
		}
	}
	pr := func(who int, act event.ActKind, kind event.Kind, change func(*event.Routed)) {
		add(who, act, event.Event{
			Source: event.GitHub, Kind: kind, Created: created, Entity: event.EntityID(fmt.Sprintf("github/repo/%d/pr/%d", number, at/1000*0+created)),
			PullRequest: &event.PullRequest{
				Number: int64(created), Author: account(author), Created: created, State: "open", BaseRef: "main", IntoMain: true, HeadRef: fmt.Sprintf("topic-%d", created),
				HeadSHA: fmt.Sprintf("%040x", n), Additions: int64(rng.IntN(300)), URL: "https://github.example/" + repository + "/pull/7",
			},
		}, change)
	}
	issue := func(kind event.Kind, act event.ActKind, from, to string) {
		category := map[string]event.StatusCategory{"To Do": event.CategoryToDo, "In Progress": event.CategoryInProgress, "Done": event.CategoryDone}
		add(author, act, event.Event{
			Source: event.Jira, Kind: kind, Created: created, Entity: event.EntityID(fmt.Sprintf("jira/acme/issue/%d-%d", number, created)),
			Issue: &event.Issue{
				Key: fmt.Sprintf("OPS-%d", created), Type: "Story", Created: created, Current: event.Status{Name: to, Category: category[to]},
				From: event.Status{Name: from, Category: category[from]}, To: event.Status{Name: to, Category: category[to]},
			},
		}, nil)
	}
	tracked := change%2 == 0
	if tracked {
		issue(event.IssueCreated, 0, "", "To Do")
		later(4 * timeline.Hour)
		issue(event.IssueTransitioned, event.ActTransitioned, "To Do", "In Progress")
		later(2 * timeline.Hour)
		created = at
	}
	pr(author, event.ActOpened, event.PullRequestOpened, nil)
	pr(author, 0, event.ReviewRequested, func(r *event.Routed) { r.Event.PullRequest.RequestedReviewer = account(reviewer) })
	for range 1 + rng.IntN(2) {
		later(6 * timeline.Hour)
		review := event.Review{Key: fmt.Sprint(at, n), State: event.ReviewCommented, Submitted: at}
		pr(reviewer, event.ActReviewed, event.ReviewSubmitted, func(r *event.Routed) { r.Event.Review = &review })
		later(2 * timeline.Hour)
		pr(author, event.ActCommented, event.PullRequestCommented, func(r *event.Routed) { r.Event.Comment = &event.Comment{Key: fmt.Sprint(at), Created: at} })
		pr(author, 0, event.PullRequestUpdated, nil)
	}
	later(6 * timeline.Hour)
	approval := event.Review{Key: fmt.Sprint(at, n), State: event.ReviewApproved, Submitted: at}
	pr(reviewer, event.ActReviewed, event.ReviewSubmitted, func(r *event.Routed) { r.Event.Review = &approval })
	later(timeline.Hour)
	pr(author, event.ActMerged, event.PullRequestMerged, func(r *event.Routed) {
		r.Event.PullRequest.Merged, r.Event.PullRequest.MergedBy = at, account(author)
	})
	if tracked {
		issue(event.IssueTransitioned, event.ActTransitioned, "In Progress", "Done")
		began := at
		for _, state := range []event.DeploymentState{event.DeploymentRunning, event.DeploymentSuccess} {
			later(20 * timeline.Minute)
			add(author, 0, event.Event{
				Source: event.GitHub, Kind: event.DeploymentStatus, Created: began, Entity: event.EntityID(fmt.Sprintf("github/repo/%d/deployment/%d", number, began)),
				Deployment: &event.Deployment{Key: fmt.Sprint(began), State: state, Created: began, Finished: at, URL: "https://github.example/" + repository + "/deployments/7"},
			}, func(r *event.Routed) { r.Production = true })
		}
	}
	return log
}

// benchConfig is the built-in metrics over teams in Berlin.
func benchConfig() Config {
	zone, err := timeline.LoadZone("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	return Config{
		Generation: 1, Catalog: catalog.Empty(catalog.Options{Zone: zone}), Definitions: Definitions(), Folds: Folds(), Horizon: DefaultHorizon,
		Bounds: map[event.Source]timeline.Millis{event.GitHub: 5 * timeline.Minute, event.Jira: 15 * timeline.Minute, event.Deploy: 10 * timeline.Minute},
	}
}

// cpuTime is what this process has used of all cores, the collector included: it
// can be compared where other processes are about, and time on the wall cannot.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
