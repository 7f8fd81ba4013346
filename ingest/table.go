package ingest

import "iter"

// table is a map for the two large things that route remembers. A map of Go's
// costs an event three or four cache misses (its groups, its slots, what a
// pointer in them leads to), which is most of the route step; here the slots lie
// in plain arrays and are probed one after the other, so it is one.
//
// Keys come with their hash, which must be good in its upper bits. Tables that
// grow are copied in the order of hashes, from front to back. There are many
// small ones, so that growing never stops the stage for long nor needs the memory
// twice.
type table[K comparable, V any] struct {
	parts [1 << partBits]part[K, V]
	size  int
}

const (
	partBits = 6
	minSlots = 8
)

type part[K comparable, V any] struct {
	slots []slot[K, V] // a power of two, or none
	shift uint8        // from hash to place
	used  int
}

type slot[K comparable, V any] struct {
	hash  uint64 // 0: free
	key   K
	value V
}

// occupied is the hash as it stands in a slot: never 0.
func occupied(hash uint64) uint64 { return hash | 1 }

func (t *table[K, V]) part(hash uint64) *part[K, V] { return &t.parts[hash>>(64-partBits)] }

func (p *part[K, V]) home(hash uint64) int { return int(hash << partBits >> p.shift) }

// find returns the place of key, or of the free slot where it belongs.
func (p *part[K, V]) find(hash uint64, key K) (int, bool) {
	for i := p.home(hash); ; i = (i + 1) & (len(p.slots) - 1) {
		switch s := &p.slots[i]; {
		case s.hash == 0:
			return i, false
		case s.hash == hash && s.key == key:
			return i, true
		}
	}
}

// get returns the value of key, nil when there is none. The pointer is good until
// the next put or remove.
func (t *table[K, V]) get(hash uint64, key K) *V {
	hash = occupied(hash)
	p := t.part(hash)
	if p.used == 0 {
		return nil
	}
	i, ok := p.find(hash, key)
	if !ok {
		return nil
	}
	return &p.slots[i].value
}

// put sets the value of key. The pointer is good until the next put or remove.
func (t *table[K, V]) put(hash uint64, key K, value V) *V {
	hash = occupied(hash)
	p := t.part(hash)
	if p.used >= len(p.slots)/4*3 {
		p.resize(max(minSlots, 2*len(p.slots)))
	}
	i, ok := p.find(hash, key)
	if !ok {
		p.used++
		t.size++
	}
	p.slots[i] = slot[K, V]{hash, key, value}
	return &p.slots[i].value
}

// remove takes key out. What was probed past it moves up, so there are no marks
// of what was removed.
func (t *table[K, V]) remove(hash uint64, key K) {
	hash = occupied(hash)
	p := t.part(hash)
	if p.used == 0 {
		return
	}
	hole, ok := p.find(hash, key)
	if !ok {
		return
	}
	mask := len(p.slots) - 1
	for i := (hole + 1) & mask; p.slots[i].hash != 0; i = (i + 1) & mask {
		if home := p.home(p.slots[i].hash); (i-home)&mask >= (i-hole)&mask {
			p.slots[hole] = p.slots[i]
			hole = i
		}
	}
	p.slots[hole] = slot[K, V]{}
	p.used--
	t.size--
	if len(p.slots) > minSlots && p.used < len(p.slots)/8 {
		p.resize(len(p.slots) / 2)
	}
}

func (p *part[K, V]) resize(n int) {
	old := p.slots
	p.slots, p.shift = make([]slot[K, V], n), 64
	for ; n > 1; n /= 2 {
		p.shift--
	}
	mask := len(p.slots) - 1
	for i := range old {
		if old[i].hash == 0 {
			continue
		}
		j := p.home(old[i].hash)
		for p.slots[j].hash != 0 { // keys differ: there is nothing to compare
			j = (j + 1) & mask
		}
		p.slots[j] = old[i]
	}
}

// all yields every entry, in no order that means anything. The table must not be
// changed meanwhile.
func (t *table[K, V]) all() iter.Seq2[K, *V] {
	return func(yield func(K, *V) bool) {
		for i := range t.parts {
			for j := range t.parts[i].slots {
				if s := &t.parts[i].slots[j]; s.hash != 0 && !yield(s.key, &s.value) {
					return
				}
			}
		}
	}
}
