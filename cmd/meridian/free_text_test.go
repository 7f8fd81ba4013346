package main

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"meridian/cmd/meridian/config"
	"meridian/ingest"
	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/ingest/payload/decodertest"
	"meridian/metrics"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// Every free text of every fixture says "zebra", names of people and addresses too.
// Nothing that an instance stores says so: records of the log, its archive, copies of
// events, snapshots of both stages, rows, and what it tells of sources.
func TestNoStoredByteHoldsFreeText(t *testing.T) {
	cat := catalog.Empty(catalog.Options{Key: make([]byte, 32), Zone: timeline.UTC()})
	m, err := manifest(config.Default(), cat, 1)
	if err != nil {
		t.Fatal(err)
	}
	m.Number, m.EventsPartitions = 1, 1
	pins, err := pinsOf(m, cat)
	if err != nil {
		t.Fatal(err)
	}
	line, err := newPipeline(pins, false)
	if err != nil {
		t.Fatal(err)
	}
	stored := 0
	scan := func(what string, data []byte) {
		t.Helper()
		stored += len(data)
		lower := bytes.ToLower(data)
		if i := bytes.Index(lower, []byte("zebra")); i >= 0 {
			t.Errorf("%s holds free text: ...%q", what, data[max(0, i-60):min(len(data), i+20)])
		}
		if i := bytes.Index(lower, []byte("@acme.example")); i >= 0 {
			t.Errorf("%s holds an address: ...%q", what, data[max(0, i-60):min(len(data), i+20)])
		}
	}
	rows := 0
	row := func(r metrics.Row) {
		rows++
		scan("a row", fmt.Appendf(nil, "%+v", r))
	}

	var log []kafka.LogRecord
	received := timeline.Millis(1_772_600_000_000) // soon after most fixtures
	for _, f := range []struct{ folder, provider, header string }{
		{"github", "github", "X-GitHub-Event"}, {"jira", "jira", ""}, {"deploy", "deploy", ""},
		{"deploy", "argocd", ""}, {"deploy", "cdevents", "Ce-Type"},
	} {
		folder := "../../ingest/" + f.folder + "/testdata"
		if f.provider != f.folder {
			folder += "/" + f.provider
		}
		by := decoders(cat)[f.provider]
		decodertest.Each(t, folder, by, f.provider, f.header, func(t *testing.T, name string, body []byte, _ []event.Event) {
			for _, viaAPI := range []bool{false, true} {
				received += timeline.Second
				d := ingest.Delivery{Provider: f.provider, Name: "acme", ViaAPI: viaAPI, Received: received, Body: body, Headers: map[string]string{"Content-Type": "application/json"}}
				if f.header != "" {
					d.Headers[f.header] = name
				}
				key, logged, err := ingest.DecodeDelivery(by, d)
				if errors.Is(err, ingest.ErrMalformed) {
					scan("the answer to a sender", []byte(err.Error())) // nothing of it is kept
					key, logged = ingest.DecodeArchived(by, d)          // of an archive's some is
					err = nil
				}
				if err != nil {
					t.Fatal(err)
				}
				e := ingest.Entry{Delivery: logged}
				record := ingest.EncodeEntry(e)
				scan("a record of deliveries", append([]byte(key), record...))
				log = append(log, kafka.LogRecord{Offset: int64(len(log)), Value: record})
				for i := range logged.Events {
					scan("an event", event.Encode(logged.Events[i]))
				}
				line.feed(e, row)
			}
			for _, by := range []ingest.Decoder{nil, failing{}} { // none, and one that cannot stand it
				received += timeline.Second
				d := ingest.Delivery{Provider: f.provider, Name: "acme", Received: received, Body: body, Headers: map[string]string{"Content-Type": "application/json"}}
				key, logged := ingest.DecodeArchived(by, d)
				e := ingest.Entry{Delivery: logged}
				record := ingest.EncodeEntry(e)
				scan("a record of what could not be read", append([]byte(key), record...))
				log = append(log, kafka.LogRecord{Offset: int64(len(log)), Value: record})
				line.feed(e, row)
			}
		})
	}
	received += timeline.Minute
	for range 60 { // so that windows close
		received += timeline.Hour
		line.feed(ingest.Entry{Tick: received}, row)
	}
	line.route.Save(func(section string, data []byte) { scan("a snapshot of route", append([]byte(section), data...)) })
	line.engine.Save(func(section string, data []byte) { scan("a snapshot of the engine", append([]byte(section), data...)) })
	scan("what is said of the route", []byte(line.route.Describe()))

	archive := kafka.OpenArchive(t.TempDir(), ingest.SplitEntry)
	if err := archive.Append(0, time.Unix(1_772_600_000, 0), log); err != nil {
		t.Fatal(err)
	}
	r, err := archive.ReadArchive(0, 0, true)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	archived := 0
	for archived < len(log) {
		records, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range records {
			archived++
			scan("the archive", rec.Value)
		}
	}
	if n := line.counts(); len(log) < 200 || rows < 100 || n.Accepted < 50 || n.Undecodable == 0 || n.Ignored == 0 {
		t.Errorf("%d deliveries, %d rows, %+v: too little was stored to say so", len(log), rows, n)
	}
	t.Logf("%d deliveries, %d rows, %d bytes", len(log), rows, stored)
}

// failing is a decoder that cannot stand anything.
type failing struct{}

func (failing) Decode(ingest.Delivery) (ingest.Decoded, error) { panic("a fault") }
