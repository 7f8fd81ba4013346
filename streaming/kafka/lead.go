package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// CoordinatorTopic has one partition and no records: whoever is given it by the
// group of the same name is the coordinator of the instance.
func (c Config) CoordinatorTopic() string { return c.prefix() + ".coordinator" }

// Lead runs work in one of all the processes that call it with this prefix: the
// owner of the one partition of the coordinator's group. When the partition
// moves, work's context ends, and Lead waits for it before it lets go. It
// returns when ctx ends, or with the error of work, which ends the process.
//
// A process that was stopped for longer than sessionTimeout may not know yet
// that another one leads. What a leader does must therefore be harmless when it
// is done twice: its writes are by key, and the later one holds. What only one may have it
// claims ([Control.Claim]).
func Lead(ctx context.Context, c Config, sessionTimeout time.Duration, work func(context.Context) error) error {
	topic := c.CoordinatorTopic()
	if err := EnsureTopics(ctx, c, Topic{Name: topic, Partitions: 1}); err != nil {
		return err
	}
	// Callbacks run one at a time, in the group's own goroutine.
	var stop context.CancelFunc
	var done chan struct{}
	failed := make(chan error, 1)
	take := func(context.Context, *kgo.Client, map[string][]int32) {
		if stop != nil {
			return
		}
		var lead context.Context
		lead, stop = context.WithCancel(ctx)
		done = make(chan struct{})
		go func() {
			defer close(done)
			if err := work(lead); err != nil && lead.Err() == nil {
				select {
				case failed <- err:
				default:
				}
			}
		}()
	}
	let := func(_ context.Context, _ *kgo.Client, lost map[string][]int32) {
		if stop == nil || len(lost[topic]) == 0 {
			return
		}
		stop()
		<-done
		stop = nil
	}
	client, err := c.newClient(
		kgo.ConsumerGroup(topic),
		kgo.ConsumeTopics(topic),
		kgo.Balancers(kgo.CooperativeStickyBalancer()),
		kgo.SessionTimeout(sessionTimeout),
		kgo.HeartbeatInterval(sessionTimeout/4),
		kgo.RebalanceTimeout(30*time.Second),
		kgo.DisableAutoCommit(),
		kgo.OnPartitionsAssigned(func(ctx context.Context, c *kgo.Client, m map[string][]int32) {
			if len(m[topic]) > 0 {
				take(ctx, c, m)
			}
		}),
		kgo.OnPartitionsRevoked(let),
		kgo.OnPartitionsLost(let),
	)
	if err != nil {
		return err
	}
	defer client.CloseAllowingRebalance() // which revokes, and so waits for work
	client.PauseFetchTopics(topic)
	poll, stopPolling := context.WithCancel(ctx)
	defer stopPolling()
	polled := make(chan struct{})
	go func() {
		defer close(polled)
		for poll.Err() == nil {
			client.PollFetches(poll).EachError(func(_ string, _ int32, err error) {
				if poll.Err() == nil && !errors.Is(err, context.Canceled) {
					c.log().Warn("the coordinator's group", "group", topic, "err", err)
				}
			})
		}
	}()
	select {
	case <-ctx.Done():
	case err = <-failed:
		err = fmt.Errorf("coordinator: %w", err)
	}
	stopPolling()
	<-polled
	return err
}
