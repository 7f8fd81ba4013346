package main

import (
	"meridian/ingest"
	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// pins are what the rows of a generation depend on besides the log: the same
// pins and the same log give the same rows.
type pins struct {
	generation      streaming.Generation
	historyEnd      streaming.Round
	eventPartitions int32
	horizon         timeline.Millis
	bounds          map[event.Source]timeline.Millis
	futureSkew      timeline.Millis
	definitions     []*metrics.Definition
	catalog         *catalog.Catalog
	decoders        map[string]int32 // versions, by provider; nil: events are taken as they are
}

// redecoder returns what reads again what decoders before those of the pins have read.
func (p pins) redecoder() *ingest.Redecoder {
	return ingest.NewRedecoder(decoders(p.catalog), p.decoders)
}

// route returns the route of one partition of deliveries.
func (p pins) route(partition int32) (*ingest.Route, error) {
	return ingest.NewRoute(ingest.RouteConfig{
		Generation: p.generation, Partition: partition, EventPartitions: p.eventPartitions,
		Horizon: p.horizon, Bounds: p.bounds, FutureSkew: p.futureSkew, HistoryEnd: p.historyEnd, Catalog: p.catalog,
	})
}

// engine returns the engine of one partition of events.
func (p pins) engine() metrics.Config {
	return metrics.Config{
		Generation: p.generation, Catalog: p.catalog, Definitions: p.definitions, Folds: metrics.Folds(),
		Horizon: p.horizon, Bounds: p.bounds, HistoryEnd: p.historyEnd,
	}
}

// pipeline is route and engine in one piece, fed by hand: what a served
// instance spreads over topics and shards, on one shard each.
type pipeline struct {
	route  *ingest.Route
	engine *metrics.Engine
	first  *streaming.Shard[ingest.Entry, ingest.Copy]
	second *streaming.Shard[event.Routed, metrics.Row]
	offset int64
	copies int64
	open   []streaming.Record[ingest.Entry] // that no tick has closed yet
}

func newPipeline(p pins, keep bool) (*pipeline, error) {
	p.eventPartitions = 1
	route, err := p.route(0)
	if err != nil {
		return nil, err
	}
	c := p.engine()
	c.Keep = keep
	engine, err := metrics.NewEngine(c)
	if err != nil {
		return nil, err
	}
	return &pipeline{
		route: route, engine: engine,
		first:  streaming.NewShard(p.generation, []int32{0}, route),
		second: streaming.NewShard(p.generation, []int32{0}, engine),
	}, nil
}

// feed takes one entry of the log and emits the rows that it brings about.
func (p *pipeline) feed(e ingest.Entry, emit func(metrics.Row)) {
	m := ingest.EntryMessage(0, p.offset, e)
	closed := p.first.Feed(p.offset, m, func(c ingest.Copy) {
		p.second.Feed(p.copies, c.Message, emit)
		p.copies++
	})
	switch {
	case closed > 0:
		p.open = p.open[:0]
	case !m.IsTick:
		p.open = append(p.open, m.Record)
	}
	p.offset++
}

// counts judges what came behind the last tick, which has verdicts and no rows,
// and returns what has been seen. The pipeline is at its end then.
func (p *pipeline) counts() ingest.Counts {
	clock := p.first.Clock()
	for _, r := range p.open {
		p.route.Apply(clock, r, func(ingest.Copy) {})
	}
	p.open = nil
	return p.route.Counts()
}
