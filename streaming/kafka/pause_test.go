package kafka_test

import (
	"testing"

	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/kafka/kafkatest"
)

// Every shard of a paused runner stands at the one round, with a snapshot of it;
// a member that takes them over stands too; and nobody can tell from the rows.
func TestAllShardsStandAtOneRound(t *testing.T) {
	c := broker(t, "").Config("")
	p := kafkatest.NewPipeline(t, c, 2, 4)
	m := p.Start(t)
	end := p.Feed(t, 1_700_000_000_000, 5)
	p.Rows.WaitFor(t, 4, end)
	at := streaming.RoundOf(end) + 4
	m.Engine.Pause(at)
	last := p.Feed(t, end, 12)
	p.WaitForState(t, m, 4, kafka.Paused)
	for _, st := range m.Engine.Shards() {
		if st.Clock > at.Clock() || st.Snapshot == 0 {
			t.Errorf("it stands beyond %s: %s", at.Clock(), st)
		}
	}
	other := p.Start(t)
	other.Engine.Pause(at)
	p.WaitForState(t, other, 1, kafka.Paused)
	m.Engine.Resume()
	other.Engine.Resume()
	p.Rows.WaitFor(t, 4, last)
	m.Stop(t)
	other.Stop(t)
	p.Rows.Check(t, p.Want())
}
