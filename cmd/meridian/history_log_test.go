package main

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"meridian/cmd/meridian/config"
	"meridian/cmd/meridian/demo"
	"meridian/ingest"
	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// manyPast is 90 days of many organisations on an embedded broker's disk: that of
// the demo again and again, each with names, numbers, people and zones of its own.
// An organisation has 19,000 deliveries of one event, of 1.6 kB with their bodies,
// and four teams. hot is the share of them that is one team, see hotTeam.
func manyPast(b testing.TB, events int, hot float64) (p past, deliveries int) {
	b.Helper()
	own, organisations, text, err := manyOrganisations(manyEnd, events, hot)
	if err != nil {
		b.Fatal(err)
	}
	return pastOf(b, own, organisations, text), len(own) * organisations
}

// densePast is manyPast's log as a company has it that is busier: the last 30 days of it
// and two events in most deliveries, as of a push. Organisations share their teams until
// there are no more than that.
func densePast(b testing.TB, events, teams int) (p past, deliveries int) {
	b.Helper()
	own, organisations, text, err := denseOrganisations(manyEnd, events, teams)
	if err != nil {
		b.Fatal(err)
	}
	return pastOf(b, own, organisations, text), len(own) * organisations
}

// manyEnd is when the logs end.
const manyEnd = timeline.Millis(1_772_445_600_000)

