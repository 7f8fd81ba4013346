package metrics_test

import (
	"fmt"
	"testing"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// benchLog is what route makes of 30 days of 200 teams: of each pull request
// that it is opened, changed twice, reviewed and merged, each with the act that
// it is.
func benchLog(n int) []streaming.Record[event.Routed] {
	start := timeline.UTC().Midnight(monday)
	log := make([]streaming.Record[event.Routed], 0, n)
	step := 30 * timeline.Day / timeline.Millis(n)
	kinds := []event.Kind{event.PullRequestOpened, event.PullRequestUpdated, event.PullRequestUpdated, event.ReviewSubmitted, event.PullRequestMerged}
	acts := []event.ActKind{event.ActOpened, 0, 0, event.ActReviewed, event.ActMerged}
	for i := 0; len(log) < n; i++ {
		// Of 40 pull requests at a time, the next fact of one after another.
		pr, fact := i%40+i/200*40, i/40%5
		at := start + timeline.Millis(len(log))*step
		who := event.PersonID{byte(pr), byte(fact), 1}
		r := event.Routed{
			Copy: event.Home, Team: fmt.Sprintf("team-%d", pr%200), Verdict: event.Accepted, Received: at, Clock: at,
			Event: event.Event{
				ID: event.NewID(fmt.Sprint(i)), Source: event.GitHub, Kind: kinds[fact], Time: at, Created: start,
				Entity:      event.EntityID(fmt.Sprintf("github/repo/%d/pr/%d", pr%200, pr)),
				Scope:       event.Scope{Repository: "acme/web"},
				Actor:       event.Account{Provider: "github", Key: "71", Login: "mai"},
				PullRequest: &event.PullRequest{Number: int64(pr), Created: start, Author: event.Account{Provider: "github", Key: "70", Login: "jonas"}, URL: "https://github.example/acme/web/pull/7"},
			},
			Author: event.Person{ID: event.PersonID{byte(pr)}}, Actor: event.Person{ID: who},
		}
		switch kinds[fact] {
		case event.ReviewSubmitted:
			r.Event.Review = &event.Review{Key: fmt.Sprint(i), State: event.ReviewApproved, Submitted: at}
		case event.PullRequestMerged:
			r.Event.PullRequest.Merged = at
		}
		add := func() {
			log = append(log, streaming.Record[event.Routed]{Origin: streaming.Origin{Offset: int64(len(log))}, Value: r})
		}
		add()
		if acts[fact] != 0 {
			r.Copy, r.Event.PullRequest, r.Event.Review = event.Activity, nil, nil
			r.Act = &event.Act{Key: "event/" + r.Event.ID.String(), Kind: acts[fact], At: at, Primary: true, Zone: "UTC", Known: event.ZoneConfigured, Class: timeline.Class(i % 3)}
			add()
		}
	}
	return log[:n]
}

// One core: the real definitions and folds, cells, aggregates and rows.
func BenchmarkDefinitions(b *testing.B) {
	log := benchLog(200_000)
	last := streaming.RoundOf(log[len(log)-1].Value.Event.Time + 1)
	for _, c := range []struct {
		name string
		tick timeline.Millis // 0: history, everything at its end
	}{{"history", 0}, {"tick=10min", 10 * timeline.Minute}} {
		b.Run(c.name, func(b *testing.B) {
			config := metrics.Config{
				Generation: 1, Catalog: staffCatalog(), Definitions: metrics.Definitions(), Folds: metrics.Folds(),
				Horizon: metrics.DefaultHorizon, Bounds: testBounds,
			}
			if c.tick == 0 {
				config.HistoryEnd = last
			}
			b.ReportAllocs()
			rows := 0
			emit := func(metrics.Row) { rows++ }
			for b.Loop() {
				e, err := metrics.NewEngine(config)
				if err != nil {
					b.Fatal(err)
				}
				next := last.Clock()
				if c.tick > 0 {
					next = log[0].Value.Event.Time + c.tick
				}
				for i := range log {
					for log[i].Value.Event.Time > next && c.tick > 0 {
						r := streaming.RoundOf(next)
						e.Tick(r.Clock(), streaming.NewVersion(1, r), emit)
						next += c.tick
					}
					e.Apply(0, log[i], emit)
				}
				e.Tick(last.Clock(), streaming.NewVersion(1, last), emit)
			}
			b.ReportMetric(float64(len(log)*b.N)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(float64(rows)/float64(b.N*len(log)), "rows/event")
		})
	}
}
