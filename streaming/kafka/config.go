package kafka

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"regexp"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"meridian/streaming"
)

// MaxRecordBytes bounds key and value of one record. A webhook's body may have
// 25 MiB; the rest is for the events that were decoded from it.
const MaxRecordBytes = 32 << 20

// maxBatchBytes is the limit that clients and topics are given. franz-go
// applies its own to uncompressed bytes, so it must exceed the largest record.
const maxBatchBytes = MaxRecordBytes + 64<<10

// DefaultPrefix begins the names of topics and consumer groups.
const DefaultPrefix = "meridian"

// Config says how to reach the brokers. The one of an embedded broker comes
// from [Broker.Config].
type Config struct {
	Brokers  []string    // host:port
	TLS      *tls.Config // nil: plaintext
	SASL     SASL
	Prefix   string // of topics and groups; "" is DefaultPrefix. One per instance on a shared cluster
	ClientID string // shown by brokers; "" is "meridian"

	// Embedded says that the broker is the one in this process. It is given
	// smaller segments, and its topics are never compacted by it.
	Embedded bool

	// ControlCompactAfter is how many superseded records an embedded control
	// topic may hold before [Control] rewrites it; 0 is 20,000.
	ControlCompactAfter int64

	Log *slog.Logger // nil: none
}

// SASL is how clients sign in. The zero SASL is none.
type SASL struct {
	Mechanism string // "", PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512
	User      string
	Password  string
}

var prefixPattern = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,100}$`)

// Validate reports all problems at once.
func (c Config) Validate() error {
	var errs []error
	if len(c.Brokers) == 0 {
		errs = append(errs, errors.New("kafka: no brokers"))
	}
	if !prefixPattern.MatchString(c.prefix()) {
		errs = append(errs, fmt.Errorf("kafka: topic_prefix %q: use letters, digits, dot, dash and underscore, at most 100", c.Prefix))
	}
	switch c.SASL.Mechanism {
	case "":
		if c.SASL.User != "" {
			errs = append(errs, errors.New("kafka: sasl has a user and no mechanism; use PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512"))
		}
	case "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512":
		if c.SASL.User == "" || c.SASL.Password == "" {
			errs = append(errs, errors.New("kafka: sasl needs a user and a password"))
		}
	default:
		errs = append(errs, fmt.Errorf("kafka: sasl mechanism %q: use PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512", c.SASL.Mechanism))
	}
	return errors.Join(errs...)
}

func (c Config) prefix() string {
	if c.Prefix == "" {
		return DefaultPrefix
	}
	return c.Prefix
}

func (c Config) log() *slog.Logger {
	if c.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Log
}

// DeliveriesTopic holds every delivery, tick and control record: the only truth.
func (c Config) DeliveriesTopic() string { return c.prefix() + ".deliveries" }

// ControlTopic holds manifests, catalogs, clocks and status by key.
func (c Config) ControlTopic() string { return c.prefix() + ".control" }

// EventsTopic holds the copies that route made for the teams, of one generation.
func (c Config) EventsTopic(g streaming.Generation) string {
	return fmt.Sprintf("%s.events.%d", c.prefix(), g)
}

// CheckTopic is written and read by [Check] alone.
func (c Config) CheckTopic() string { return c.prefix() + ".check" }

// Group names the consumer group of a stage in a generation.
func (c Config) Group(stage string, g streaming.Generation) string {
	return fmt.Sprintf("%s.%s.%d", c.prefix(), stage, g)
}

// ShardName names a shard's snapshots.
func ShardName(stage string, g streaming.Generation, partition int32) string {
	return fmt.Sprintf("%s-%d-%d", stage, g, partition)
}

// options are what every client has.
func (c Config) options() []kgo.Opt {
	id := c.ClientID
	if id == "" {
		id = "meridian"
	}
	opts := []kgo.Opt{
		kgo.SeedBrokers(c.Brokers...),
		kgo.ClientID(id),
		kgo.WithLogger(clientLog{c.log()}),
		kgo.DisableClientMetrics(),
		// A fetch answers with at least one batch, however large.
		kgo.BrokerMaxReadBytes(4 * maxBatchBytes),
		kgo.BrokerMaxWriteBytes(4 * maxBatchBytes),
		kgo.ProducerBatchMaxBytes(maxBatchBytes),
		kgo.RequiredAcks(kgo.AllISRAcks()),
	}
	if c.TLS != nil {
		opts = append(opts, kgo.DialTLSConfig(c.TLS))
	}
	switch c.SASL.Mechanism {
	case "PLAIN":
		opts = append(opts, kgo.SASL(plain.Auth{User: c.SASL.User, Pass: c.SASL.Password}.AsMechanism()))
	case "SCRAM-SHA-256":
		opts = append(opts, kgo.SASL(scram.Auth{User: c.SASL.User, Pass: c.SASL.Password}.AsSha256Mechanism()))
	case "SCRAM-SHA-512":
		opts = append(opts, kgo.SASL(scram.Auth{User: c.SASL.User, Pass: c.SASL.Password}.AsSha512Mechanism()))
	}
	return opts
}
