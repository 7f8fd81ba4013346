package ingest

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"meridian/ingest/event"
	"meridian/ingest/logpb"
	"meridian/streaming"
)

// goldenEntries are what testdata/entries.hex holds, a line each. New records get
// new lines; a line that is there never changes, since logs hold it.
func goldenEntries() []Entry {
	return []Entry{
		{Delivery: &LoggedDelivery{
			ID: "0123456789abcdef0123456789abcdef",
			Delivery: Delivery{
				Provider: "github", Name: "acme", Received: 1_772_442_002_000, Kept: true,
				Headers: map[string]string{"X-Github-Event": "pull_request", "Content-Type": "application/json"},
				Body:    []byte(`{"action":"opened"}`),
			},
			Outcome: OutcomeAccepted, Type: "pull_request.opened", Decoder: 3,
			Events: []event.Event{
				{ID: event.ID{1, 2, 3}, Source: event.GitHub, Kind: event.PullRequestOpened, Time: 1_772_442_000_000, Entity: "github/repo/42/pr/7", PullRequest: &event.PullRequest{Number: 7}},
				{ID: event.ID{4}, Source: event.GitHub, Kind: event.CommitDefective, Defect: "no author"},
			},
		}},
		{Delivery: &LoggedDelivery{Delivery: Delivery{Provider: "jira", ViaAPI: true, Received: -1}, Outcome: OutcomeUndecodable, Reason: "it has no timestamp"}},
		{Tick: 1_772_442_030_000},
		{Tick: 0},
		{Coverage: &Coverage{Source: event.GitHub, Scope: "github/42", From: 1_764_547_200_000, To: 1_772_442_000_000}},
		{Gap: &Gap{Source: event.Jira, Scope: "jira/acme.atlassian.net", From: 1, To: 2}},
		{Erase: &Erase{Person: event.PersonID{0xfe, 0xdc}}},
	}
}

func TestRecordsOfEarlierReleases(t *testing.T) {
	file, err := os.ReadFile("testdata/entries.hex")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(file))
	want := goldenEntries()
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d", len(lines), len(want))
	}
	for i, line := range lines {
		record, err := hex.DecodeString(line)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeEntry(record)
		if err != nil || !reflect.DeepEqual(got, want[i]) {
			t.Errorf("line %d is read as %+v, %v\nwant %+v", i+1, got, err, want[i])
		}
		if again := EncodeEntry(want[i]); !bytes.Equal(again, record) {
			t.Errorf("line %d would be written as\n%x, and was\n%x", i+1, again, record)
		}
	}
}

// A later release may add fields; this one skips them, wherever they stand.
func TestFieldsOfLaterReleasesAreSkipped(t *testing.T) {
	for i, e := range goldenEntries() {
		record := EncodeEntry(e)
		var later wire
		later.text(900, "text")
		later.uint(901, 7)
		later.b = append(later.b, 0xb5, 0x38, 1, 2, 3, 4) // 902, 32 bits
		for _, b := range [][]byte{append(later.b, record...), append(record[:len(record):len(record)], later.b...)} {
			if got, err := DecodeEntry(b); err != nil || !reflect.DeepEqual(got, e) {
				t.Errorf("entry %d with fields of a later release: %+v, %v", i, got, err)
			}
		}
	}
}

func TestUnreadableEntries(t *testing.T) {
	later := wire{}
	later.message(6, func() { later.text(1, "a control record of a later release") })
	for name, b := range map[string][]byte{
		"empty":                     {},
		"a kind of a later release": later.b,
		"cut in a tag":              {0x80},
		"cut in a delivery":         EncodeEntry(goldenEntries()[0])[:40],
		"a short person":            {0x2a, 3, 0x0a, 1, 7},
		"an unknown outcome":        {0x0a, 2, 0x48, 9},
		"an unknown source":         {0x1a, 2, 0x08, 9},
		"a broken event":            {0x0a, 3, 0x62, 1, 0x80},
	} {
		if e, err := DecodeEntry(b); !errors.Is(err, event.ErrUnreadable) || !reflect.DeepEqual(e, Entry{}) {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
}

func TestEntriesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := genEntry().Draw(t, "entry")
		record := EncodeEntry(e)
		got, err := DecodeEntry(record)
		if err != nil || !reflect.DeepEqual(got, e) {
			t.Fatalf("%+v, %v\nwant %+v", got, err, e)
		}

		// The generated code reads the same, and writes the same.
		var generated logpb.Entry
		if err := proto.Unmarshal(record, &generated); err != nil {
			t.Fatal(err)
		}
		again, err := proto.MarshalOptions{Deterministic: true}.Marshal(&generated)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again, record) {
			t.Fatalf("generated code writes\n%x, by hand it is\n%x", again, record)
		}
		switch {
		case e.Delivery != nil:
			g, d := generated.GetDelivery(), e.Delivery
			if g.GetId() != d.ID || g.GetProvider() != d.Delivery.Provider || g.GetName() != d.Delivery.Name || g.GetViaApi() != d.Delivery.ViaAPI ||
				g.GetReceived() != int64(d.Delivery.Received) || string(g.GetBody()) != string(d.Delivery.Body) || g.GetKept() != d.Delivery.Kept ||
				g.GetOutcome() != uint32(d.Outcome) || g.GetReason() != d.Reason || g.GetType() != d.Type || g.GetDecoder() != d.Decoder ||
				len(g.GetHeaders()) != len(d.Delivery.Headers) || len(g.GetEvents()) != len(d.Events) {
				t.Fatalf("generated code reads %v, want %+v", g, d)
			}
			var light EntryDecoder
			without, err := light.Entry(record)
			if err != nil || without.Delivery.Delivery.Body != nil || !reflect.DeepEqual(without.Delivery.Events, d.Events) {
				t.Fatalf("without bodies: %+v, %v", without, err)
			}
		case e.IsTick():
			if generated.GetTick() != int64(e.Tick) {
				t.Fatalf("generated code reads tick %d, want %d", generated.GetTick(), e.Tick)
			}
		}
	})
}

