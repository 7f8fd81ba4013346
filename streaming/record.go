package streaming

import (
	"cmp"
	"fmt"

	"meridian/streaming/timeline"
)

// Origin is a record's place in meridian.deliveries: partition, offset, and
// the ordinal of a copy among all that were made of that delivery. Copies keep
// it wherever they travel; it is total, and the order in which a shard applies
// the records of a round.
type Origin struct {
	Partition int32
	Offset    int64
	Ordinal   int32
}

// Compare orders origins by partition, offset and ordinal.
func (o Origin) Compare(p Origin) int {
	return cmp.Or(cmp.Compare(o.Partition, p.Partition), cmp.Compare(o.Offset, p.Offset), cmp.Compare(o.Ordinal, p.Ordinal))
}

// String returns o as partition/offset.ordinal.
func (o Origin) String() string { return fmt.Sprintf("%d/%d.%d", o.Partition, o.Offset, o.Ordinal) }

// Record is a value with its origin.
type Record[T any] struct {
	Origin Origin
	Value  T
}

// Message is what an input partition holds at one offset: a record, or a tick
// of one upstream partition (Origin.Partition).
type Message[T any] struct {
	Record[T]
	IsTick bool
	Tick   timeline.Millis // meaningful when IsTick
}
