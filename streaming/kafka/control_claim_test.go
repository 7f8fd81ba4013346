package kafka_test

import (
	"context"
	"sync"
	"testing"

	"meridian/streaming/kafka"
)

// Two processes of one broker claim the same: whose claim lies first on the topic has it,
// also while neither has heard of the other's.
func TestClaim(t *testing.T) {
	c := broker(t, t.TempDir()).Config("")
	c.Embedded = false
	if err := kafka.EnsureTopics(t.Context(), c, c.Topics(1)...); err != nil {
		t.Fatal(err)
	}
	open := func() (s *kafka.Control, follow func()) {
		s, err := kafka.OpenControl(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		var g sync.WaitGroup
		t.Cleanup(func() { stop(); g.Wait(); s.Close() })
		return s, func() { g.Go(func() { _ = s.Run(ctx) }) }
	}
	first, follow := open()
	second, followToo := open()
	followToo()

	claimed := make(chan bool)
	go func() {
		mine, err := first.Claim(t.Context(), "generation/2")
		claimed <- mine && err == nil
	}()
	written, heard := context.WithCancel(t.Context())
	second.Watch(written, "claim/", func(kafka.ControlEntry) { heard() })
	if mine, err := second.Claim(t.Context(), "generation/2"); mine || err != nil {
		t.Errorf("the second gets what the first has claimed: %v, %v", mine, err)
	}
	if all := first.All("claim/"); len(all) != 1 {
		t.Fatalf("the first has heard of other claims than its own, so that the two do not overlap: %v", all)
	}
	select {
	case <-claimed:
		t.Error("the first is sure before it has read what lies before its claim")
	default:
	}
	follow()
	if !<-claimed {
		t.Error("the first does not get what it has claimed first")
	}
	if mine, err := second.Claim(t.Context(), "generation/3"); !mine || err != nil {
		t.Errorf("another number: %v, %v", mine, err)
	}
	if mine, err := first.Claim(t.Context(), "generation/3"); mine || err != nil {
		t.Errorf("what the second has: %v, %v", mine, err)
	}
}
