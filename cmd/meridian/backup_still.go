package main

import (
	"context"
	"sync"

	"meridian/streaming"
	"meridian/streaming/kafka"
)

// still is held for writing for the moment in which a backup takes its picture, and
// for reading by whatever makes one part of the data directory vouch for another, or
// takes something away: publishing a snapshot (rows and offsets), sealing and
// trimming the log. Webhooks and rows go on meanwhile: a log that has grown behind
// its snapshots, and rows that will be written again with the same versions, are
// what every start finds.
type still struct{ sync.RWMutex }

// sealing is held while the archive is appended to and the log trimmed: by one at a
// time, and not while a picture is taken.
type sealing struct{ m *machine }

func (s sealing) Lock()   { s.m.archiving.Lock(); s.m.still.RLock() }
func (s sealing) Unlock() { s.m.still.RUnlock(); s.m.archiving.Unlock() }

// stillSnapshots publishes and forgets nothing while a picture is taken.
type stillSnapshots struct {
	snapshotStore
	still *still
}

func (s stillSnapshots) Publish(ctx context.Context, m streaming.Manifest, chunk func(streaming.Hash) []byte) error {
	s.still.RLock()
	defer s.still.RUnlock()
	return s.snapshotStore.Publish(ctx, m, chunk)
}

func (s stillSnapshots) Forget(ctx context.Context, shard string) error {
	s.still.RLock()
	defer s.still.RUnlock()
	return s.snapshotStore.Forget(ctx, shard)
}

// sealer copies deliveries into the archive.
func (m *machine) sealer() *kafka.Sealer {
	sc := kafka.DefaultSealerConfig(m.log.Config)
	sc.Gate = sealing{m}
	return kafka.NewSealer(m.log.Config, m.log.archive, sc)
}
