package demo

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"

	"meridian/streaming/timeline"
)

// dice is all the chance there is. It draws whole numbers only: floats would not
// give the same bytes on every machine.
type dice struct{ *rand.Rand }

func newDice(seed, stream uint64) dice { return dice{rand.New(rand.NewPCG(seed, stream))} }

// chance is true for n of a thousand.
func (d dice) chance(n int) bool { return d.IntN(1000) < n }

// between is a time from a up to and without b.
func (d dice) between(a, b timeline.Millis) timeline.Millis {
	if b <= a {
		return a
	}
	return a + timeline.Millis(d.Int64N(int64(b-a)))
}

// spread are the sixteenths of a skewed distribution around its median, in
// thousandths: how long people's work takes.
var spread = [...]int64{120, 200, 280, 360, 450, 560, 690, 840, 1000, 1190, 1440, 1760, 2200, 2850, 3900, 5700, 9500}

// around is a length that is below median as often as above, now and then by far.
func (d dice) around(median timeline.Millis) timeline.Millis {
	i := d.IntN(len(spread) - 1)
	f := spread[i] + d.Int64N(spread[i+1]-spread[i])
	return median * timeline.Millis(f) / 1000
}

func (d dice) size(median int) int { return max(1, int(d.around(timeline.Millis(median)))) }

// count is how often something happens that does so n times in a thousand.
func (d dice) count(n int) int {
	times := n / 1000
	if d.chance(n % 1000) {
		times++
	}
	return times
}

func (d dice) bytes(n int) []byte {
	b := make([]byte, 0, n+8)
	for len(b) < n {
		v := d.Uint64()
		b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24), byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56))
	}
	return b[:n]
}

// sha is a name of a commit.
func (d dice) sha() string { return hex.EncodeToString(d.bytes(20)) }

// guid is a name of a delivery.
func (d dice) guid() string {
	b := d.bytes(16)
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func pick[T any](d dice, from []T) T { return from[d.IntN(len(from))] }
