package kafka_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"meridian/streaming"
	"meridian/streaming/kafka"
)

// What a generation leaves on a broker is found by its number, and goes when nobody
// is a member any more; what is somebody else's is not ours.
func TestStrays(t *testing.T) {
	c := broker(t, "").Config("acme")
	for _, topic := range []kafka.Topic{c.Events(3, 2), {Name: "acme.events.none", Partitions: 1}, {Name: "others.events.8", Partitions: 1}} {
		if err := kafka.EnsureTopics(t.Context(), c, topic); err != nil {
			t.Fatal(err)
		}
	}
	group := c.Group("engine", 5)
	member := join(t, c, group, c.EventsTopic(3))
	have := func(want ...streaming.Generation) {
		t.Helper()
		got, err := kafka.Generations(t.Context(), c, "route", "engine")
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	}
	have(3, 5)
	if err := kafka.DropGroups(t.Context(), c, group, c.Group("route", 5)); !errors.Is(err, kafka.ErrGroupInUse) {
		t.Errorf("with a member: %v", err)
	}
	member.Close() // which leaves
	for range 2 {
		if err := kafka.DropGroups(t.Context(), c, group, c.Group("route", 5)); err != nil {
			t.Fatal(err)
		}
		if err := kafka.DropTopic(t.Context(), c, c.EventsTopic(3)); err != nil {
			t.Fatal(err)
		}
	}
	have()
}

// join returns a member of a group that has been given its partitions.
func join(t *testing.T, c kafka.Config, group, topic string) *kgo.Client {
	t.Helper()
	given := make(chan bool, 8)
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers...), c.ClientOptions(), kgo.ConsumerGroup(group), kgo.ConsumeTopics(topic),
		kgo.OnPartitionsAssigned(func(context.Context, *kgo.Client, map[string][]int32) { given <- true }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	client.PauseFetchTopics(topic)
	polling, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	t.Cleanup(func() { stop(); <-done })
	go func() {
		defer close(done)
		for polling.Err() == nil {
			client.PollFetches(polling)
		}
	}()
	<-given
	return client
}
