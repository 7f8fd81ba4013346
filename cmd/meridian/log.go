package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"meridian/cmd/meridian/config"
	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/streaming/kafka"
)

// deliveryLog is the log of deliveries: an embedded broker or a served one,
// with its topics made and its behaviour checked.
type deliveryLog struct {
	kafka.Config
	broker     *kafka.Broker // nil: served
	archive    *kafka.Archive
	partitions int32 // of deliveries

	erased []event.PersonID // names that an import said were erased
}

// openLog starts the embedded broker, or reaches the served one, makes the
// topics and checks what everything relies on. An unreachable broker is exit
// code 4.
func openLog(ctx context.Context, c config.Config, in *instance, log *slog.Logger) (*deliveryLog, error) {
	l := &deliveryLog{partitions: in.DeliveryPartitions}
	if len(c.Kafka.Brokers) == 0 {
		broker, err := kafka.StartBroker(in.path("kafka"), log)
		if err != nil {
			return nil, withCode(exitUnavailable, fullDisk(in.dir, err))
		}
		l.broker, l.Config = broker, broker.Config(c.Kafka.TopicPrefix)
	} else {
		served, err := servedKafka(c.Kafka, log)
		if err != nil {
			return nil, err
		}
		l.Config = served
	}
	l.archive = kafka.OpenArchive(archiveDir(c, in), ingest.SplitEntry)
	if err := errors.Join(l.archive.Claim(in.id()), l.prepare(ctx)); err != nil {
		l.close()
		return nil, withCode(exitUnavailable, fullDisk(in.dir, err))
	}
	return l, nil
}

// littleRoom is what a disk has left that is full: no file of the log can grow.
const littleRoom = 4 << 20

// fullDisk adds to an error that the disk of a directory is full, where it is: the
// broker's own words would send people elsewhere.
func fullDisk(dir string, err error) error {
	var fs unix.Statfs_t
	if err == nil || unix.Statfs(dir, &fs) != nil {
		return err
	}
	if free := int64(fs.Bavail) * int64(fs.Bsize); free < littleRoom {
		return fmt.Errorf("the disk of %s is full (%d KiB left); make room, and start again: %w", dir, free>>10, err)
	}
	return err
}

func (l *deliveryLog) prepare(ctx context.Context) error {
	if err := kafka.EnsureTopics(ctx, l.Config, append(l.Topics(l.partitions), l.SideTopics(l.partitions)...)...); err != nil {
		return err
	}
	if err := (kafka.Log{Config: l.Config, Topic: l.DeliveriesTopic(), Archive: l.archive}).CheckArchive(ctx); err != nil {
		return err
	}
	return kafka.Check(ctx, l.Config)
}

func (l *deliveryLog) close() {
	if l.broker != nil {
		l.broker.Close()
	}
}

func archiveDir(c config.Config, in *instance) string {
	if c.Archive.Dir != "" {
		return c.Archive.Dir
	}
	return in.path("archive")
}

// deliveryPartitions is how many partitions a new instance gets.
func deliveryPartitions(c config.Config) int32 {
	if len(c.Kafka.Brokers) == 0 {
		return kafka.EmbeddedDeliveries
	}
	return kafka.ServedDeliveries
}

// eventPartitions is how many partitions a new generation's events get.
func eventPartitions(c config.Config) int32 {
	if len(c.Kafka.Brokers) == 0 {
		return kafka.EmbeddedEvents
	}
	return kafka.ServedEvents
}

func servedKafka(k config.Kafka, log *slog.Logger) (kafka.Config, error) {
	c := kafka.Config{
		Brokers: k.Brokers, Prefix: k.TopicPrefix, Log: log,
		SASL: kafka.SASL{Mechanism: strings.ToUpper(k.SASL.Mechanism), User: k.SASL.Username, Password: k.SASL.Password},
	}
	if k.TLS.Enabled || k.TLS.CA != "" || k.TLS.Cert != "" {
		t, err := tlsConfig(k.TLS)
		if err != nil {
			return c, withCode(exitConfig, err)
		}
		c.TLS = t
	}
	if err := c.Validate(); err != nil {
		return c, withCode(exitConfig, err)
	}
	return c, nil
}

func tlsConfig(t config.TLS) (*tls.Config, error) {
	out := &tls.Config{MinVersion: tls.VersionTLS12}
	if t.CA != "" {
		pem, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, fmt.Errorf("kafka.tls.ca: %w", err)
		}
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM(pem) {
			return nil, errors.New("kafka.tls.ca: the file holds no PEM certificate")
		}
	}
	if t.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("kafka.tls: %w", err)
		}
		out.Certificates = []tls.Certificate{pair}
	}
	return out, nil
}

// start returns the first offset of a partition that broker or archive hold.
func (l *deliveryLog) start(p int32, b kafka.Bounds) (int64, error) {
	span, err := l.archive.Span(p)
	if err != nil {
		return 0, err
	}
	if !span.Empty() && span.End >= b.Start {
		return min(b.Start, span.Start), nil
	}
	return b.Start, nil
}
