package ingest

import (
	"bytes"
	"io"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// replayHomes replays an archive through a shard and a route; each delivery is
// one event, dated behind its receipt by as much as its body is long. It returns
// the copies as records, and counts ticks and late events.
func replayHomes(t *rapid.T, archive []byte, due func() timeline.Millis) (homes []string, ticks, late int) {
	lines, err := NewArchiveReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	c := genConfigFixed()
	route, err := NewRoute(c)
	if err != nil {
		t.Fatal(err)
	}
	shard := streaming.NewShard(c.Generation, []int32{0}, route)
	ticked := NewTickedArchive(lines, ArchiveTicks{Due: due})
	offset := int64(0)
	for {
		line, err := ticked.Next()
		if err == io.EOF {
			return homes, ticks, late
		}
		if err != nil {
			t.Fatal(err)
		}
		entry := Entry{Tick: line.Tick}
		if d := line.Delivery; d != nil {
			behind := timeline.Millis(len(d.Body)) * 15 * timeline.Minute
			entry = Entry{Delivery: &LoggedDelivery{Outcome: OutcomeAccepted, Delivery: *d, Events: []event.Event{{
				ID: event.ID{byte(line.Number)}, Source: event.GitHub, Kind: event.Pushed, Time: d.Received - behind, Scope: event.Scope{Repository: "acme/web"},
			}}}}
			offset++
		} else {
			ticks++
		}
		// Offsets are the deliveries' own, so that left-out ticks do not show in origins.
		m := EntryMessage(0, offset, entry)
		shard.Feed(offset, m, func(c Copy) {
			if c.Message.IsTick {
				return
			}
			homes = append(homes, copyBytes(c))
			if c.Message.Value.Verdict == event.Late {
				late++
			}
		})
	}
}

func genConfigFixed() RouteConfig {
	return RouteConfig{
		Generation: 1, EventPartitions: 1, Horizon: 2 * timeline.Hour, FutureSkew: 10 * timeline.Minute,
		Bounds: map[event.Source]timeline.Millis{event.GitHub: 5 * timeline.Minute}, Catalog: emptyCatalog(),
	}
}

// What a route says of an archive does not depend on which of its idle ticks are
// left out: verdicts read the clock, and the last tick before a delivery is never
// left out.
func TestLeavingTicksOutChangesNoVerdict(t *testing.T) {
	fewer, late := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		var file bytes.Buffer
		w := NewArchiveWriter(&file)
		at := instant0
		for range rapid.IntRange(0, 12).Draw(t, "deliveries") {
			at += timeline.Millis(rapid.SampledFrom([]int{0, 1, 500, 29_999, 30_000, 30_001, 600_000, 7_200_000, 7_199_000}).Draw(t, "pause"))
			body := bytes.Repeat([]byte("x"), rapid.IntRange(0, 12).Draw(t, "behind"))
			if err := w.Write(ArchiveLine{Delivery: &Delivery{Provider: "github", Received: at, Body: body}}); err != nil {
				t.Fatal(err)
			}
		}
		want, all, beyond := replayHomes(t, file.Bytes(), nil)
		got, few, _ := replayHomes(t, file.Bytes(), func() timeline.Millis { return math.MaxInt64 })
		if !slices.Equal(got, want) {
			t.Fatalf("with %d of %d ticks:\n%v\nwant\n%v", few, all, got, want)
		}
		if few < all {
			fewer++
		}
		late += beyond
	})
	if fewer == 0 || late == 0 {
		t.Errorf("%d archives had ticks to leave out, %d events were late: the generator is too tame", fewer, late)
	}
}

func BenchmarkDecodeEntry(b *testing.B) {
	record := EncodeEntry(goldenEntries()[0])
	var d EntryDecoder
	b.SetBytes(int64(len(record)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Entry(record); err != nil {
			b.Fatal(err)
		}
	}
}
