package webtest

import (
	"fmt"
	"math/rand/v2"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web"
)

// Empty is an instance that has just been started.
func Empty() *Organisation {
	return &Organisation{
		SourceList: []web.SourceStatus{
			{Provider: "github", Name: "github", Path: "/webhooks/github", Verify: "hmac", Source: event.GitHub, Secret: "7Q2N4KD3MZ5T6WB8XJHCR1VGPA", PerMinute: make([]int64, 60)},
			{Provider: "jira", Name: "jira", Path: "/webhooks/jira", Verify: "hmac", Source: event.Jira, Secret: "W9PZK2M6TDX4H7N3QRBC8VJ5GA", PerMinute: make([]int64, 60)},
			{Provider: "deploy", Name: "deploy", Path: "/webhooks/deploy", Verify: "hmac", Source: event.Deploy, Secret: "C5H8TRN3JX7KD2M9WPZQ4VB6GA", PerMinute: make([]int64, 60)},
		},
		Parts:       parts(),
		EngineState: web.EngineStatus{Logic: "1", Zones: timeline.DataHash()},
	}
}

func parts() []web.Health {
	return []web.Health{
		{Name: "kafka", OK: true, Detail: "embedded, 1 partition of deliveries"},
		{Name: "clickhouse", OK: true, Detail: "embedded, answers in 2 ms"},
		{Name: "engine", OK: true, Detail: "0.4 s behind the log"},
		{Name: "catalog", OK: true, Detail: "5 teams, 27 people"},
	}
}

type habits struct {
	team     web.Team
	people   int
	services []string
	prs      float64 // merged on a workday
	pickup   float64 // hours
	trend    float64 // factor on times over 100 days
	deploys  float64
	issues   float64
	late     float64 // share of acts after hours
	since    int     // days of coverage
}

// Acme has five teams that differ, a hundred days of history, and one of each
// thing that goes wrong.
func Acme() *Organisation {
	o := Empty()
	o.AsOfAnswer = metrics.AsOf{Generation: 1, Clock: Clock}
	o.Revised = map[timeline.Millis]bool{}
	all := []habits{
		{web.Team{Name: "web", Group: "shop", Zone: Zone("Asia/Ho_Chi_Minh")}, 8, []string{"checkout", "storefront"}, 6, 3.2, 0.55, 4.5, 3, .08, 200},
		{web.Team{Name: "payments", Group: "shop", Zone: Zone("Europe/Berlin")}, 6, []string{"payments"}, 3.5, 7, 1, 1.2, 2, .12, 200},
		{web.Team{Name: "platform", Group: "core", Zone: Zone("America/New_York")}, 7, []string{"gateway", "identity"}, 4, 26, 1.5, .5, 2.5, .21, 200},
		{web.Team{Name: "mobile", Group: "core", Zone: Zone("Asia/Kolkata")}, 4, []string{"app"}, 2, 5, 1, .25, 1.5, .15, 200},
		{web.Team{Name: "data", Group: "core", Zone: Zone("UTC")}, 3, []string{"warehouse"}, .6, 12, 1, .06, 0, .1, 12},
	}
	rng := rand.New(rand.NewPCG(3, 2026))
	for i, h := range all {
		o.List = append(o.List, h.team)
		o.work(h, i*100, rng)
	}
	o.quality(rng)
	o.seen(rng)
	return o
}

