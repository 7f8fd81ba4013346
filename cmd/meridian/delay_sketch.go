package main

import (
	"maps"
	"math"
	"math/bits"
	"slices"

	"meridian/streaming/timeline"
)

// delaySketch is how long events took from when they happened to their receipt:
// counts in buckets that are at most 1/32 wide, so that a quantile is at most 3 %
// above the true one and never below it. It holds a few hundred buckets at most,
// whatever it has seen, and depends on what was added and not on the order.
type delaySketch struct {
	n, late int64
	max     timeline.Millis
	buckets map[uint16]int64
}

// delayBits is how many bits of a delay below its highest one are kept.
const delayBits = 5

// delayBucket numbers the bucket of a delay: 0 to 31 ms have one each.
func delayBucket(d timeline.Millis) uint16 {
	if d < 1<<delayBits {
		return uint16(max(0, d))
	}
	shift := bits.Len64(uint64(d)) - delayBits - 1
	return uint16(shift+1)<<delayBits | uint16(d>>shift)&(1<<delayBits-1)
}

// delayOf is the largest delay of a bucket.
func delayOf(b uint16) timeline.Millis {
	if b < 1<<delayBits {
		return timeline.Millis(b)
	}
	shift := b>>delayBits - 1
	return (timeline.Millis(b&(1<<delayBits-1)|1<<delayBits)+1)<<shift - 1
}

// add counts an event; one that is dated after its receipt has no delay.
func (s *delaySketch) add(delay, bound timeline.Millis) {
	delay = max(0, delay)
	if s.buckets == nil {
		s.buckets = map[uint16]int64{}
	}
	s.n++
	s.buckets[delayBucket(delay)]++
	s.max = max(s.max, delay)
	if delay > bound {
		s.late++
	}
}

func (s *delaySketch) merge(o *delaySketch) {
	if s.buckets == nil {
		s.buckets = map[uint16]int64{}
	}
	s.n, s.late, s.max = s.n+o.n, s.late+o.late, max(s.max, o.max)
	for b, n := range o.buckets {
		s.buckets[b] += n
	}
}

// quantile returns the delay that a share q of all events does not exceed.
func (s *delaySketch) quantile(q float64) timeline.Millis {
	if s.n == 0 {
		return 0
	}
	rank, seen := int64(math.Ceil(q*float64(s.n))), int64(0)
	for _, b := range slices.Sorted(maps.Keys(s.buckets)) {
		if seen += s.buckets[b]; seen >= rank {
			return min(delayOf(b), s.max)
		}
	}
	return s.max
}

// lateShare is the share of events that came later than the bound.
func (s *delaySketch) lateShare() float64 {
	if s.n == 0 {
		return 0
	}
	return float64(s.late) / float64(s.n)
}
