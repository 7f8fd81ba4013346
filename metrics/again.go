package metrics

import (
	"math"

	"meridian/streaming"
)

// Again takes the engine back to before the end of its history, so that the
// history of teams that it has not seen yet can be folded, and ended by another
// tick of the same round: a history that does not fit into memory is folded one
// bucket of teams after the other, and what is left of a bucket at its end is
// little. The state and the rows are those of one history with all of them, in
// another order.
func (e *Engine) Again() {
	e.clock, e.version, e.swept = streaming.NoClock, 0, math.MinInt32
}
