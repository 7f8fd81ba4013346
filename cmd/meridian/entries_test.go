package main

import (
	"maps"
	"reflect"
	"testing"
	"time"

	"meridian/ingest"
	"meridian/streaming/kafka"
)

// A later decoder reads bodies again, and the same one takes the events as they are:
// both ways agree. Half of the log is made to look as if an older decoder had read
// it, and had understood nothing; it is read from the archive, whose bodies lie in a
// file of their own.
func TestWhatAnOlderDecoderHasReadIsReadAgain(t *testing.T) {
	p := newPast(t, 600)
	logged := map[int64]ingest.Entry{}
	const partition = 0
	var old []kafka.LogRecord
	reader, err := kafka.Log{Config: p.log.Config, Topic: p.log.DeliveriesTopic()}.Open(t.Context(), partition, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	end := p.manifest.HistoryOffsets[partition]
	again, events := 0, 0
	for int64(len(old)) < end {
		records, err := reader.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range records {
			if rec.Offset >= end {
				break
			}
			e, err := ingest.DecodeEntry(rec.Value)
			if err != nil {
				t.Fatal(err)
			}
			if d := e.Delivery; d != nil {
				kept := *d
				kept.Delivery.Body, kept.Delivery.Headers = nil, nil
				logged[rec.Offset] = ingest.Entry{Delivery: &kept}
				if len(d.Delivery.Body) > 0 && rec.Offset%2 == 0 {
					d.Decoder, d.Events, d.Type, d.Outcome, d.Reason = 1, nil, "", ingest.OutcomeIgnored, "not read yet"
					again++
					events += len(kept.Events)
				}
			} else {
				logged[rec.Offset] = e
			}
			old = append(old, kafka.LogRecord{Offset: rec.Offset, Value: ingest.EncodeEntry(e)})
		}
	}
	if again < 50 || events < 50 {
		t.Fatalf("only %d deliveries with %d events look old", again, events)
	}
	read := func(l *deliveryLog, records []kafka.LogRecord, pins pins, want map[int64]ingest.Entry) int {
		t.Helper()
		r := newEntryReader(l, partition, pins)
		defer r.close()
		for _, rec := range records {
			m, err := r.message(t.Context(), rec)
			if err != nil {
				t.Fatal(err)
			}
			got, expected := m.Value, want[rec.Offset]
			if m.IsTick != expected.IsTick() || !m.IsTick && !reflect.DeepEqual(got, expected) {
				t.Fatalf("offset %d is read as\n%+v\nwant\n%+v", rec.Offset, got.Delivery, expected.Delivery)
			}
		}
		return r.opened
	}
	if opened := read(p.log, old, p.pins, logged); opened != 0 {
		t.Errorf("records that have their bodies made it open others: %d times", opened)
	}

	archive := kafka.OpenArchive(t.TempDir(), ingest.SplitEntry)
	if err := archive.Append(partition, time.Unix(1_772_445_600, 0), old); err != nil {
		t.Fatal(err)
	}
	if err := kafka.Trim(t.Context(), p.log.Config, p.log.DeliveriesTopic(), partition, end); err != nil {
		t.Fatal(err)
	}
	l := *p.log
	l.archive = archive
	light := archived(t, archive, partition)
	if opened := read(&l, light, p.pins, logged); opened != 1 {
		t.Errorf("bodies were opened %d times, want once", opened)
	}
	// Twice from its beginning, as a shard that fails does.
	if opened := read(&l, append(light, light...), p.pins, logged); opened != 2 {
		t.Errorf("bodies were opened %d times, want twice", opened)
	}

	// A generation that is pinned to the decoders that wrote them takes them as
	// they are, and opens nothing; so does one of decoders that this program has not.
	asTheyAre := maps.Clone(logged)
	for _, rec := range light {
		var d ingest.EntryDecoder
		if asTheyAre[rec.Offset], err = d.Entry(rec.Value); err != nil {
			t.Fatal(err)
		}
	}
	for _, version := range []int32{0, 1, 99} {
		pins := p.pins
		pins.decoders = map[string]int32{}
		for provider := range p.pins.decoders {
			pins.decoders[provider] = version
		}
		if opened := read(&l, light, pins, asTheyAre); opened != 0 {
			t.Errorf("pinned to version %d, bodies were opened %d times", version, opened)
		}
	}
}

func archived(t *testing.T, a *kafka.Archive, partition int32) (all []kafka.LogRecord) {
	t.Helper()
	r, err := a.ReadArchive(partition, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	span, err := a.Span(partition)
	if err != nil {
		t.Fatal(err)
	}
	for int64(len(all)) < span.End-span.Start {
		records, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, records...)
	}
	return all
}
