package kafka

import (
	"context"

	"meridian/streaming"
)

// Reader reads one partition of a stage's input in order; a [LogReader] does.
type Reader interface {
	// Next waits for records. It returns ctx's error when ctx ends first.
	Next(ctx context.Context) ([]LogRecord, error)
	// Position returns the next offset that will be read, and where the input ends.
	Position() (next, end int64)
	Close()
}

// Rim is what a shard needs of the broker besides records: in a runner that is
// the broker, in a simulation whatever plays it.
type Rim struct {
	// Open returns a reader that begins at an offset of the input.
	Open func(ctx context.Context, partition int32, from int64) (Reader, error)
	// Commit moves the group's offset, which displays read.
	Commit func(ctx context.Context, partition int32, offset int64) error
	// Trim deletes the input below an offset.
	Trim func(ctx context.Context, partition int32, below int64) error
}

// rim is the broker.
func (s *Stage[In, Out]) rim(commit func(context.Context, int32, int64) error) Rim {
	return Rim{
		Open: func(ctx context.Context, partition int32, from int64) (Reader, error) {
			r, err := s.Input.Open(ctx, partition, from)
			if err != nil {
				return nil, err // and no reader that is not nil for holding a nil one
			}
			return r, nil
		},
		Commit: commit,
		Trim: func(ctx context.Context, partition int32, below int64) error {
			return Trim(ctx, s.Input.Config, s.Input.Topic, partition, below)
		},
	}
}

// Life is one life of a shard, from its snapshot to a stop or a failure, moved
// step by step by whoever holds it: the very code that a [Runner] runs, without
// its goroutine. A simulation decides by it what happens between two steps.
//
// After an error the life is over; another one begins at the last snapshot.
type Life[In, Out any] struct {
	run    *shardRun[In, Out]
	status ShardStatus
}

// NewLife returns a life that has not begun.
func NewLife[In, Out any](stage Stage[In, Out], cfg RunnerConfig, partition int32, rim Rim) *Life[In, Out] {
	ctx := context.Background()
	l := &Life[In, Out]{}
	l.run = &shardRun[In, Out]{
		stage: stage, cfg: cfg, partition: partition, stop: ctx, hard: ctx, rim: rim, byHand: true,
		name: ShardName(stage.Name, stage.Generation, partition), pause: new(pause),
		report: func(change func(*ShardStatus)) { change(&l.status) },
	}
	return l
}

// Begin restores the newest whole snapshot.
func (l *Life[In, Out]) Begin() error { return l.run.restore() }

// Step reads, applies and puts what the reader has, and takes a snapshot when
// one is due.
func (l *Life[In, Out]) Step() error { return l.run.step() }

// End leaves a snapshot behind, as a stop or a revocation does.
func (l *Life[In, Out]) End() error {
	defer l.Close()
	return l.run.snapshot()
}

// Close releases the reader: what a crash leaves.
func (l *Life[In, Out]) Close() {
	if l.run.reader != nil {
		l.run.reader.Close()
	}
}

// Pause and Resume are a runner's, for this shard alone. A Step of one that stands
// does nothing.
func (l *Life[In, Out]) Pause(at streaming.Round) {
	l.run.pause.change(at, true)
	l.status.State = Running
}

// Resume is described at Pause.
func (l *Life[In, Out]) Resume() {
	l.run.pause.change(0, false)
	l.status.State = Running
}

// Status is what a runner would tell of the shard.
func (l *Life[In, Out]) Status() ShardStatus { return l.status }

// Shard is the shard, once it has begun.
func (l *Life[In, Out]) Shard() *streaming.Shard[In, Out] { return l.run.shard }
