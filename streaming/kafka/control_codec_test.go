package kafka_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

func TestGenerationCodec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := streaming.GenerationManifest{
			Number:           streaming.Generation(rapid.IntRange(1, 1<<24-1).Draw(t, "number")),
			Logic:            rapid.Int32().Draw(t, "logic"),
			Config:           []byte(rapid.StringN(1, 20, -1).Draw(t, "config")),
			CatalogHash:      streaming.Hash{1, 2, byte(rapid.Int().Draw(t, "hash"))},
			ZoneHash:         streaming.Hash{31: 9},
			EventsPartitions: int32(rapid.IntRange(1, 100).Draw(t, "events")),
			Begun:            timeline.Millis(rapid.Int64().Draw(t, "begun")),
			Reason:           "the catalog has changed",
		}
		for range rapid.IntRange(1, 6).Draw(t, "deliveries") {
			m.First = append(m.First, rapid.Int64Range(0, 1<<40).Draw(t, "first"))
		}
		if rapid.Bool().Draw(t, "history") {
			m.HistoryEnd = 3_500_000_000
			for _, o := range m.First {
				m.HistoryOffsets = append(m.HistoryOffsets, o+5)
			}
		}
		data, err := kafka.EncodeGeneration(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := kafka.DecodeGeneration(data)
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Fatalf("%+v, %v; want %+v", got, err, m)
		}
	})
}

func TestGenerationThatCannotBe(t *testing.T) {
	good := streaming.GenerationManifest{Number: 1, First: []int64{0, 7}, EventsPartitions: 4}
	for name, change := range map[string]func(*streaming.GenerationManifest){
		"no number":            func(m *streaming.GenerationManifest) { m.Number = 0 },
		"number of 25 bits":    func(m *streaming.GenerationManifest) { m.Number = 1 << 24 },
		"no deliveries":        func(m *streaming.GenerationManifest) { m.First = nil },
		"no events":            func(m *streaming.GenerationManifest) { m.EventsPartitions = 0 },
		"end without offsets":  func(m *streaming.GenerationManifest) { m.HistoryEnd = 5 },
		"offsets without end":  func(m *streaming.GenerationManifest) { m.HistoryOffsets = []int64{1, 9} },
		"ends before it began": func(m *streaming.GenerationManifest) { m.HistoryEnd, m.HistoryOffsets = 5, []int64{1, 6} },
	} {
		m := good
		change(&m)
		if _, err := kafka.EncodeGeneration(m); !errors.Is(err, streaming.ErrBadManifest) {
			t.Errorf("%s: %v", name, err)
		}
	}
	data, err := kafka.EncodeGeneration(good)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]byte{nil, data[:len(data)/2], []byte("x")} {
		if _, err := kafka.DecodeGeneration(bad); !errors.Is(err, kafka.ErrControl) {
			t.Errorf("decode %q: %v", bad, err)
		}
	}
}

func TestShardCodec(t *testing.T) {
	for _, s := range []kafka.ShardStatus{
		{Stage: "route", Generation: 1, State: kafka.Restoring, Clock: streaming.NoClock},
		{Stage: "engine", Generation: 7, Partition: 3, State: kafka.Failed, Clock: 1_700_000_000_500, Next: 12, End: 20, Pending: 4,
			Snapshot: 9, Resume: 8, SnapshotAt: time.UnixMilli(1_700_000_001_000), Failures: 2, LastError: "disk is full"},
	} {
		data, err := kafka.EncodeShard(s)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := kafka.DecodeShard(data); err != nil || !reflect.DeepEqual(got, s) {
			t.Errorf("%+v, %v; want %+v", got, err, s)
		}
	}
}
