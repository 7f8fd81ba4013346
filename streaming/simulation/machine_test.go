package simulation

import (
	"cmp"
	"fmt"
	"sync"

	"meridian/ingest"
	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// layout is what a generation is made of.
type layout struct {
	generation         streaming.Generation // 0: the first
	deliveries, events int32                // partitions
	horizon            timeline.Millis
	engineHorizon      timeline.Millis // 0: the same
	bounds             map[event.Source]timeline.Millis
	catalog            *catalog.Catalog
	definitions        []*metrics.Definition
	folds              []metrics.FoldKind
	historyEnd         streaming.Round
}

// number is the generation's.
func (l *layout) number() streaming.Generation { return cmp.Or(l.generation, 1) }

var bounds = map[event.Source]timeline.Millis{
	event.GitHub: 5 * timeline.Minute, event.Jira: 15 * timeline.Minute, event.Deploy: 10 * timeline.Minute,
}

// acme is an organisation with teams in several zones, a person in two teams, one
// who moves from one to another, a repository that changes hands, and a shared one.
var acme = sync.OnceValue(func() *catalog.Catalog {
	const yaml = `
zone: Europe/Berlin
teams:
  - {name: web, zone: Asia/Ho_Chi_Minh, repositories: [acme/web, {value: acme/shop, from: 2026-03-20}], jira: [WEB]}
  - {name: payments, zone: Australia/Lord_Howe, repositories: [acme/pay, {value: acme/shop, to: 2026-03-19}], services: [ledger]}
  - {name: platform, zone: America/St_Johns, services: [checkout]}
people:
  - {name: Mai, github: [mai], jira: [mai], zone: Asia/Ho_Chi_Minh, teams: [{team: web, to: 2026-03-24}, {team: payments, from: 2026-03-25}]}
  - {name: Jonas, github: [jonas], jira: [jonas], zone: Europe/Berlin, teams: [platform, payments]}
services:
  - {name: checkout, repositories: [acme/web], paths: ["services/checkout/**"], deploys: ["checkout-*"]}
  - {name: ledger, repositories: [acme/web], paths: ["services/ledger/**"]}
`
	c, err := catalog.Parse("catalog.yaml", []byte(yaml), catalog.Options{Key: make([]byte, 32)})
	if err != nil {
		panic(err)
	}
	return c
})

// moved is the same organisation after a change of its catalog.
var moved = sync.OnceValue(func() *catalog.Catalog {
	const yaml = `
zone: Asia/Kathmandu
teams:
  - {name: web, zone: Europe/Berlin, repositories: [acme/pay], jira: [WEB]}
  - {name: shop, zone: America/St_Johns, repositories: [acme/shop, acme/web], services: [checkout]}
people:
  - {name: Mai, github: [mai], jira: [mai], zone: Asia/Ho_Chi_Minh, teams: [shop]}
`
	c, err := catalog.Parse("catalog.yaml", []byte(yaml), catalog.Options{Key: make([]byte, 32)})
	if err != nil {
		panic(err)
	}
	return c
})

var nobody = sync.OnceValue(func() *catalog.Catalog { return catalog.Empty(catalog.Options{Key: make([]byte, 32)}) })

func (l *layout) route(partition int32) (streaming.Program[ingest.Entry, ingest.Copy], error) {
	return ingest.NewRoute(ingest.RouteConfig{
		Generation: l.number(), Partition: partition, EventPartitions: l.events, Horizon: l.horizon, Bounds: l.bounds,
		FutureSkew: 10 * timeline.Minute, HistoryEnd: l.historyEnd, Catalog: l.catalog,
	})
}

func (l *layout) engine(int32) (streaming.Program[event.Routed, metrics.Row], error) {
	return metrics.NewEngine(metrics.Config{
		Generation: l.number(), Catalog: l.catalog, Definitions: l.definitions, Folds: l.folds, Horizon: cmp.Or(l.engineHorizon, l.horizon),
		Bounds: l.bounds, HistoryEnd: l.historyEnd,
	})
}

func (l *layout) upstreams() []int32 {
	ps := make([]int32, l.deliveries)
	for p := range ps {
		ps[p] = int32(p)
	}
	return ps
}

// straight is the machine without anything between its parts: each partition of
// deliveries from its beginning to its end, one after the other.
type straight struct {
	layout   *layout
	judges   []*ingest.Route
	routes   []*streaming.Shard[ingest.Entry, ingest.Copy]
	engines  []*streaming.Shard[event.Routed, metrics.Row]
	programs []*metrics.Engine
	rows     rows
	copies   func(ingest.Copy)
	put      func(shard int32, row metrics.Row)
}

func newStraight(l *layout) *straight {
	s := &straight{layout: l, rows: rows{}, copies: func(ingest.Copy) {}}
	s.put = func(shard int32, row metrics.Row) { s.rows.put(storedOf(shard, row)) }
	for p := range l.deliveries {
		route, err := l.route(p)
		if err != nil {
			panic(err)
		}
		s.judges = append(s.judges, route.(*ingest.Route))
		s.routes = append(s.routes, streaming.NewShard(l.number(), []int32{p}, route))
	}
	for p := range l.events {
		engine, err := l.engine(p)
		if err != nil {
			panic(err)
		}
		s.programs = append(s.programs, engine.(*metrics.Engine))
		s.engines = append(s.engines, streaming.NewShard(l.number(), l.upstreams(), engine))
	}
	return s
}

// feed reads one message of a partition of deliveries through to the rows.
func (s *straight) feed(m streaming.Message[ingest.Entry]) {
	s.routes[m.Origin.Partition].Feed(m.Origin.Offset, m, func(c ingest.Copy) {
		s.copies(c)
		s.engines[c.Partition].Feed(0, c.Message, func(row metrics.Row) { s.put(c.Partition, row) })
	})
}

// play runs a log from beginning to end.
func (s *straight) play(deliveries []*topic) error {
	for p, log := range deliveries {
		var d ingest.EntryDecoder
		for offset, data := range log.records {
			e, err := d.Entry(data)
			if err != nil {
				return fmt.Errorf("%s, offset %d: %w", log.name, offset, err)
			}
			s.feed(ingest.EntryMessage(int32(p), int64(offset), e))
		}
	}
	return nil
}
