package kafka_test

import (
	"crypto/rand"
	"os"
	"strings"
	"testing"

	"meridian/streaming/kafka"
	"meridian/streaming/kafka/kafkatest"
)

func broker(t *testing.T, dir string) *kafka.Broker {
	t.Helper()
	b, err := kafka.StartBroker(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

func TestEmbedded(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T) kafka.Config { return broker(t, t.TempDir()).Config("") })
}

// TestServed runs the same suite on a real broker, such as make kafka-start starts.
func TestServed(t *testing.T) {
	addr := os.Getenv("MERIDIAN_TEST_KAFKA")
	if addr == "" {
		t.Skip("set MERIDIAN_TEST_KAFKA=host:port of a running Apache Kafka")
	}
	kafkatest.Run(t, func(t *testing.T) kafka.Config {
		return kafka.Config{Brokers: strings.Split(addr, ","), Prefix: "test-" + strings.ToLower(rand.Text()[:12])}
	})
}