// pastOf is a log on an embedded broker's disk, and a generation that begins at its end.
func pastOf(b testing.TB, own []*ingest.LoggedDelivery, organisations int, text []byte) past {
	b.Helper()
	broker, err := kafka.StartBroker(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(broker.Close)
	l := &deliveryLog{Config: broker.Config(""), broker: broker, archive: kafka.OpenArchive(b.TempDir(), nil), partitions: 1}
	if err := kafka.EnsureTopics(b.Context(), l.Config, l.Topics(1)...); err != nil {
		b.Fatal(err)
	}
	last, err := fillMany(b.Context(), l, own, organisations)
	if err != nil {
		b.Fatal(err)
	}
	cat, err := catalog.Parse("demo", text, catalog.Options{Key: make([]byte, 32), Zone: timeline.UTC()})
	if err != nil {
		b.Fatal(err)
	}
	m, err := manifest(config.Default(), cat, 1)
	if err != nil {
		b.Fatal(err)
	}
	m.Number, m.Reason, m.HistoryEnd = 2, "bench", streaming.RoundOf(last)
	if m.HistoryOffsets, err = historyOffsets(b.Context(), l, m.HistoryEnd); err != nil {
		b.Fatal(err)
	}
	pins, err := pinsOf(m, cat)
	if err != nil {
		b.Fatal(err)
	}
	return past{l, pins, m}
}

// manyOrganisations is the demo's history up to an instant, how many organisations have
// so many events with it, and the catalog of all.
func manyOrganisations(at timeline.Millis, events int, hot float64) (own []*ingest.LoggedDelivery, organisations int, text []byte, err error) {
	org := demo.New(1, at)
	if own, err = demoDeliveries(org); err != nil {
		return nil, 0, nil, err
	}
	of := eventsOf(own)
	organisations = (events + of - 1) / of
	text, err = manyCatalogs(org.Catalog(), organisations, int(hot*float64(organisations)), 1)
	return own, organisations, text, err
}

// denseOrganisations are those of densePast.
func denseOrganisations(at timeline.Millis, events, teams int) (own []*ingest.LoggedDelivery, organisations int, text []byte, err error) {
	org := demo.New(1, at)
	all, err := demoDeliveries(org)
	if err != nil {
		return nil, 0, nil, err
	}
	own = paired(lastDays(all, 30))
	of := eventsOf(own)
	organisations = (events + of - 1) / of
	const teamsOfOne = 4
	text, err = manyCatalogs(org.Catalog(), organisations, 0, max(1, organisations*teamsOfOne/teams))
	return own, organisations, text, err
}

// demoDeliveries are those of the demo, as they are on the log.
func demoDeliveries(org *demo.Organisation) (own []*ingest.LoggedDelivery, err error) {
	one, err := catalog.Parse("demo", org.Catalog(), catalog.Options{Key: make([]byte, 32), Zone: timeline.UTC()})
	if err != nil {
		return nil, err
	}
	by := decoders(one)
	for line := range org.History() {
		_, d := ingest.DecodeArchived(by[line.Delivery.Provider], *line.Delivery)
		own = append(own, d)
	}
	return own, nil
}

func eventsOf(all []*ingest.LoggedDelivery) (n int) {
	for _, d := range all {
		n += len(d.Events)
	}
	return n
}

func lastDays(all []*ingest.LoggedDelivery, days timeline.Millis) []*ingest.LoggedDelivery {
	from := all[len(all)-1].Delivery.Received - days*timeline.Day
	i, _ := slices.BinarySearchFunc(all, from, func(d *ingest.LoggedDelivery, t timeline.Millis) int {
		return cmp.Compare(d.Delivery.Received, t)
	})
	return all[i:]
}

// paired puts the events of each delivery into the next one of its source.
func paired(all []*ingest.LoggedDelivery) (out []*ingest.LoggedDelivery) {
	waiting := map[string]*ingest.LoggedDelivery{}
	for _, d := range all {
		first := waiting[d.Delivery.Provider]
		if first == nil {
			waiting[d.Delivery.Provider] = d
			continue
		}
		both := *d
		both.Events = slices.Concat(first.Events, d.Events)
		delete(waiting, d.Delivery.Provider)
		out = append(out, &both)
	}
	return out
}

// fillMany puts their log on one partition, and returns the last tick.
func fillMany(ctx context.Context, l *deliveryLog, own []*ingest.LoggedDelivery, organisations int) (last timeline.Millis, err error) {
	sink := kafka.NewTopicSink(l.Config, l.DeliveriesTopic(), func(e ingest.Entry) (int32, []byte, []byte) { return 0, nil, ingest.EncodeEntry(e) })
	defer sink.Close()
	var batch []ingest.Entry
	for i, d := range own {
		for n := range organisations {
			batch = append(batch, ingest.Entry{Delivery: inOrganisation(d, n)})
		}
		last = d.Delivery.Received + timeline.Second
		if batch = append(batch, ingest.Entry{Tick: last}); len(batch) >= 5_000 || i == len(own)-1 {
			if err := sink.Put(ctx, 0, batch); err != nil {
				return 0, err
			}
			batch = batch[:0]
		}
	}
	return last, sink.Flush(ctx, 0)
}

// inOrganisation is a delivery as it comes in one of many organisations. Its body
// stays: nobody reads it.
func inOrganisation(d *ingest.LoggedDelivery, n int) *ingest.LoggedDelivery {
	o := organisationName(n)
	again := *d
	again.ID = d.ID[:26] + fmt.Sprintf("%06d", n)
	again.Events = slices.Clone(d.Events)
	for i := range again.Events {
		o.event(&again.Events[i])
	}
	return &again
}

// organisationName renames what the demo's catalog and events name.
type organisationName int

func (o organisationName) name(s string) string {
	if s == "" {
		return ""
	}
	return fmt.Sprintf("o%d-%s", o, s)
}

// key is of a Jira project or an issue in it.
func (o organisationName) key(s string) string {
	if s == "" {
		return ""
	}
	return fmt.Sprintf("O%d%s", o, s)
}

func (o organisationName) keys(s []string) (out []string) {
	for _, k := range s {
		out = append(out, o.key(k))
	}
	return out
}

func (o organisationName) account(a event.Account) event.Account {
	if a.Login != "" {
		a.Email = "" // the login says who it is
	}
	a.Login, a.Key = o.name(a.Login), o.name(a.Key)
	return a
}

// entity changes the number of a repository, the site of an issue, and the name
// of a deploy system.
func (o organisationName) entity(id event.EntityID) event.EntityID {
	if rest, ok := strings.CutPrefix(string(id), "github/repo/"); ok {
		return event.EntityID(fmt.Sprintf("github/repo/%d%s", 10+int(o), rest))
	}
	provider, rest, _ := strings.Cut(string(id), "/")
	return event.EntityID(provider + "/" + o.name(rest))
}

func (o organisationName) event(e *event.Event) {
	e.ID = event.NewID(e.ID.String(), fmt.Sprint(int(o)))
	e.Entity = o.entity(e.Entity)
	e.Scope.Repository, e.Scope.Service, e.Scope.Project = o.name(e.Scope.Repository), o.name(e.Scope.Service), o.key(e.Scope.Project)
	e.Actor = o.account(e.Actor)
	if e.PullRequest != nil {
		p := *e.PullRequest
		p.Author, p.MergedBy, p.RequestedReviewer, p.IssueKeys = o.account(p.Author), o.account(p.MergedBy), o.account(p.RequestedReviewer), o.keys(p.IssueKeys)
		e.PullRequest = &p
	}
	if e.Review != nil {
		r := *e.Review
		r.Author = o.account(r.Author)
		e.Review = &r
	}
	if e.Push != nil {
		p := *e.Push
		p.Commits = slices.Clone(p.Commits)
		for i := range p.Commits {
			c := &p.Commits[i]
			c.Author, c.IssueKeys, c.CoAuthors = o.account(c.Author), o.keys(c.IssueKeys), slices.Clone(c.CoAuthors)
			for j := range c.CoAuthors {
				c.CoAuthors[j] = o.account(c.CoAuthors[j])
			}
		}
		e.Push = &p
	}
	if e.Deployment != nil {
		d := *e.Deployment
		d.OriginalService, d.Creator, d.FixesIncident = o.name(d.OriginalService), o.account(d.Creator), o.key(d.FixesIncident)
		e.Deployment = &d
	}
	if e.Issue != nil {
		i := *e.Issue
		i.Key, i.Reporter, i.FormerKeys = o.key(i.Key), o.account(i.Reporter), o.keys(i.FormerKeys)
		e.Issue = &i
	}
}

// aDate would be read as a time.
var aDate = regexp.MustCompile(`\b\d{4}-\d\d-\d\d\b`)

// manyCatalogs is the catalog of many organisations: the same teams, people and
// services under other names. The first hot of them are one team; so many of the others in
// turn share the teams of their first.
func manyCatalogs(text []byte, organisations, hot, share int) ([]byte, error) {
	var all map[string]any
	if err := yaml.Unmarshal(aDate.ReplaceAll(text, []byte(`"$0"`)), &all); err != nil {
		return nil, err
	}
	list := func(of map[string]any, key string, rename func(string) string) {
		old, _ := of[key].([]any)
		var now []any
		for _, v := range old {
			switch v := v.(type) {
			case string:
				now = append(now, rename(v))
			case map[string]any: // a membership
				m := clone(v)
				m["team"] = rename(v["team"].(string))
				now = append(now, m)
			}
		}
		if old != nil {
			of[key] = now
		}
	}
	var teams, people, services []any
	united := map[string]map[string]any{}
	for n := range organisations {
		o := organisationName(n)
		team := func(name string) string {
			if n < hot {
				return hotTeam
			}
			return organisationName(n - n%share).name(name)
		}
		for _, t := range all["teams"].([]any) {
			t := clone(t.(map[string]any))
			list(t, "repositories", o.name)
			list(t, "services", o.name)
			list(t, "jira", o.key)
			t["name"], t["group"] = team(t["name"].(string)), o.name(t["group"].(string))
			name := t["name"].(string)
			if united[name] == nil {
				united[name] = t
				teams = append(teams, t)
				continue
			}
			for _, key := range []string{"repositories", "services", "jira"} {
				was, _ := united[name][key].([]any)
				more, _ := t[key].([]any)
				united[name][key] = append(was, more...)
			}
		}
		for _, p := range all["people"].([]any) {
			p := clone(p.(map[string]any))
			p["name"] = o.name(p["name"].(string))
			list(p, "github", o.name)
			list(p, "jira", o.name)
			list(p, "emails", o.name)
			list(p, "teams", team)
			if n < hot {
				p["teams"] = []any{hotTeam}
			}
			people = append(people, p)
		}
		for _, s := range all["services"].([]any) {
			s := clone(s.(map[string]any))
			s["name"] = o.name(s["name"].(string))
			list(s, "repositories", o.name)
			list(s, "deploys", o.name)
			if of, ok := s["incidents"].(map[string]any); ok {
				of = clone(of)
				of["jira"] = o.key(of["jira"].(string))
				s["incidents"] = of
			}
			services = append(services, s)
		}
	}
	all["teams"], all["people"], all["services"] = teams, people, services
	return yaml.Marshal(all)
}

// hotTeam is the team that several organisations are, where one is to be large.
const hotTeam = "hot"

func clone(m map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = v
	}
	return out
}