func genEntry() *rapid.Generator[Entry] {
	return rapid.Custom(func(t *rapid.T) Entry {
		var e Entry
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			d := &LoggedDelivery{
				ID:       rapid.StringMatching("[0-9a-f]{0,32}").Draw(t, "id"),
				Delivery: rapid.Make[Delivery]().Draw(t, "delivery"),
				Outcome:  Outcome(rapid.IntRange(0, 4).Draw(t, "outcome")),
				Reason:   rapid.String().Draw(t, "reason"),
				Type:     rapid.String().Draw(t, "type"),
				Decoder:  rapid.Int32().Draw(t, "decoder"),
			}
			for _, id := range rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "events") {
				d.Events = append(d.Events, event.Event{ID: event.ID{id, 1}, Entity: "deploy/ci/1", Time: -5})
			}
			if len(d.Delivery.Body) == 0 {
				d.Delivery.Body = nil
			}
			if len(d.Delivery.Headers) == 0 {
				d.Delivery.Headers = nil
			}
			e.Delivery = d
		case 1:
			e.Coverage = ptr(rapid.Make[Coverage]().Draw(t, "coverage"))
			e.Coverage.Source %= 4
		case 2:
			e.Gap = ptr(rapid.Make[Gap]().Draw(t, "gap"))
			e.Gap.Source %= 4
		case 3:
			e.Erase = ptr(rapid.Make[Erase]().Draw(t, "erase"))
		default:
			e.Tick = rapid.Make[Entry]().Draw(t, "tick").Tick
		}
		return e
	})
}

func ptr[T any](v T) *T { return &v }

func TestMessageCodec(t *testing.T) {
	var d MessageDecoder
	for _, m := range []streaming.Message[event.Routed]{
		{IsTick: true, Tick: 1_772_442_030_000, Record: streaming.Record[event.Routed]{Origin: streaming.Origin{Partition: 5}}},
		{Record: streaming.Record[event.Routed]{
			Origin: streaming.Origin{Partition: 1, Offset: 1 << 40, Ordinal: 12},
			Value:  event.Routed{Copy: event.Home, Team: "web", Verdict: event.Accepted, Clock: streaming.NoClock, Event: goldenEntries()[0].Delivery.Events[0]},
		}},
	} {
		got, err := d.Message(AppendMessage(nil, &m))
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("%+v, %v\nwant %+v", got, err, m)
		}
	}
	if _, err := d.Message([]byte{0x80}); !errors.Is(err, event.ErrUnreadable) {
		t.Errorf("a cut record: %v", err)
	}
}

func TestEntryMessage(t *testing.T) {
	if m := EntryMessage(2, 7, Entry{Tick: 0}); !m.IsTick || m.Tick != 0 || m.Origin != (streaming.Origin{Partition: 2, Offset: 7}) {
		t.Errorf("tick 0 becomes %+v", m)
	}
	if m := EntryMessage(2, 7, Entry{Gap: &Gap{}}); m.IsTick || m.Value.Gap == nil {
		t.Errorf("a gap becomes %+v", m)
	}
}

func FuzzDecodeEntry(f *testing.F) {
	for _, e := range goldenEntries() {
		f.Add(EncodeEntry(e))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := DecodeEntry(b)
		if err != nil {
			if !errors.Is(err, event.ErrUnreadable) {
				t.Fatal(err)
			}
			return
		}
		// Not DeepEqual: an empty header or list is written otherwise, once.
		again, err := DecodeEntry(EncodeEntry(e))
		if err != nil {
			t.Fatalf("%+v cannot be read again: %v", e, err)
		}
		if !bytes.Equal(EncodeEntry(again), EncodeEntry(e)) {
			t.Fatalf("%+v becomes %+v", e, again)
		}
	})
}
