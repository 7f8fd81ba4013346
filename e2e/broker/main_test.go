package broker_test

import (
	"fmt"
	"os"
	"testing"

	"meridian/e2e/instance"
	"meridian/e2e/kafka"
)

func TestMain(m *testing.M) { os.Exit(instance.Main(m)) }

// on is the configuration of an instance on a broker, with topics of its own.
func on(b *kafka.Broker, prefix string) string {
	return fmt.Sprintf("privacy: {min_people: 2}\nkafka: {brokers: ['%s'], topic_prefix: %s}", b.Addr(), prefix)
}