func (o *Organisation) work(h habits, firstPerson int, rng *rand.Rand) {
	z, today := h.team.Zone, h.team.Zone.Date(Clock)
	for _, s := range []event.Source{event.GitHub, event.Jira, event.Deploy} {
		if s == event.Jira && h.issues == 0 {
			continue
		}
		o.Covered = append(o.Covered, metrics.CoverageRow{Team: h.team.Name, Source: s, From: z.Midnight(today.AddDays(-h.since)), Last: Clock})
	}
	number := 100
	for day := today.AddDays(-min(100, h.since)); day <= today; day++ {
		weekend := day.Weekday() == 0 || day.Weekday() == 6
		factor := 1 + (h.trend-1)*float64(100-int(today-day))/100
		some := func(mean float64) int {
			if weekend {
				mean *= .04
			}
			n := int(mean)
			if rng.Float64() < mean-float64(n) {
				n++
			}
			if mean > 1 {
				n += rng.IntN(3) - 1
			}
			return max(n, 0)
		}
		at := func() timeline.Millis {
			return z.Midnight(day) + timeline.Millis((8.5+rng.NormFloat64()*.8+rng.Float64()*9)*float64(timeline.Hour))
		}
		hours := func(median float64) int64 {
			return int64(median * factor * (.25 + rng.ExpFloat64()) * float64(timeline.Hour))
		}
		put := func(metric metrics.Name, t timeline.Millis, value int64, service, label, url string) *metrics.ObservationRow {
			o.Rows = append(o.Rows, metrics.ObservationRow{Team: h.team.Name, Observation: metrics.Observation{
				Metric: metric, Entity: event.EntityID(label), At: t, Start: t - timeline.Millis(value), Value: value, Service: service,
				Outcome: metrics.Observed, Primary: true, Label: label, URL: url,
			}})
			r := &o.Rows[len(o.Rows)-1]
			if metric == "pr_merged" || metric == "deploy_frequency" {
				r.Value, r.Start = 1, 0
			}
			return r
		}
		for range some(h.prs) {
			number++
			label := fmt.Sprintf("acme/%s#%d", h.team.Name, number)
			url := fmt.Sprintf("https://github.example/acme/%s/pull/%d", h.team.Name, number)
			merged, pickup, review := at(), hours(h.pickup), hours(h.pickup*.7)
			if merged > Clock {
				continue
			}
			put("pr_pickup_time", merged-timeline.Millis(review), pickup, "", label, url)
			put("pr_review_time", merged, review, "", label, url)
			put("pr_time_to_merge", merged, pickup+review, "", label, url)
			put("pr_merged", merged, 1, "", label, url)
			if rng.IntN(6) == 0 {
				r := put("pr_pickup_time", merged-timeline.Millis(review), 0, "", label, url)
				r.Item, r.Outcome, r.Reason = "review/bot", metrics.Ignored, metrics.Bot
			}
			if rng.IntN(9) == 0 {
				r := put("pr_merged", merged, 1, "", fmt.Sprintf("acme/%s#%d", h.team.Name, number+5000), url)
				r.Outcome, r.Reason = metrics.Excluded, metrics.Bot
			}
		}
		for range some(h.deploys) {
			number++
			if t := at(); t <= Clock {
				r := put("deploy_frequency", t, 1, h.services[rng.IntN(len(h.services))], fmt.Sprintf("run-%d", number), "")
				if rng.IntN(8) == 0 {
					r.Outcome, r.Reason = metrics.Excluded, metrics.NotProduction
				}
			}
		}
		for range some(h.issues) {
			number++
			if t := at(); t <= Clock {
				put("issue_cycle_time", t, hours(60), "", fmt.Sprintf("%s-%d", "OPS", number), fmt.Sprintf("https://jira.example/browse/OPS-%d", number))
			}
		}
		for range some(float64(h.people) * 4) {
			t := at()
			if t > Clock {
				continue
			}
			number++
			r := put("after_hours", t, 1, "", fmt.Sprintf("act-%d", number), "")
			r.Start, r.Person, r.Known = 0, Person(firstPerson+rng.IntN(h.people)), event.ZoneConfigured
			if r.Person[0]%5 == 4 {
				r.Known = event.ZoneInferred
			}
			switch {
			case weekend:
				r.Hit, r.Class = true, timeline.WeekendClass
			case rng.Float64() < h.late:
				r.Hit, r.Class = true, timeline.Evening
			}
		}
		if rng.IntN(17) == 0 {
			o.Revised[z.Midnight(day)] = true
		}
	}
}

