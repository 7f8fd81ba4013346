package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/kafka"
)

// sideOutputs write the rows of the generation that readers see to topics too, for
// programs beside this one: points, and what was late or quarantined. They go out
// before the tables have them, so that what a snapshot vouches for is in both. A
// generation that nobody sees goes by them.
type sideOutputs struct {
	rowSink
	turn             func() (sequence uint64, live bool)
	points           *kafka.TopicSink[sidePoint]
	late, quarantine *kafka.TopicSink[*metrics.RejectRow]
}

// sidePoint is a point with the turn in which readers see it. After a rollback the
// versions are lower than before, so whoever reads takes the highest turn, and of
// it the highest version.
type sidePoint struct {
	*metrics.Point
	turn uint64
}

func newSideOutputs(l *deliveryLog, s rowSink, turn func() (sequence uint64, live bool)) *sideOutputs {
	reject := func(r *metrics.RejectRow) (int32, []byte, []byte) {
		return sidePartition(r.Team, l.partitions), []byte(r.Team), rejectLine(r)
	}
	return &sideOutputs{
		rowSink: s, turn: turn, points: pointTopic(l),
		late:       kafka.NewTopicSink(l.Config, l.LateTopic(), reject),
		quarantine: kafka.NewTopicSink(l.Config, l.QuarantineTopic(), reject),
	}
}

func pointTopic(l *deliveryLog) *kafka.TopicSink[sidePoint] {
	return kafka.NewTopicSink(l.Config, l.PointsTopic(), func(p sidePoint) (int32, []byte, []byte) {
		return sidePartition(p.Team, l.partitions), pointKey(p.Point), p.line()
	})
}

// Put implements [streaming.Sink].
func (s *sideOutputs) Put(ctx context.Context, shard int32, rows []metrics.Row) error {
	turn, live := s.turn()
	if !live {
		return s.rowSink.Put(ctx, shard, rows)
	}
	var points []sidePoint
	var late, quarantined []*metrics.RejectRow
	for _, r := range rows {
		switch r := r.(type) {
		case *metrics.Point:
			points = append(points, sidePoint{r, turn})
		case *metrics.RejectRow:
			if r.Verdict == event.Quarantined {
				quarantined = append(quarantined, r)
			} else {
				late = append(late, r)
			}
		}
	}
	if err := s.points.Put(ctx, shard, points); err != nil {
		return err
	}
	if err := s.late.Put(ctx, shard, late); err != nil {
		return err
	}
	if err := s.quarantine.Put(ctx, shard, quarantined); err != nil {
		return err
	}
	return s.rowSink.Put(ctx, shard, rows)
}

func (s *sideOutputs) close() {
	s.points.Close()
	s.late.Close()
	s.quarantine.Close()
}

// sidePartition keeps what is of one team in order.
func sidePartition(team string, partitions int32) int32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(team))
	return int32(h.Sum32() % uint32(partitions))
}

// pointKey is what a point replaces another of: a broker that compacts keeps the
// last of each.
func pointKey(p *metrics.Point) []byte {
	key, err := json.Marshal([]string{p.Team, string(p.Metric), string(p.Grain), p.Service, p.Start.String()})
	if err != nil {
		panic(err) // strings always marshal
	}
	return key
}

// line is the point as everywhere else, with its turn.
func (p sidePoint) line() []byte {
	line := p.AppendJSON(nil)
	return fmt.Appendf(line[:len(line)-1], `,"turn":%d}`, p.turn)
}

// rejectLine is an event that was not accepted, and why, as JSON.
func rejectLine(r *metrics.RejectRow) []byte {
	type origin struct {
		Partition int32 `json:"partition"`
		Offset    int64 `json:"offset"`
		Ordinal   int32 `json:"ordinal"`
	}
	out := struct {
		Team     string  `json:"team"`
		Source   string  `json:"source"`
		Kind     string  `json:"kind"`
		ID       string  `json:"id"`
		Entity   string  `json:"entity"`
		Time     int64   `json:"time_ms"` // as the sender said, so perhaps absurd
		Received string  `json:"received"`
		Clock    *string `json:"clock"` // that judged it; null before the first tick
		Verdict  string  `json:"verdict"`
		Reason   string  `json:"reason"`
		Detail   string  `json:"detail"`
		Origin   origin  `json:"origin"` // its place on the log
		Version  string  `json:"version"`
	}{
		Team: r.Team, Source: r.Source.String(), Kind: r.Kind.String(), ID: hex.EncodeToString(r.ID[:]), Entity: string(r.Entity),
		Time: int64(r.Time), Received: r.Received.String(), Verdict: r.Verdict.String(), Reason: r.Reason, Detail: r.Detail,
		Origin: origin{r.Origin.Partition, r.Origin.Offset, r.Origin.Ordinal}, Version: fmt.Sprint(uint64(r.Version)),
	}
	if r.Clock != streaming.NoClock {
		clock := r.Clock.String()
		out.Clock = &clock
	}
	line, err := json.Marshal(out)
	if err != nil {
		panic(err) // numbers and strings always marshal
	}
	return line
}
