package metrics_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
)

// copies returns every accepted copy of an organisation's events that a fold
// takes, by team, subject and entity.
func (o *organisation) copies(t *rapid.T, kinds []metrics.FoldKind) map[string][]event.Routed {
	route, err := ingest.NewRoute(ingest.RouteConfig{Generation: 1, EventPartitions: 1, Horizon: metrics.DefaultHorizon, Catalog: staffCatalog()})
	if err != nil {
		t.Fatal(err)
	}
	of := map[string][]event.Routed{}
	for i, f := range o.facts {
		record := streaming.Record[ingest.Entry]{Origin: streaming.Origin{Offset: int64(i)}, Value: ingest.Entry{Delivery: &ingest.LoggedDelivery{
			Delivery: ingest.Delivery{Received: f.at}, Outcome: ingest.OutcomeAccepted, Events: o.world.events(f),
		}}}
		route.Apply(streaming.NoClock, record, func(c ingest.Copy) {
			r := c.Message.Value
			if c.Message.IsTick || r.Verdict != event.Accepted {
				return
			}
			for k := range kinds {
				if id := kinds[k].Entity(&r); id != "" {
					key := fmt.Sprint(k, " ", r.Team, " ", id)
					of[key] = append(of[key], r)
				}
			}
		})
	}
	return of
}

// A fold does not depend on the order in which copies come, nor on how often,
// nor on snapshots in between: its bytes are equal, and what it tells.
func TestFoldsTakeAnyOrder(t *testing.T) {
	kinds := metrics.Folds()
	rapid.Check(t, func(rt *rapid.T) {
		copies := drawOrganisation(rt).copies(rt, kinds)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "order"), 2))
		for _, key := range slices.Sorted(maps.Keys(copies)) {
			kind := kinds[key[0]-'0']
			fold := func(records []event.Routed, restore bool) (metrics.Fold, []byte) {
				f := kind.New()
				for i := range records {
					f.Apply(&records[i])
					if restore {
						data, err := metrics.SaveFold(f)
						if err != nil {
							rt.Fatal(err)
						}
						f = kind.New()
						if err := metrics.ReadFold(f, data); err != nil {
							rt.Fatal(err)
						}
					}
				}
				if line, ok := f.(metrics.Line); ok {
					line.Touched(func(string) {}) // what waits to be asked for depends on the order; what is answered does not
				}
				data, err := metrics.SaveFold(f)
				if err != nil {
					rt.Fatal(err)
				}
				return f, data
			}
			records := copies[key]
			inOrder, want := fold(records, false)
			mixed := slices.Clone(records)
			for range r.IntN(len(records) + 1) {
				mixed = append(mixed, records[r.IntN(len(records))])
			}
			r.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
			shuffled, got := fold(mixed, r.IntN(2) == 0)
			if !bytes.Equal(got, want) {
				rt.Fatalf("%s: in order\n%+v\nshuffled\n%+v", key, inOrder, shuffled)
			}
			if got, want := observations(kind, shuffled), observations(kind, inOrder); !slices.Equal(got, want) {
				rt.Fatalf("%s: in order %v, shuffled %v", key, want, got)
			}
			last, open := shuffled.Life()
			if wantLast, wantOpen := inOrder.Life(); last != wantLast || open != wantOpen {
				rt.Fatalf("%s: lives until %v, %v; shuffled %v, %v", key, wantLast, wantOpen, last, open)
			}
		}
	})
}

// observations are what all metrics see in a fold, each under its own key.
func observations(kind metrics.FoldKind, f metrics.Fold) []string {
	var all []string
	for _, d := range metrics.Definitions() {
		if d.Subject != kind.Subject {
			continue
		}
		var keys []string
		d.Observe(f, metrics.View{Catalog: staffCatalog(), Team: "web"}, func(o metrics.Observation) {
			all = append(all, fmt.Sprintf("%s %+v", d.Name, o))
			keys = append(keys, cmp.Or(o.Item, "-")+" "+o.Service+" "+string(o.Reason))
		})
		slices.Sort(keys)
		if n := len(keys); len(slices.Compact(keys)) != n {
			panic(fmt.Sprintf("%s gives one observation twice: %v", d.Name, keys))
		}
	}
	slices.Sort(all)
	return all
}
