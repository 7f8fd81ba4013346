package simulation

import (
	"context"
	"errors"
	"maps"
	"slices"

	"meridian/ingest"
)

// flight is a batch of copies whose sender has given up, and that lands all the same.
type flight struct {
	to      *topic
	records [][]byte
}

func (w *world) land() {
	i := w.rng.IntN(len(w.inFlight))
	f := w.inFlight[i]
	w.inFlight = slices.Delete(w.inFlight, i, i+1)
	f.to.append(f.records...)
	w.note(copiesLandLater)
}

// producer is route's way to the events, in pieces: one makes at most one batch in
// each partition, and the next is not touched before all of it is acknowledged.
// It implements [streaming.Sink].
type producer struct {
	world *world
	to    []*topic // the generation's events
}

var errProduce = errors.New("the broker does not answer")

func (p *producer) Put(_ context.Context, _ int32, copies []ingest.Copy) error {
	w := p.world
	for len(copies) > 0 {
		n := min(len(copies), 1+w.rng.IntN(20))
		batches := map[int32][][]byte{}
		for i := range copies[:n] {
			c := &copies[i]
			batches[c.Partition] = append(batches[c.Partition], ingest.AppendMessage(nil, &c.Message))
		}
		copies = copies[n:]
		failed := false
		order := slices.Sorted(maps.Keys(batches))
		w.rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, partition := range order {
			f := w.hurt(40, copiesAndFailed, notCopied, copiesLandLater, copiesTwice)
			if f != none && f != copiesLandLater {
				w.note(f)
			}
			switch f {
			case copiesLandLater:
				w.inFlight = append(w.inFlight, flight{p.to[partition], batches[partition]})
			case copiesTwice:
				p.to[partition].append(batches[partition]...)
				fallthrough
			case none, copiesAndFailed:
				p.to[partition].append(batches[partition]...)
			}
			failed = failed || f == copiesAndFailed || f == notCopied || f == copiesLandLater
		}
		if failed {
			return errProduce
		}
	}
	return nil
}

func (p *producer) Flush(context.Context, int32) error { return nil }
