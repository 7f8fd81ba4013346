package kafkatest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"meridian/streaming/kafka"
)

func openControl(t *testing.T, c kafka.Config) (store *kafka.Control, stop func()) {
	t.Helper()
	store, err := kafka.OpenControl(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = store.Run(ctx)
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-done
		store.Close()
	})
	t.Cleanup(stop)
	return store, stop
}

// watch sends what changes to a channel until the end of the test.
func watch(t *testing.T, store *kafka.Control, prefix string) <-chan kafka.ControlEntry {
	t.Helper()
	changes := make(chan kafka.ControlEntry)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		store.Watch(ctx, prefix, func(e kafka.ControlEntry) {
			select {
			case changes <- e:
			case <-ctx.Done():
			}
		})
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return changes
}

func wantChange(t *testing.T, changes <-chan kafka.ControlEntry, key, value string) {
	t.Helper()
	select {
	case e := <-changes:
		if e.Key != key || string(e.Value) != value {
			t.Errorf("watched %s = %q, want %s = %q", e.Key, e.Value, key, value)
		}
	case <-t.Context().Done():
		t.Fatalf("no change of %s was seen", key)
	}
}

func testControl(t *testing.T, c kafka.Config) {
	if err := kafka.EnsureTopics(t.Context(), c, c.Topics(1)...); err != nil {
		t.Fatal(err)
	}
	one, stop := openControl(t, c)
	put := func(key, value string) {
		t.Helper()
		if err := one.Put(t.Context(), key, []byte(value)); err != nil {
			t.Fatal(err)
		}
		if got, ok := one.Get(key); !ok || string(got) != value {
			t.Errorf("after Put, %s is %q", key, got)
		}
	}
	put("generation/1", "first")
	put("shard/a", "at 1")
	put("shard/a", "at 2")

	// Another process sees what is there, then what comes.
	two, _ := openControl(t, c)
	changes := watch(t, two, "shard/")
	wantChange(t, changes, "shard/a", "at 2")
	put("shard/a", "at 3")
	wantChange(t, changes, "shard/a", "at 3")
	put("generation/2", "second")
	put("shard/b", "")
	wantChange(t, changes, "shard/b", "")
	if err := one.Delete(t.Context(), "shard/a"); err != nil {
		t.Fatal(err)
	}
	wantChange(t, changes, "shard/a", "")
	if _, ok := two.Get("shard/a"); ok {
		t.Error("a deleted key is still there")
	}
	if _, ok := two.Get("shard/b"); !ok {
		t.Error("an empty value counts as deleted")
	}

	stop()
	three, _ := openControl(t, c)
	var got []string
	for _, e := range three.All("generation/") {
		got = append(got, e.Key+"="+string(e.Value))
	}
	if fmt.Sprint(got) != "[generation/1=first generation/2=second]" {
		t.Errorf("all generations: %v", got)
	}
}

// testControlCompaction writes one key so often that the topic would grow for
// ever, and finds every other key afterwards.
func testControlCompaction(t *testing.T, c kafka.Config) {
	if !c.Embedded {
		t.Skip("a served broker compacts by itself")
	}
	if err := kafka.EnsureTopics(t.Context(), c, c.Topics(1)...); err != nil {
		t.Fatal(err)
	}
	c.ControlCompactAfter = 50
	store, stop := openControl(t, c)
	changes := watch(t, store, "clock")
	for key := range 20 {
		if err := store.Put(t.Context(), fmt.Sprintf("key %d", key), []byte("kept")); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Delete(t.Context(), "key 7"); err != nil {
		t.Fatal(err)
	}
	start := int64(0)
	for i := 0; start < 300; i++ {
		if err := store.Put(t.Context(), "clock", fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
		wantChange(t, changes, "clock", fmt.Sprint(i)) // each once, also across a compaction
		b, err := kafka.Offsets(t.Context(), c, c.ControlTopic())
		if err != nil {
			t.Fatal(err)
		}
		if start = b[0].Start; b[0].End-start > 400 {
			t.Fatalf("the topic holds %d records and is not compacted", b[0].End-start)
		}
	}
	stop()
	store, _ = openControl(t, c)
	for key := range 20 {
		value, ok := store.Get(fmt.Sprintf("key %d", key))
		if want := key != 7; ok != want || ok && string(value) != "kept" {
			t.Errorf("after compactions key %d is %q, %t", key, value, ok)
		}
	}
}
