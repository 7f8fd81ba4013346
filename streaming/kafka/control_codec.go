package kafka

import (
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"meridian/streaming"
	"meridian/streaming/kafka/controlpb"
	"meridian/streaming/timeline"
)

// ErrControl says that a value of the control topic cannot be read.
var ErrControl = errors.New("control record cannot be read")

// Prefixes of keys of the control topic that this package knows.
const (
	GenerationKeys = "generation/"
	ShardKeys      = "shard/"
)

// GenerationKey is the control key of a generation's manifest. Numbers are
// padded, so that keys sort as generations do.
func GenerationKey(g streaming.Generation) string { return fmt.Sprintf("%s%08d", GenerationKeys, g) }

// ShardKey is the control key of a shard's status.
func ShardKey(s ShardStatus) string { return ShardKeys + ShardName(s.Stage, s.Generation, s.Partition) }

// EncodeGeneration writes a manifest for the control topic.
func EncodeGeneration(m streaming.GenerationManifest) ([]byte, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(&controlpb.Generation{
		Number: uint32(m.Number), Logic: m.Logic, Config: m.Config, CatalogHash: m.CatalogHash[:], ZoneHash: m.ZoneHash[:],
		First: m.First, HistoryEnd: int64(m.HistoryEnd), HistoryOffsets: m.HistoryOffsets, EventsPartitions: m.EventsPartitions,
		Begun: int64(m.Begun), Reason: m.Reason,
	})
}

// DecodeGeneration reads what EncodeGeneration wrote.
func DecodeGeneration(data []byte) (streaming.GenerationManifest, error) {
	var pb controlpb.Generation
	if err := proto.Unmarshal(data, &pb); err != nil {
		return streaming.GenerationManifest{}, fmt.Errorf("%w: manifest of a generation: %w", ErrControl, err)
	}
	m := streaming.GenerationManifest{
		Number: streaming.Generation(pb.Number), Logic: pb.Logic, Config: pb.Config,
		First: pb.First, HistoryEnd: streaming.Round(pb.HistoryEnd), HistoryOffsets: pb.HistoryOffsets, EventsPartitions: pb.EventsPartitions,
		Begun: timeline.Millis(pb.Begun), Reason: pb.Reason,
	}
	if copy(m.CatalogHash[:], pb.CatalogHash) != len(m.CatalogHash) || copy(m.ZoneHash[:], pb.ZoneHash) != len(m.ZoneHash) {
		return streaming.GenerationManifest{}, fmt.Errorf("%w: manifest of generation %d has hashes of %d and %d bytes", ErrControl, m.Number, len(pb.CatalogHash), len(pb.ZoneHash))
	}
	if err := m.Validate(); err != nil {
		return streaming.GenerationManifest{}, fmt.Errorf("%w: %w", ErrControl, err)
	}
	return m, nil
}

// EncodeShard writes a shard's status for the control topic.
func EncodeShard(s ShardStatus) ([]byte, error) {
	pb := &controlpb.Shard{
		Stage: s.Stage, Generation: uint32(s.Generation), Partition: s.Partition, State: string(s.State),
		Next: s.Next, End: s.End, Pending: int64(s.Pending), Failures: s.Failures, LastError: s.LastError,
		Snapshot: s.Snapshot, Resume: s.Resume,
	}
	if s.Clock != streaming.NoClock {
		pb.Ticked, pb.Clock = true, int64(s.Clock)
	}
	if !s.SnapshotAt.IsZero() {
		pb.SnapshotAt = s.SnapshotAt.UnixMilli()
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(pb)
}

// DecodeShard reads what EncodeShard wrote.
func DecodeShard(data []byte) (ShardStatus, error) {
	var pb controlpb.Shard
	if err := proto.Unmarshal(data, &pb); err != nil {
		return ShardStatus{}, fmt.Errorf("%w: status of a shard: %w", ErrControl, err)
	}
	s := ShardStatus{
		Stage: pb.Stage, Generation: streaming.Generation(pb.Generation), Partition: pb.Partition, State: ShardState(pb.State), Clock: streaming.NoClock,
		Next: pb.Next, End: pb.End, Pending: int(pb.Pending), Failures: pb.Failures, LastError: pb.LastError,
		Snapshot: pb.Snapshot, Resume: pb.Resume,
	}
	if pb.Ticked {
		s.Clock = streaming.Clock(pb.Clock)
	}
	if pb.SnapshotAt != 0 {
		s.SnapshotAt = time.UnixMilli(pb.SnapshotAt)
	}
	return s, nil
}