func (o *Organisation) quality(rng *rand.Rand) {
	kinds := []struct {
		source event.Source
		kind   event.Kind
		n      int64
	}{
		{event.GitHub, event.PullRequestOpened, 14}, {event.GitHub, event.PullRequestMerged, 12}, {event.GitHub, event.ReviewSubmitted, 31},
		{event.Jira, event.IssueTransitioned, 22}, {event.Deploy, event.DeploymentStatus, 9},
	}
	for day := timeline.Date(0); day < 100; day++ {
		for _, k := range kinds {
			q := metrics.QualityRow{Team: "web", Source: k.source, Kind: k.kind, Cell: timeline.CellOf(Clock - timeline.Millis(day)*timeline.Day - 3*timeline.Hour)}
			q.Decoded = k.n + rng.Int64N(9)
			q.Accepted = q.Decoded
			if rng.IntN(3) == 0 {
				q.Decoded, q.Duplicates = q.Decoded+2, 2
			}
			if rng.IntN(9) == 0 {
				q.LateAccepted = 1
			}
			if rng.IntN(40) == 0 {
				q.Decoded, q.Late = q.Decoded+1, 1
			}
			o.QualityRows = append(o.QualityRows, q)
		}
	}
	o.RejectRows = []metrics.RejectRow{
		{Team: "web", Source: event.GitHub, Kind: event.ReviewSubmitted, Entity: "github/repo/42/pr/7", Time: 4077666000000, Received: Clock - 40*timeline.Minute, Clock: Clock, Verdict: event.Quarantined, Reason: "future", Detail: "dated 2099-03-20T09:00:00Z, more than 10 min ahead"},
		{Team: "payments", Source: event.Deploy, Kind: event.DeploymentStatus, Entity: "deploy/ci/run-42/payments", Time: Clock - 120*timeline.Day, Received: Clock - 26*timeline.Hour, Clock: Clock, Verdict: event.Late, Reason: "late", Detail: "28 days beyond the horizon of 92 days"},
	}
}

func (o *Organisation) seen(rng *rand.Rand) {
	for i := range o.SourceList {
		s := &o.SourceList[i]
		s.Secret = ""
		s.Name = []string{"acme", "cloud", "ci"}[i]
		s.Path += "/" + s.Name
		s.Accepted, s.Ignored, s.Pings = []int64{48210, 9144, 1288}[i], []int64{1904, 12, 0}[i], []int64{3, 0, 0}[i]
		s.Last, s.LastType = Clock-timeline.Millis(i*i*70+2)*timeline.Second, []string{"pull_request_review", "jira:issue_updated", "deployment"}[i]
		s.Taken = s.Last
		for m := range s.PerMinute {
			s.PerMinute[m] = rng.Int64N([]int64{14, 5, 2}[i])
		}
	}
	o.SourceList[0].Unread = map[string]int64{"check_run.completed": 1211, "workflow_job.completed": 480, "star.created": 13, "pull_request.enqueued": 200}
	o.SourceList[1].Unread = map[string]int64{"worklog_created": 9, "worklog_updated": 3}
	s := &o.SourceList[1]
	s.Undecoded, s.Trouble, s.Why = 2, Clock-3*timeline.Hour, "it could not be decoded: it has no time"
	s.LastFailed, s.LastError = s.Trouble, s.Why
	s = &o.SourceList[2] // at which strangers knock
	s.Refused = map[int]int64{401: 4, 405: 1}
	s.LastFailed, s.LastError = Clock-30*timeline.Second, "no signature is right for this body; the secret here and on the other side differ, or something in between has changed the body"
	s.Unsigned = 4
	o.EngineState = web.EngineStatus{
		Generation: 1, Logic: "1", Catalog: "9f2c6b1de03a4477b1f0c9d2", Zones: timeline.DataHash(), Clock: Clock,
		Shards: []string{"events 0: clock 2026-03-03T14:05:00Z, 214 open entities, 1,204 cells, nothing pending", "events 1: clock 2026-03-03T14:05:00Z, 187 open entities, 998 cells, nothing pending"},
	}
}
