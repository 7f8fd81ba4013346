package kafka_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"meridian/streaming/kafka/kafkatest"
)

// paused is a sink that stops in the middle of writing, as a process does that
// is not scheduled or whose database hangs, and goes on when it is let.
type paused struct {
	*kafkatest.Rows
	mu     sync.Mutex
	stop   bool
	stands chan struct{} // closed when somebody stands in Put
	let    chan struct{}
	late   int // rows that were written after the pause
}

func (p *paused) Put(ctx context.Context, shard int32, rows []kafkatest.Row) error {
	p.mu.Lock()
	stop := p.stop
	if stop {
		select {
		case <-p.stands:
		default:
			close(p.stands)
		}
	}
	p.mu.Unlock()
	if stop {
		<-p.let // whatever becomes of ctx: a process that stands hears of nothing
		p.mu.Lock()
		p.late += len(rows)
		p.mu.Unlock()
		ctx = context.Background()
	}
	return p.Rows.Put(ctx, shard, rows)
}

// A member stands in the middle of a write for so long that its shards move, and
// writes when another has gone on with them. Its rows are those that the other
// has written, its snapshot is refused, and nothing is different in the end.
func TestAZombieThatWritesLateDoesNoHarm(t *testing.T) {
	b := broker(t, "")
	c := b.Config("")
	p := kafkatest.NewPipeline(t, c, 2, 4)
	p.Runner.SessionTimeout = 6 * time.Second // the least that the broker takes
	p.Runner.StopTimeout = time.Second        // and so the group waits little for the zombie
	sink := &paused{Rows: p.Rows, stands: make(chan struct{}), let: make(chan struct{})}
	p.Sink = sink
	zombie := p.Start(t)
	goOn := sync.OnceFunc(func() { close(sink.let) })
	t.Cleanup(goOn) // before the members are stopped: one that stands would be waited for
	end := p.Feed(t, 1_700_000_000_000, 6)
	p.Rows.WaitFor(t, 4, end)

	sink.mu.Lock()
	sink.stop = true
	sink.mu.Unlock()
	end = p.Feed(t, end, 3)
	<-sink.stands
	// Its group forgets it, as it does a process that sends no heartbeats; it gives
	// up its shards, and one of them still stands in Put. It may not come back: the
	// two members are told apart by their session timeouts.
	const ofTheZombie = 6000
	b.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.JoinGroup}, Group: c.Group("engine", 1), Err: kerr.CoordinatorNotAvailable, TopLevel: true, Count: -1,
		When: func(r kmsg.Request) bool {
			join, ok := r.(*kmsg.JoinGroupRequest)
			return ok && join.SessionTimeoutMillis == ofTheZombie
		}})
	fault := b.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Group: c.Group("engine", 1), Err: kerr.UnknownMemberID, TopLevel: true, Count: 1})
	for fault.Hits() < 1 {
		end = p.Feed(t, end, 1)
	}
	p.Sink, p.Runner.SessionTimeout = nil, 7*time.Second
	other := p.Start(t)
	p.WaitForShards(t, other, 4)
	end = p.Feed(t, end, 5)
	p.Rows.WaitFor(t, 4, end)

	sink.mu.Lock()
	sink.stop = false
	sink.mu.Unlock()
	goOn()
	zombie.Stop(t)
	end = p.Feed(t, end, 3)
	p.Rows.WaitFor(t, 4, end)
	other.Stop(t)
	if sink.late == 0 {
		t.Error("nothing was written late")
	}
	p.Rows.Check(t, p.Want())
	for _, st := range other.Engine.Shards() {
		if st.Failures > 0 {
			t.Errorf("a shard of the living member failed: %s", st)
		}
	}
}
