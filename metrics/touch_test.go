package metrics

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"meridian/ingest/event"
)

// Touches are put in the order of kind and name, however many there are, whatever all
// names begin with, and where one is how another begins.
func TestOrderOfTouches(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	names := []func() event.EntityID{
		func() event.EntityID { return event.EntityID(fmt.Sprintf("github/repo/7/pr/%d", rng.IntN(3000))) },
		func() event.EntityID { return event.EntityID(fmt.Sprintf("%x", rng.Uint64())) },
		func() event.EntityID {
			return event.EntityID(fmt.Sprintf("person/%032x/%d", rng.IntN(3), rng.IntN(40)))
		},
		func() event.EntityID { return event.EntityID("a\x00b\x00\x00c")[:1+rng.IntN(6)] },
	}
	for _, n := range []int{0, 1, 5, 31, 33, 2000} {
		var touched []touch
		for range n {
			kind := rng.IntN(len(names))
			touched = append(touched, touch{entity: &entity{kind: uint8(kind), id: names[kind]()}})
		}
		order := orderOf(touched, nil)
		if len(order) != n {
			t.Fatalf("of %d touches %d are put in order", n, len(order))
		}
		if !slices.IsSortedFunc(order, func(a, b touchOrder) int {
			x, y := touched[a.place].entity, touched[b.place].entity
			return cmp.Or(cmp.Compare(x.kind, y.kind), cmp.Compare(x.id, y.id))
		}) {
			t.Errorf("%d touches are not in the order of their names", n)
		}
	}
}
