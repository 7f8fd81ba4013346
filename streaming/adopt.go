package streaming

// Reached is how far one upstream partition is in a state that was computed
// without a shard, such as a history: its last tick in it, and the highest
// origin that this shard was given of it.
type Reached struct {
	Partition int32
	Round     Round
	Origin    Origin // meaningful when Any
	Any       bool
}

// Adopt says that the program already holds everything up to round r, as if
// this shard had fed it. It is for a shard that has been fed nothing. A
// partition that has never ticked is left out of reached.
//
// Whatever comes again with an origin that was reached is dropped, as after a
// restore. The caller has seen to it that no later tick of any partition lies at
// or below r, since a round must not be applied twice.
func (s *Shard[In, Out]) Adopt(r Round, reached []Reached) {
	s.round = r
	for _, at := range reached {
		u := s.index[at.Partition]
		if u == nil {
			continue
		}
		u.applied, u.round = at.Round, at.Round
		if at.Any {
			u.origin, u.seen = at.Origin, at.Origin
		}
	}
}
