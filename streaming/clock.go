package streaming

import (
	"fmt"
	"math"
	"strconv"

	"meridian/streaming/timeline"
)

// Clock is the running maximum of the ticks of one partition, or of a shard:
// event time up to which everything in hand has been read (the field's
// watermark, before any bound is taken off).
type Clock = timeline.Millis

// NoClock is the clock before the first tick. Nothing is late then.
const NoClock Clock = math.MinInt64

// RoundLength is the grid on which ticks lie, in milliseconds.
const RoundLength = 500 * timeline.Millis(1)

// Round numbers what lies between two ticks: a tick's time in half seconds
// since 1970, rounded up.
type Round int64

// RoundOf returns the round that a tick at t closes.
func RoundOf(t timeline.Millis) Round {
	r := Round(t / RoundLength)
	if t%RoundLength > 0 {
		r++
	}
	return r
}

// Clock returns the clock of a shard that has applied round r.
func (r Round) Clock() Clock { return Clock(r) * RoundLength }

// Generation numbers one complete computation of the log, from 1. Generation 0
// holds the rows of months that are older than the archive. 24 bits.
type Generation uint32

// Version orders the rows of one key: generation, then round.
type Version uint64

const roundBits = 40

// NewVersion returns the version of rows that generation g emits at round r.
func NewVersion(g Generation, r Round) Version {
	return Version(uint64(g)<<roundBits | uint64(r)&(1<<roundBits-1))
}

// Generation returns the generation part of v.
func (v Version) Generation() Generation { return Generation(v >> roundBits) }

// Round returns the round part of v.
func (v Version) Round() Round { return Round(v & (1<<roundBits - 1)) }

// String returns v as the decimal number that points carry.
func (v Version) String() string { return strconv.FormatUint(uint64(v), 10) }

// Describe returns v in words, for logs and debug pages.
func (v Version) Describe() string {
	return fmt.Sprintf("generation %d at %s", v.Generation(), v.Round().Clock())
}
