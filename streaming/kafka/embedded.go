package kafka

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/twmb/franz-go/pkg/kfake"
)

// Broker is the embedded one: kfake in this process, on a free loopback port.
// The caller holds the lock of the data directory.
type Broker struct {
	cluster *kfake.Cluster
	sasl    SASL
	log     *slog.Logger
	close   sync.Once
}

// StartBroker starts a broker over dir, with what an earlier one left there.
// dir "" keeps everything in memory, for tests.
//
// A loopback port is open to every user of the machine, and the log holds what
// people did: so the broker asks for a password that exists in this process only.
func StartBroker(dir string, log *slog.Logger) (*Broker, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	b := &Broker{log: log, sasl: SASL{Mechanism: "PLAIN", User: "meridian", Password: rand.Text()}}
	opts := []kfake.Opt{
		kfake.NumBrokers(1),
		kfake.ClusterID("meridian-embedded"),
		kfake.WithLogger(brokerLog{log}),
		kfake.EnableSASL(),
		kfake.Superuser(b.sasl.Mechanism, b.sasl.User, b.sasl.Password),
		kfake.BrokerConfigs(map[string]string{"message.max.bytes": strconv.Itoa(maxBatchBytes)}),
	}
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("embedded Kafka: %w", err)
		}
		// The password of the last start would win over this one's, and members
		// of groups that are saved at a clean stop would be waited for, though
		// no client outlives its broker.
		for _, name := range []string{"sasl.json", "session_state.json"} {
			if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("embedded Kafka: %w", err)
			}
		}
		opts = append(opts, kfake.DataDir(dir), kfake.SyncWrites())
	}
	cluster, err := kfake.NewCluster(opts...)
	if err != nil {
		return nil, fmt.Errorf("embedded Kafka: cannot open %s; if another process uses it, stop that one: %w", dir, err)
	}
	b.cluster = cluster
	return b, nil
}

// Config returns how clients in this process reach the broker.
func (b *Broker) Config(prefix string) Config {
	return Config{Brokers: b.cluster.ListenAddrs(), SASL: b.sasl, Prefix: prefix, Embedded: true, Log: b.log}
}

// Close stops the broker and saves what makes the next start fast. Clients
// must be closed before. It may be called more than once.
func (b *Broker) Close() { b.close.Do(b.cluster.Close) }

// brokerLog passes kfake's warnings on: they are all there is to see of a disk
// that does not take writes.
type brokerLog struct{ log *slog.Logger }

// Logf implements kfake.Logger.
func (l brokerLog) Logf(level kfake.LogLevel, msg string, args ...any) {
	switch level {
	case kfake.LogLevelError:
		l.log.Error("embedded Kafka: " + fmt.Sprintf(msg, args...))
	case kfake.LogLevelWarn:
		l.log.Warn("embedded Kafka: " + fmt.Sprintf(msg, args...))
	}
}
