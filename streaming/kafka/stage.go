package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"meridian/streaming"
)

// Stage is one stage of the pipeline in one generation, as a [Runner] needs it.
type Stage[In, Out any] struct {
	Name       string // route, engine
	Generation streaming.Generation

	// Input is what the stage reads, First where a shard without a snapshot
	// begins (nil: at offset 0).
	Input Log
	First func(partition int32) int64

	// NeedsSnapshot says that what a shard's state begins with is not in its input,
	// since a history has computed it. Without a whole snapshot it fails with
	// [ErrForgotten], where it would give rows of a part as if they were all.
	NeedsSnapshot bool

	// Upstreams are the partitions of deliveries whose records and ticks a
	// partition of the input holds: itself for route, all for the engine.
	Upstreams func(partition int32) []int32

	Program func(partition int32) (streaming.Program[In, Out], error)

	// Decode reads a record of the input. An error ends the shard: nothing
	// that was acknowledged may be passed over.
	Decode func(partition int32, r LogRecord) (streaming.Message[In], error)

	Sink      streaming.Sink[Out]
	Snapshots streaming.Snapshots

	// TrimInput deletes what no kept snapshot needs any more from the input:
	// for events, which can be made again, and never for deliveries.
	TrimInput bool

	Observe Observer // nil: nobody
}

// RunnerConfig tunes a [Runner]. None of it changes a result.
type RunnerConfig struct {
	SnapshotRecords int64         // a snapshot after so many records,
	SnapshotEvery   time.Duration // or after this time, if a round was applied since the last
	PutRows         int           // rows given to the sink at once
	StopTimeout     time.Duration // a stop or a revocation has this long to flush and publish
	BackoffFirst    time.Duration // before a failed shard starts again; doubles
	BackoffMost     time.Duration
	SessionTimeout  time.Duration // after which a dead process's partitions move

	// Turn, when set, is asked before records are decoded and fed, in pieces, and
	// before a snapshot is read or taken (as no records); it returns when that may be
	// done: so what is computed beside others is held back. done is called when the
	// rows of the piece are put.
	Turn func(ctx context.Context, records int) (done func(), err error)
}

// turnRecords is how many records a shard works on in one turn.
const turnRecords = 256

// DefaultRunnerConfig returns the settings of the live generation.
func DefaultRunnerConfig() RunnerConfig {
	return RunnerConfig{
		SnapshotRecords: 500_000,
		SnapshotEvery:   30 * time.Second,
		PutRows:         8192,
		StopTimeout:     20 * time.Second,
		BackoffFirst:    200 * time.Millisecond,
		BackoffMost:     30 * time.Second,
		SessionTimeout:  10 * time.Second,
	}
}

// Validate reports all problems at once.
func (c RunnerConfig) Validate() error {
	var errs []error
	for name, v := range map[string]int64{
		"SnapshotRecords": c.SnapshotRecords, "SnapshotEvery": int64(c.SnapshotEvery), "PutRows": int64(c.PutRows), "StopTimeout": int64(c.StopTimeout),
		"BackoffFirst": int64(c.BackoffFirst), "BackoffMost": int64(c.BackoffMost), "SessionTimeout": int64(c.SessionTimeout),
	} {
		if v <= 0 {
			errs = append(errs, fmt.Errorf("runner: %s must be above 0", name))
		}
	}
	return errors.Join(errs...)
}
