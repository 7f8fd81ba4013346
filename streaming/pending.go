package streaming

import "math"

// noRound is the round of a partition that has not ticked: below every other.
const noRound Round = math.MinInt64

// noOrigin is below every origin, also below those of partition 0, offset 0.
var noOrigin = Origin{Partition: math.MinInt32, Offset: math.MinInt64, Ordinal: math.MinInt32}

// batch holds the records of one upstream partition that belong to one round.
type batch[In any] struct {
	round   Round
	first   int64 // input offset of its first record, else of the tick that closed it
	last    Origin
	records []Record[In]
}

// upstream is what a shard knows of one partition of deliveries: what has been
// applied, what waits for the other upstreams, and what waits for a tick.
type upstream[In any] struct {
	partition int32

	// applied is the round of its last tick that lies at or below the shard's
	// clock, origin the last record of these rounds. Both are in the snapshot;
	// what they cover is dropped when it is read again.
	applied Round
	origin  Origin

	round Round  // of its last tick that raised its clock
	seen  Origin // the highest that has been taken

	closed []batch[In] // rounds above applied, ascending
	open   batch[In]   // since the last tick; its round is not known yet
	free   []Record[In]
}

func newUpstream[In any](partition int32) *upstream[In] {
	return &upstream[In]{partition: partition, applied: noRound, origin: noOrigin, round: noRound, seen: noOrigin}
}

// add takes a record, unless its origin has been taken before: a writer that
// started again repeats itself, and so does the log after a restore.
func (u *upstream[In]) add(inputOffset int64, r Record[In]) bool {
	if r.Origin.Compare(u.seen) <= 0 {
		return false
	}
	u.seen = r.Origin
	if len(u.open.records) == 0 {
		u.open.first = inputOffset
		if u.open.records == nil {
			u.open.records, u.free = u.free, nil
		}
	}
	u.open.records = append(u.open.records, r)
	return true
}

// tick closes a round, unless it does not raise the partition's clock: then
// what is open belongs to the next tick that does.
func (u *upstream[In]) tick(inputOffset int64, r Round) bool {
	if r <= u.round {
		return false
	}
	u.round = r
	b := u.open
	b.round, b.last = r, u.seen
	if len(b.records) == 0 {
		b.first = inputOffset
	}
	u.closed = append(u.closed, b)
	u.open = batch[In]{}
	return true
}

// next returns the lowest round that waits to be applied.
func (u *upstream[In]) next() (Round, bool) {
	if len(u.closed) == 0 {
		return 0, false
	}
	return u.closed[0].round, true
}

// take removes the batch of round r, if this upstream has one.
func (u *upstream[In]) take(r Round) (batch[In], bool) {
	if len(u.closed) == 0 || u.closed[0].round != r {
		return batch[In]{}, false
	}
	b := u.closed[0]
	n := copy(u.closed, u.closed[1:])
	u.closed[n] = batch[In]{}
	u.closed = u.closed[:n]
	u.applied, u.origin = r, b.last
	return b, true
}

// reuse gives the memory of an applied batch back.
func (u *upstream[In]) reuse(b batch[In]) {
	const most = 1 << 16 // a burst should not be held for ever
	if u.free == nil && cap(b.records) <= most {
		clear(b.records)
		u.free = b.records[:0]
	}
}

// firstPending returns the lowest input offset that is still needed.
func (u *upstream[In]) firstPending() (int64, bool) {
	switch {
	case len(u.closed) > 0:
		return u.closed[0].first, true
	case len(u.open.records) > 0:
		return u.open.first, true
	}
	return 0, false
}

// pending counts the records that wait.
func (u *upstream[In]) pending() int {
	n := len(u.open.records)
	for _, b := range u.closed {
		n += len(b.records)
	}
	return n
}
