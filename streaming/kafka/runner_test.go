package kafka_test

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"meridian/streaming/kafka"
	"meridian/streaming/kafka/kafkatest"
)

// The group forgets a member that is alive. It drops its shards at once, joins
// again, and nobody can tell from the rows.
func TestAMemberThatTheGroupForgot(t *testing.T) {
	b := broker(t, "")
	c := b.Config("")
	p := kafkatest.NewPipeline(t, c, 1, 2)
	p.Runner.SessionTimeout = 6 * time.Second // the least that kfake takes; it beats every 1.5 s
	fault := b.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Group: c.Group("engine", 1), Err: kerr.UnknownMemberID, TopLevel: true, Count: 2})
	m := p.Start(t)
	end := p.Feed(t, 1_700_000_000_000, 5)
	for fault.Hits() < 2 {
		end = p.Feed(t, end, 1)
	}
	end = p.Feed(t, end, 5)
	p.Rows.WaitFor(t, 2, end)
	m.Stop(t)
	p.Rows.Check(t, p.Want())
}

func TestRunnerConfig(t *testing.T) {
	if err := kafka.DefaultRunnerConfig().Validate(); err != nil {
		t.Error(err)
	}
	if err := (kafka.RunnerConfig{}).Validate(); err == nil {
		t.Error("a configuration of zeros was taken")
	}
}
