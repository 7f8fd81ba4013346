package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"meridian/cmd/meridian/config"
	"meridian/cmd/meridian/demo"
	"meridian/ingest"
	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/snapshottest"
	"meridian/streaming/timeline"
)

// past is a log of three partitions with some weeks of an organisation on it,
// and the manifest of a generation over all of it.
type past struct {
	log      *deliveryLog
	pins     pins
	manifest streaming.GenerationManifest
}

func newPast(t testing.TB, deliveries int) past {
	t.Helper()
	if underRace && deliveries >= 2_000 {
		deliveries /= 2
	}
	broker, err := kafka.StartBroker("", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(broker.Close)
	l := &deliveryLog{Config: broker.Config(""), broker: broker, archive: kafka.OpenArchive(t.TempDir(), nil), partitions: 3}
	if err := kafka.EnsureTopics(t.Context(), l.Config, l.Topics(3)...); err != nil {
		t.Fatal(err)
	}
	org := demo.New(1, 1_772_445_600_000)
	cat, err := catalog.Parse("demo", org.Catalog(), catalog.Options{Key: make([]byte, 32), Zone: timeline.UTC()})
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	out := ingest.NewArchiveWriter(&archive)
	n := 0
	for line := range org.History() {
		if n++; n > deliveries {
			break
		}
		if err := out.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	lines, err := ingest.NewArchiveReader(&archive)
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	end, err := importArchive(t.Context(), l, lines, false, dueTicks(config.Default()), decoders(cat), func(int, timeline.Millis) {})
	if err != nil {
		t.Fatal(err)
	}
	// What comes behind the last tick belongs to nobody's history.
	sink := kafka.NewTopicSink(l.Config, l.DeliveriesTopic(), func(p int32) (int32, []byte, []byte) {
		return p, nil, ingest.EncodeEntry(ingest.Entry{Delivery: &ingest.LoggedDelivery{Outcome: ingest.OutcomePing, Delivery: ingest.Delivery{Provider: "github", Received: end.Clock() + 1}}})
	})
	defer sink.Close()
	if err := errors.Join(sink.Put(t.Context(), 0, []int32{0, 2}), sink.Flush(t.Context(), 0)); err != nil {
		t.Fatal(err)
	}
	m, err := manifest(config.Default(), cat, 3)
	if err != nil {
		t.Fatal(err)
	}
	m.Number, m.Reason, m.HistoryEnd = 5, "test", end
	if m.HistoryOffsets, err = historyOffsets(t.Context(), l, end); err != nil {
		t.Fatal(err)
	}
	p, err := pinsOf(m, cat)
	if err != nil {
		t.Fatal(err)
	}
	p.horizon = 4 * timeline.Day // so that most of it is beyond
	return past{l, p, m}
}

func (p past) history(t testing.TB, snapshots streaming.Snapshots, sink historySink, memory int64) *history {
	return &history{
		log: p.log, manifest: p.manifest, pins: p.pins, snapshots: snapshots, sink: sink,
		tuning: defaultHistoryTuning(memory), dir: filepath.Join(t.TempDir(), "history"), say: func(string) {},
	}
}

// keptRows takes rows, and complains of two contents under one key and version.
type keptRows struct {
	mu   sync.Mutex
	rows map[string]int
}

func (k *keptRows) Put(_ context.Context, shard int32, rows []metrics.Row) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range rows {
		k.add(fmt.Sprint(shard) + " " + rowText(r))
	}
	return nil
}

func (k *keptRows) add(text string) {
	if k.rows == nil {
		k.rows = map[string]int{}
	}
	k.rows[text]++
}
func (k *keptRows) writer(shard int32) rowWriter { return &textWriter{k: k, shard: shard} }

// textWriter writes rows down as they are lent.
type textWriter struct {
	k     *keptRows
	shard int32
	texts []string
}

func (w *textWriter) Add(r metrics.Row) error {
	w.texts = append(w.texts, fmt.Sprint(w.shard)+" "+rowText(r))
	return nil
}
func (w *textWriter) Len() int { return len(w.texts) }
func (w *textWriter) Put(context.Context) error {
	w.k.mu.Lock()
	defer w.k.mu.Unlock()
	for _, text := range w.texts {
		w.k.add(text)
	}
	w.texts = nil
	return nil
}

func (k *keptRows) Flush(context.Context, int32) error                   { return nil }
func (k *keptRows) Advance(int32, streaming.Generation, streaming.Clock) {}
func (k *keptRows) texts() []string                                      { return slices.Sorted(maps.Keys(k.rows)) }

func rowText(r metrics.Row) string {
	switch r := r.(type) {
	case *metrics.Point:
		return string(r.AppendJSON(nil))
	case *metrics.ObservationRow:
		return fmt.Sprintf("observation %+v", *r)
	case *metrics.QualityRow:
		return fmt.Sprintf("quality %+v", *r)
	case *metrics.RejectRow:
		return fmt.Sprintf("reject %+v", *r)
	case *metrics.CoverageRow:
		return fmt.Sprintf("coverage %+v", *r)
	}
	return fmt.Sprintf("%T %+v", r, r)
}

// states returns the sections of every shard's newest snapshot, by their hashes.
// The shard's own section names offsets of an input, which history does without.
func states(t testing.TB, p past, store streaming.Snapshots) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	add := func(shard string) {
		get, m, err := streaming.Restore(t.Context(), store, shard)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range m.Sections {
			data, err := get(s.Name)
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(data)
			all[shard+" "+s.Name] = sum[:]
		}
	}
	for i := range p.log.partitions {
		add(kafka.ShardName("route", p.manifest.Number, i))
	}
	for i := range p.manifest.EventsPartitions {
		add(kafka.ShardName("engine", p.manifest.Number, i))
	}
	return all
}

