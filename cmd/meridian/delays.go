package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// delays measures how late events come, from the log itself: receipt less event
// time, by source, kind and partition of deliveries, over the last days. It reads
// the end of the log when it starts and follows it, beside the stages and without
// touching them. What an API read brought says nothing about webhooks and is left
// out.
type delays struct {
	bounds map[event.Source]timeline.Millis
	budget float64 // the share of events that may come later than their bound

	mu      sync.Mutex
	days    map[int64]map[delayKey]*delaySketch // by UTC day of receipt
	latest  int64
	alarmed map[event.Source]bool
}

type delayKey struct {
	source    event.Source
	kind      event.Kind
	partition int32
}

const (
	delayDays    = 7       // of receipt that are kept
	delayRecords = 100_000 // of each partition that are read at the start
)

func newDelays(bounds map[event.Source]timeline.Millis, budget float64) *delays {
	return &delays{bounds: bounds, budget: budget, days: map[int64]map[delayKey]*delaySketch{}, alarmed: map[event.Source]bool{}}
}

// run follows every partition until ctx ends. That it cannot is no reason to
// stop anything: it tries again.
func (d *delays) run(ctx context.Context, l *deliveryLog) error {
	g, ctx := errgroup.WithContext(ctx)
	for p := range l.partitions {
		g.Go(func() error {
			from := int64(-1)
			for ctx.Err() == nil {
				from = d.follow(ctx, l, p, from)
				select {
				case <-ctx.Done():
				case <-time.After(5 * time.Second):
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// follow returns the offset to go on from.
func (d *delays) follow(ctx context.Context, l *deliveryLog, partition int32, from int64) int64 {
	if from < 0 {
		bounds, err := kafka.Offsets(ctx, l.Config, l.DeliveriesTopic())
		if err != nil {
			return from
		}
		from = max(bounds[partition].Start, bounds[partition].End-delayRecords)
	}
	reader, err := kafka.Log{Config: l.Config, Topic: l.DeliveriesTopic(), Archive: l.archive}.Open(ctx, partition, from)
	if err != nil {
		return from
	}
	defer reader.Close()
	var decoder ingest.EntryDecoder
	for {
		records, err := reader.Next(ctx)
		if err != nil {
			return from
		}
		for _, r := range records {
			from = r.Offset + 1
			if e, err := decoder.Entry(r.Value); err == nil && e.Delivery != nil { // what cannot be read is the route's to say
				d.take(partition, e.Delivery)
			}
		}
	}
}

func (d *delays) take(partition int32, l *ingest.LoggedDelivery) {
	if l.Delivery.ViaAPI || len(l.Events) == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	day := int64(l.Delivery.Received / timeline.Day)
	if day <= d.latest-delayDays {
		return
	}
	if day > d.latest {
		d.latest = day
		maps.DeleteFunc(d.days, func(old int64, _ map[delayKey]*delaySketch) bool { return old <= day-delayDays })
	}
	of := d.days[day]
	if of == nil {
		of = map[delayKey]*delaySketch{}
		d.days[day] = of
	}
	for i := range l.Events {
		e := &l.Events[i]
		if e.Defect != "" {
			continue
		}
		key := delayKey{e.Source, e.Kind, partition}
		if of[key] == nil {
			of[key] = &delaySketch{}
		}
		of[key].add(l.Delivery.Received-e.Time, d.bounds[e.Source])
	}
}

// measuredDelay is what was measured of one source, kind and partition.
type measuredDelay struct {
	delayKey
	delaySketch
}

// measured returns everything, in order.
func (d *delays) measured() []measuredDelay {
	d.mu.Lock()
	defer d.mu.Unlock()
	sum := map[delayKey]*measuredDelay{}
	for _, of := range d.days {
		for key, s := range of {
			if sum[key] == nil {
				sum[key] = &measuredDelay{delayKey: key}
			}
			sum[key].merge(s)
		}
	}
	var all []measuredDelay
	for _, m := range sum {
		all = append(all, *m)
	}
	slices.SortFunc(all, func(a, b measuredDelay) int {
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.kind, b.kind), cmp.Compare(a.partition, b.partition))
	})
	return all
}

// measuredBound is how well the bound of a source does.
type measuredBound struct {
	source event.Source
	bound  timeline.Millis
	delaySketch
}

// budgetLeast is how many events it takes before a share of them means anything.
const budgetLeast = 1_000

func (b *measuredBound) exceeds(budget float64) bool {
	return b.n >= budgetLeast && b.lateShare() > budget
}

func (d *delays) sources() []measuredBound {
	sum := map[event.Source]*measuredBound{}
	for _, m := range d.measured() {
		if sum[m.source] == nil {
			sum[m.source] = &measuredBound{source: m.source, bound: d.bounds[m.source]}
		}
		sum[m.source].merge(&m.delaySketch)
	}
	var all []measuredBound
	for _, s := range slices.Sorted(maps.Keys(sum)) {
		all = append(all, *sum[s])
	}
	return all
}

// alert says in words which sources come later than their budget allows; "" is none.
func (d *delays) alert() string {
	text := ""
	for _, b := range d.sources() {
		if b.exceeds(d.budget) {
			if text != "" {
				text += "; "
			}
			text += fmt.Sprintf("%.2g %% of %s's events come later than its bound of %s, and the budget is %.2g %%: a bound of %s would keep to it (meridian lag)",
				100*b.lateShare(), b.source, timeline.FormatLength(b.bound), 100*d.budget, timeline.FormatLength(boundFor(&b, d.budget)))
		}
	}
	return text
}

// boundFor is the bound with which a share of at most budget would come late, in
// whole seconds.
func boundFor(b *measuredBound, budget float64) timeline.Millis {
	q := b.quantile(1 - budget)
	return (q + timeline.Second - 1) / timeline.Second * timeline.Second
}
