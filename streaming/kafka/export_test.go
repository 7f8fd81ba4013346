package kafka

import (
	"path/filepath"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"meridian/streaming"
)

// Cluster lets tests make the embedded broker fail.
func (b *Broker) Cluster() *kfake.Cluster { return b.cluster }

// SetNow gives a sealer a clock.
func (s *Sealer) SetNow(now func() time.Time) { s.now = now }

// ClientOptions is how a test's own client signs in.
func (c Config) ClientOptions() kgo.Opt {
	return kgo.SASL(plain.Auth{User: c.SASL.User, Pass: c.SASL.Password}.AsMechanism())
}

// NewPackedSnapshotDir returns a store that packs whatever it is given.
func NewPackedSnapshotDir(dir string) *SnapshotDir {
	s := NewSnapshotDir(dir)
	s.loose = 0
	return s
}

// PlacesOf says in which packs of a folder a chunk lies, and where.
func PlacesOf(dir, shard string, h streaming.Hash) map[string]int64 {
	s := NewSnapshotDir(dir)
	packs, err := s.packsOf(filepath.Join(dir, shard), shard, true)
	if err != nil {
		panic(err)
	}
	places := map[string]int64{}
	for _, p := range packs {
		if at, ok := p.at[h]; ok {
			places[filepath.Join(dir, shard, "chunks", p.name)] = at.offset + int64(at.length)/2
		}
	}
	return places
}

// DeleteKeys is how Empty deletes what a broker compacts.
var DeleteKeys = deleteKeys

// Client is one for tests that write what Meridian never does.
func (c Config) Client(opts ...kgo.Opt) (*kgo.Client, error) { return c.newClient(opts...) }
