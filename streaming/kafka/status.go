package kafka

import (
	"fmt"
	"strings"
	"time"

	"meridian/streaming"
)

// ShardState says what a shard is doing.
type ShardState string

// States of a shard.
const (
	Restoring ShardState = "restoring" // from its snapshot
	Running   ShardState = "running"
	Paused    ShardState = "paused" // stands at the round that [Runner.Pause] named
	Failed    ShardState = "failed" // waits before it starts again from its snapshot
	Stopped   ShardState = "stopped"
)

// ShardStatus tells where one shard stands.
type ShardStatus struct {
	Stage      string
	Generation streaming.Generation
	Partition  int32
	State      ShardState

	Clock   streaming.Clock
	Next    int64 // next offset of the input
	End     int64 // where the input ended when last heard of
	Pending int   // records that wait for a tick
	Records int64 // read since the shard started in this process
	Rounds  int64 // applied since then
	Dropped int64 // read since then, and taken before

	Snapshot   uint64 // sequence of the last one
	Resume     int64  // input offset that it resumes from
	SnapshotAt time.Time
	Snapshots  int64

	Failures  int64
	LastError string
	Detail    string // the shard's own description
	Program   string // its program's, as of the last inspection
	inspected int64

	Counted map[string]int64 // what its program has counted, by name; nil: it counts nothing
}

// Lag is how many records of the input have not been read yet.
func (s ShardStatus) Lag() int64 { return max(0, s.End-s.Next) }

// String is one line for logs and the debug page.
func (s ShardStatus) String() string {
	clock := "none"
	if s.Clock != streaming.NoClock {
		clock = s.Clock.String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s generation %d partition %d: %s, clock %s, offset %d of %d, pending %d, snapshot %d at %d",
		s.Stage, s.Generation, s.Partition, s.State, clock, s.Next, s.End, s.Pending, s.Snapshot, s.Resume)
	if s.Failures > 0 {
		fmt.Fprintf(&b, ", failed %d times, last: %s", s.Failures, s.LastError)
	}
	return b.String()
}

// Observer hears of every change of a shard: after each batch that it read, at
// snapshots and at failures. It must return at once, and is called by several
// shards at the same time. Metrics and the clocks that web processes follow
// come from it.
type Observer func(ShardStatus)
