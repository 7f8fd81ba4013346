package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"meridian/streaming/kafka"
)

// silent is a broker that takes connections and never answers.
func silent(t *testing.T) kafka.Config {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
		}
	}()
	return kafka.Config{Brokers: []string{ln.Addr().String()}}
}

func TestAppendAnswersInTimeWhateverTheBrokerDoes(t *testing.T) {
	c := silent(t)
	cfg := kafka.DefaultAppenderConfig("meridian.deliveries", 1)
	cfg.Timeout, cfg.MaxRecords = 50*time.Millisecond, 4
	a, err := kafka.NewAppender(c, cfg)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range cfg.MaxRecords {
		wg.Go(func() {
			if _, err := a.Append(t.Context(), "k", []byte("v")); !errors.Is(err, kafka.ErrTimeout) {
				t.Errorf("append: %v, want ErrTimeout", err)
			}
		})
	}
	wg.Wait()
	if records, _ := a.Buffered(); records != int64(cfg.MaxRecords) {
		t.Errorf("%d records wait, want %d: a record that was given up on may still land", records, cfg.MaxRecords)
	}
	if _, err := a.Append(t.Context(), "k", []byte("v")); !errors.Is(err, kafka.ErrFull) {
		t.Errorf("append to a full buffer: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Append(cancelled, "k", []byte("v")); !errors.Is(err, context.Canceled) {
		t.Errorf("append for a caller that has gone: %v", err)
	}
	if err := a.Close(cancelled); err == nil {
		t.Error("close dropped records and said nothing")
	}
}

// A record given up on by its caller still lands when the broker is back, in
// its place.
func TestStampsRiseAlongTheLog(t *testing.T) {
	c := broker(t, "").Config("")
	if err := kafka.EnsureTopics(t.Context(), c, c.Topics(1)...); err != nil {
		t.Fatal(err)
	}
	a, err := kafka.NewAppender(c, kafka.DefaultAppenderConfig(c.DeliveriesTopic(), 1))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close(context.Background())
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 50 {
				if _, err := a.Append(t.Context(), "k", fmt.Appendf(nil, "%d %d", w, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers...), kgo.ConsumeTopics(c.DeliveriesTopic()), c.ClientOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var last time.Time
	for n := 0; n < 400; {
		for _, r := range client.PollFetches(t.Context()).Records() {
			if r.Timestamp.Before(last) {
				t.Fatalf("offset %d is stamped %s, the one before %s", r.Offset, r.Timestamp, last)
			}
			last = r.Timestamp
			n++
		}
	}
}

func TestPartitionOfIsPartOfTheFormat(t *testing.T) {
	for key, want := range map[string]int32{"github/42": 0, "jira/cloud/10001": 3, "deploy/ci": 1, "": 3} {
		if got := kafka.PartitionOf(key, 6); got != want {
			t.Errorf("PartitionOf(%q, 6) = %d, want %d: records of one key would lie in two partitions", key, got, want)
		}
	}
}
