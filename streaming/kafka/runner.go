package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"meridian/streaming"
)

// Runner runs the shards of one stage that Kafka's consumer group gives to
// this process. Each shard is a goroutine with a reader of its own, which it
// polls when it has room: so a slow sink holds one shard back and no other,
// and a shard that fails starts again from its snapshot while the others go on.
//
// The group's client decides who owns what and reads nothing: where a shard
// reads from stands in its snapshot, not in the group.
type Runner[In, Out any] struct {
	config Config
	stage  Stage[In, Out]
	cfg    RunnerConfig
	log    *slog.Logger

	pause pause

	mu     sync.Mutex
	owned  map[int32]*ownership
	status map[int32]ShardStatus
}

// ownership of a partition; done is closed when its shard has stopped.
type ownership struct {
	stop context.CancelFunc // finish the round, flush, publish, commit
	hard context.CancelFunc // drop everything
	done chan struct{}
}

// NewRunner returns a runner; Run works.
func NewRunner[In, Out any](c Config, stage Stage[In, Out], cfg RunnerConfig) *Runner[In, Out] {
	return &Runner[In, Out]{
		config: c, stage: stage, cfg: cfg,
		log:    c.log().With("stage", stage.Name, "generation", stage.Generation),
		owned:  map[int32]*ownership{},
		status: map[int32]ShardStatus{},
	}
}

// Run joins the group and runs the shards until ctx ends; then they finish
// their rounds, flush, publish and commit, for StopTimeout at most. The error
// is one of the configuration, or says that a shard could not stop cleanly; a
// shard that fails while it runs is tried again for ever, and counted.
func (r *Runner[In, Out]) Run(ctx context.Context) error {
	if err := r.cfg.Validate(); err != nil {
		return err
	}
	topic := r.stage.Input.Topic
	group := r.config.Group(r.stage.Name, r.stage.Generation)
	client, err := r.config.newClient(
		kgo.ConsumerGroup(group),
		kgo.ConsumeTopics(topic),
		kgo.Balancers(kgo.CooperativeStickyBalancer()),
		kgo.SessionTimeout(r.cfg.SessionTimeout),
		kgo.HeartbeatInterval(r.cfg.SessionTimeout/4),
		kgo.RebalanceTimeout(r.cfg.StopTimeout+10*time.Second),
		kgo.DisableAutoCommit(),
		kgo.OnPartitionsAssigned(func(_ context.Context, c *kgo.Client, m map[string][]int32) { r.assigned(c, group, m[topic]) }),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, m map[string][]int32) { r.stop(m[topic], false) }),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, m map[string][]int32) { r.stop(m[topic], true) }),
	)
	if err != nil {
		return err
	}
	client.PauseFetchTopics(topic)
	for ctx.Err() == nil {
		// Nothing is fetched; this is where errors of the group come out.
		client.PollFetches(ctx).EachError(func(_ string, _ int32, err error) {
			if ctx.Err() == nil {
				r.log.Warn("consumer group", "group", group, "err", err)
			}
		})
	}
	err = r.stop(r.partitions(), false)
	client.CloseAllowingRebalance()
	return errors.Join(err, r.stop(r.partitions(), false)) // of a rebalance that came in between
}

func (r *Runner[In, Out]) partitions() []int32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.owned))
}