// roundByRound is the same history by the generation's shards, as if every copy had
// gone through the topic.
func (p past) roundByRound(t testing.TB, store streaming.Snapshots, put func(shard int32, row metrics.Row)) {
	t.Helper()
	n := p.manifest.Number
	var engines []*streaming.Shard[event.Routed, metrics.Row]
	for range p.manifest.EventsPartitions {
		e, err := metrics.NewEngine(p.pins.engine())
		if err != nil {
			t.Fatal(err)
		}
		engines = append(engines, streaming.NewShard(n, p.manifest.Upstreams(), e))
	}
	fed := make([]int64, len(engines))
	for part := range p.log.partitions {
		program, err := p.pins.route(part)
		if err != nil {
			t.Fatal(err)
		}
		route := streaming.NewShard(n, []int32{part}, program)
		reader, err := kafka.Log{Config: p.log.Config, Topic: p.log.DeliveriesTopic()}.Open(t.Context(), part, 0)
		if err != nil {
			t.Fatal(err)
		}
		var decoder ingest.EntryDecoder
		for next := int64(0); next < p.manifest.HistoryOffsets[part]; {
			records, err := reader.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range records {
				if next = r.Offset + 1; r.Offset >= p.manifest.HistoryOffsets[part] {
					break
				}
				e, err := decoder.Entry(r.Value)
				if err != nil {
					t.Fatal(err)
				}
				route.Feed(r.Offset, ingest.EntryMessage(part, r.Offset, e), func(c ingest.Copy) {
					engines[c.Partition].Feed(fed[c.Partition], c.Message, func(r metrics.Row) { put(c.Partition, r) })
					fed[c.Partition]++
				})
			}
		}
		reader.Close()
		publishNow(t, store, kafka.ShardName("route", n, part), route.Save)
	}
	for i, e := range engines {
		publishNow(t, store, kafka.ShardName("engine", n, int32(i)), e.Save)
	}
}

