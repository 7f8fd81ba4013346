package streaming

import "math"

// noLimit lets a shard apply whatever is complete.
const noLimit Round = math.MaxInt64

// Limit makes the shard apply no round above r, complete or not, until another
// call raises it: a promotion needs every shard of a generation to stand at one
// round. What is held back is pending like any other record, so a snapshot
// taken meanwhile is that of round r.
func (s *Shard[In, Out]) Limit(r Round) { s.limit = r }

// Unlimit takes the limit away, and applies the rounds that it held back; it
// returns how many.
func (s *Shard[In, Out]) Unlimit(emit func(Out)) (closedRounds int) {
	s.limit = noLimit
	return s.advance(emit)
}

// AtLimit reports whether every upstream has reached the limit: whatever lies
// at or below it has been applied, and feeding more is of no use.
func (s *Shard[In, Out]) AtLimit() bool {
	if s.limit == noLimit {
		return false
	}
	for _, u := range s.upstreams {
		if u.round < s.limit {
			return false
		}
	}
	return true
}