func (r *Runner[In, Out]) assigned(client *kgo.Client, group string, partitions []int32) {
	commit := func(ctx context.Context, partition int32, offset int64) error {
		var failed error
		offsets := map[string]map[int32]kgo.EpochOffset{r.stage.Input.Topic: {partition: {Epoch: -1, Offset: offset}}}
		client.CommitOffsetsSync(ctx, offsets, commitResult(&failed))
		return failed
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range partitions {
		if r.owned[p] != nil {
			continue
		}
		hard, cancelHard := context.WithCancel(context.Background())
		stop, cancelStop := context.WithCancel(hard)
		o := &ownership{stop: cancelStop, hard: cancelHard, done: make(chan struct{})}
		r.owned[p] = o
		go func() {
			defer close(o.done)
			r.keep(stop, hard, p, commit)
		}()
	}
}

// stop ends the shards of partitions and waits for them: gracefully, or at
// once where the group has given them to others already.
func (r *Runner[In, Out]) stop(partitions []int32, lost bool) error {
	r.mu.Lock()
	ending := map[int32]*ownership{}
	for _, p := range partitions {
		if o := r.owned[p]; o != nil {
			ending[p] = o
		}
	}
	r.mu.Unlock()
	for _, o := range ending {
		o.stop()
		if lost {
			o.hard()
		}
	}
	timeout := time.NewTimer(r.cfg.StopTimeout)
	defer timeout.Stop()
	var errs []error
	for _, p := range slices.Sorted(maps.Keys(ending)) {
		o := ending[p]
		select {
		case <-o.done:
		case <-timeout.C:
			timeout.Reset(0)
			o.hard()
			<-o.done
			errs = append(errs, fmt.Errorf("shard %s did not stop within %s; it goes on from its last snapshot", ShardName(r.stage.Name, r.stage.Generation, p), r.cfg.StopTimeout))
		}
		o.hard()
		r.mu.Lock()
		delete(r.owned, p)
		r.mu.Unlock()
		r.report(p, func(st *ShardStatus) { st.State = Stopped })
	}
	return errors.Join(errs...)
}

// keep runs a shard again and again until it is stopped.
func (r *Runner[In, Out]) keep(stop, hard context.Context, partition int32, commit func(context.Context, int32, int64) error) {
	backoff := r.cfg.BackoffFirst
	rim := r.stage.rim(commit)
	for stop.Err() == nil {
		r.report(partition, func(st *ShardStatus) { st.State = Restoring })
		began := time.Now()
		run := &shardRun[In, Out]{
			stage: r.stage, cfg: r.cfg, partition: partition, stop: stop, hard: hard, rim: rim,
			name: ShardName(r.stage.Name, r.stage.Generation, partition), pause: &r.pause,
			report: func(change func(*ShardStatus)) { r.report(partition, change) },
		}
		err := run.run()
		if err == nil || hard.Err() != nil {
			return
		}
		if time.Since(began) > r.cfg.BackoffMost {
			backoff = r.cfg.BackoffFirst
		}
		r.log.Error("a shard failed; it starts again from its last snapshot", "shard", run.name, "in", backoff, "err", err)
		r.report(partition, func(st *ShardStatus) {
			st.State, st.LastError = Failed, err.Error()
			st.Failures++
		})
		select {
		case <-stop.Done():
		case <-time.After(backoff):
		}
		backoff = min(2*backoff, r.cfg.BackoffMost)
	}
}

func (r *Runner[In, Out]) report(partition int32, change func(*ShardStatus)) {
	r.mu.Lock()
	st, ok := r.status[partition]
	if !ok {
		st = ShardStatus{Stage: r.stage.Name, Generation: r.stage.Generation, Partition: partition, Clock: streaming.NoClock}
	}
	change(&st)
	r.status[partition] = st
	r.mu.Unlock()
	if r.stage.Observe != nil {
		r.stage.Observe(st)
	}
}

// Shards returns the shards that this process has, or has had, by partition.
func (r *Runner[In, Out]) Shards() []ShardStatus {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.SortedFunc(maps.Values(r.status), func(a, b ShardStatus) int { return cmp.Compare(a.Partition, b.Partition) })
}

// Describe tells in words where each shard stands.
func (r *Runner[In, Out]) Describe() string {
	var b strings.Builder
	for _, st := range r.Shards() {
		fmt.Fprintf(&b, "%s\n", st)
		for _, text := range []string{st.Detail, st.Program} {
			for line := range strings.Lines(text) {
				b.WriteString("  " + strings.TrimRight(line, "\n") + "\n")
			}
		}
	}
	return b.String()
}