func publishNow(t testing.TB, store streaming.Snapshots, shard string, save func(put func(section string, data []byte))) {
	t.Helper()
	s, err := takeSnapshot(t.Context(), store, shard, 0, save)
	if err == nil {
		err = s.publish(t.Context(), store)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func sameHistory(t *testing.T, name string, gotRows, wantRows *keptRows, got, want map[string][]byte) {
	t.Helper()
	a, b := gotRows.texts(), wantRows.texts()
	if !slices.Equal(a, b) {
		for i := range max(len(a), len(b)) {
			if i >= len(a) || i >= len(b) || a[i] != b[i] {
				t.Errorf("%s: %d rows and %d; the first that differ:\n%s\n%s", name, len(a), len(b), at(a, i), at(b, i))
				break
			}
		}
	}
	for section := range want {
		if !bytes.Equal(got[section], want[section]) {
			t.Errorf("%s: %s has other bytes", name, section)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d sections, want %d", name, len(got), len(want))
	}
}

func at(s []string, i int) string {
	if i < len(s) {
		return s[i]
	}
	return "nothing"
}

// In memory, scattered to files, and round by round through shards: the same rows
// and the same state, to the byte.
func TestAHistoryIsTheSameWhereverItIsFolded(t *testing.T) {
	p := newPast(t, 3_000)
	rows, store := &keptRows{}, &snapshottest.Memory{}
	p.roundByRound(t, store, func(shard int32, r metrics.Row) { _ = rows.Put(t.Context(), shard, []metrics.Row{r}) })
	want := states(t, p, store)
	for section := range want { // what names offsets of an input is compared by what follows it, below
		if len(section) > 6 && section[len(section)-6:] == " shard" {
			delete(want, section)
		}
	}
	if len(rows.rows) < 1_000 {
		t.Fatalf("only %d rows: the log is too short to tell", len(rows.rows))
	}
	for name, memory := range map[string]int64{"memory": 1 << 40, "files": 1 << 20} {
		got, kept := &keptRows{}, &snapshottest.Memory{}
		h := p.history(t, kept, got, memory)
		h.tuning.turn = (&throttle{procs: make(chan struct{}, 1)}).turn // no piece of work waits for another
		if err := h.run(t.Context()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if at := h.at(); at.Done != at.Total || at.Total != h.records() || at.Resumed != 0 || at.Clock != p.manifest.HistoryEnd.Clock() {
			t.Errorf("%s: at its end it is at %+v", name, at)
		}
		if kind := h.kind(); kind != name {
			t.Errorf("%s: it was folded in %s", name, kind)
		}
		have := states(t, p, kept)
		for section := range have {
			if section[len(section)-6:] == " shard" {
				delete(have, section)
			}
		}
		sameHistory(t, name, got, rows, have, want)
		if ms, err := kept.Manifests(t.Context(), h.checkpointName()); err != nil || len(ms) != 0 {
			t.Errorf("%s: %d checkpoints are left, %v", name, len(ms), err)
		}
	}
}

// Killed at each step, one after the other, and started again each time.
func TestAHistoryThatIsKilledGoesOn(t *testing.T) {
	p := newPast(t, 3_000)
	for name, memory := range map[string]int64{"memory": 1 << 40, "files": 1 << 20} {
		wantRows, wantStore := &keptRows{}, &snapshottest.Memory{}
		if err := p.history(t, wantStore, wantRows, memory).run(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := states(t, p, wantStore)

		rows, store, dir := &keptRows{}, &snapshottest.Memory{}, filepath.Join(t.TempDir(), "history")
		killed := errors.New("killed")
		resumed := int64(0)
		for _, step := range []string{"checkpoint", "checkpoint", "read", "rows", "engine", "engine 3", "route", "route 2", ""} {
			h := p.history(t, store, rows, memory)
			h.dir = dir
			h.tuning.checkpoint = time.Millisecond
			var mu sync.Mutex // shards end beside each other
			n, hit := 0, false
			h.tuning.reached = func(at string) error {
				mu.Lock()
				defer mu.Unlock()
				if at == step[:min(len(step), len(at))] && at != "" {
					if n++; len(step) == len(at) || fmt.Sprint(n) == step[len(step)-1:] {
						hit = true
						return killed
					}
				}
				return nil
			}
			err := h.run(t.Context())
			if step == "" && err != nil || step != "" && !errors.Is(err, killed) {
				t.Fatalf("%s, %q: %v", name, step, err)
			}
			if hit != (step != "") {
				t.Fatalf("%s: it was not killed at %q", name, step)
			}
			resumed = max(resumed, h.at().Resumed)
		}
		if resumed == 0 {
			t.Errorf("%s: nothing was resumed", name)
		}
		sameHistory(t, name, rows, wantRows, states(t, p, store), want)
	}
}

// What the routes remember counts too: it is there however the copies are folded.
func TestTheMemoryOfAHistory(t *testing.T) {
	for _, c := range []struct {
		records, memory int64
		room            int64
		atOnce          int
		inMemory        bool
	}{
		{1_000, 1_000 * (recordCost + routeCost), 1_000 * recordCost, min(2, runtime.GOMAXPROCS(0)), true},
		{1_000, 1_000*(recordCost+routeCost) - 1, 1_000*recordCost - 1, min(2, runtime.GOMAXPROCS(0)), false},
		{1_000_000, 768 << 20, 768<<20 - 1_000_000*routeCost, min(2, runtime.GOMAXPROCS(0)), false},
		{1_000_000, 512 << 20, 512<<20 - 1_000_000*routeCost, 1, false},
		{1_000_000, 64 << 20, 16 << 20, 1, false}, // the ids alone take more
	} {
		h := &history{tuning: defaultHistoryTuning(c.memory), manifest: streaming.GenerationManifest{First: []int64{0}, HistoryOffsets: []int64{c.records}, EventsPartitions: 4}}
		if got := h.estimate() <= c.memory; got != c.inMemory {
			t.Errorf("%d records in %d: in memory %v, want %v", c.records, c.memory, got, c.inMemory)
		}
		if got := h.room(); got != c.room {
			t.Errorf("%d records in %d: room for %d, want %d", c.records, c.memory, got, c.room)
		}
		if got := min(2, h.atOnce()); got != c.atOnce {
			t.Errorf("%d records in %d: %d at once, want %d", c.records, c.memory, got, c.atOnce)
		}
	}
}
