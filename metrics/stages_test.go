package metrics_test

import (
	"slices"
	"testing"

	"meridian/ingest"
	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// stages are the whole machine in memory: one partition of deliveries, route,
// one partition of events, engine.
type stages struct {
	t        testing.TB
	catalog  *catalog.Catalog
	config   metrics.Config
	route    *streaming.Shard[ingest.Entry, ingest.Copy]
	shard    *streaming.Shard[event.Routed, metrics.Row]
	engine   *metrics.Engine
	emit     func(metrics.Row)
	offset   int64 // of deliveries
	events   int64 // offset of events
	received timeline.Millis
	restore  bool // a snapshot and a new engine after every tick
}

var testBounds = map[event.Source]timeline.Millis{
	event.GitHub: 5 * timeline.Minute, event.Jira: 15 * timeline.Minute, event.Deploy: 10 * timeline.Minute,
}

func newStages(t testing.TB, known *catalog.Catalog, definitions []*metrics.Definition, folds []metrics.FoldKind) *stages {
	t.Helper()
	route, err := ingest.NewRoute(ingest.RouteConfig{
		Generation: 1, EventPartitions: 1, Horizon: metrics.DefaultHorizon, Bounds: testBounds,
		FutureSkew: 10 * timeline.Minute, Catalog: known,
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &stages{
		t: t, catalog: known, route: streaming.NewShard(1, []int32{0}, route), emit: func(metrics.Row) {},
		config: metrics.Config{
			Generation: 1, Catalog: known, Definitions: definitions, Folds: folds,
			Horizon: metrics.DefaultHorizon, Bounds: testBounds, Keep: true,
		},
	}
	s.newEngine()
	return s
}

func (s *stages) newEngine() {
	engine, err := metrics.NewEngine(s.config)
	if err != nil {
		s.t.Fatal(err)
	}
	s.engine, s.shard = engine, streaming.NewShard(1, []int32{0}, engine)
}

func (s *stages) deliver(received timeline.Millis, events []event.Event) {
	s.received = received
	s.feed(streaming.Message[ingest.Entry]{Record: streaming.Record[ingest.Entry]{
		Origin: streaming.Origin{Offset: s.offset},
		Value: ingest.Entry{Delivery: &ingest.LoggedDelivery{
			Delivery: ingest.Delivery{Received: received}, Outcome: ingest.OutcomeAccepted, Events: events,
		}},
	}})
}

func (s *stages) tick(at timeline.Millis) {
	s.feed(streaming.Message[ingest.Entry]{
		Record: streaming.Record[ingest.Entry]{Origin: streaming.Origin{Offset: s.offset}}, IsTick: true, Tick: at,
	})
	if s.restore {
		sections := map[string][]byte{}
		s.shard.Save(func(name string, data []byte) { sections[name] = slices.Clone(data) })
		s.newEngine()
		if err := s.shard.Load(func(name string) ([]byte, error) { return sections[name], nil }); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *stages) feed(m streaming.Message[ingest.Entry]) {
	s.route.Feed(s.offset, m, func(c ingest.Copy) {
		s.shard.Feed(s.events, c.Message, s.emit)
		s.events++
	})
	s.offset++
}
