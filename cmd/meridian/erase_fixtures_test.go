package main

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"meridian/ingest"
	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/ingest/payload/decodertest"
	"meridian/streaming/timeline"
)

// Whoever is erased of whatever delivery: none of their names is in what is kept,
// and its body decodes to what its events have become. So a generation that takes
// the events and one that reads the bodies again agree.
func TestErasedPeopleAreInNoKeptByte(t *testing.T) {
	cat := catalog.Empty(catalog.Options{Key: make([]byte, 32), Zone: timeline.UTC()})
	erased := 0
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
			d := ingest.Delivery{Provider: f.provider, Name: "acme", Received: 1_772_600_000_000, Body: body, Headers: map[string]string{"Content-Type": "application/json"}}
			if f.header != "" {
				d.Headers[f.header] = name
			}
			_, logged, err := ingest.DecodeDelivery(by, d)
			if errors.Is(err, ingest.ErrMalformed) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			people := map[string][][2]string{}
			for i := range logged.Events {
				ingest.EachAccount(&logged.Events[i], func(a event.Account) {
					if names := ingest.NamesOf(cat, a); len(names) > 0 {
						people[fmt.Sprint(a)] = names
					}
				})
			}
			for _, names := range people {
				erased++
				var ids []event.PersonID
				for _, n := range names {
					ids = append(ids, cat.NameID(n[0], n[1]))
				}
				gone, changed := ingest.NewErasure(cat, ids...).Delivery(logged)
				if !changed {
					t.Fatalf("%v: nothing was erased of\n%s", names, logged.Delivery.Body)
				}
				record := ingest.EncodeEntry(ingest.Entry{Delivery: gone})
				for _, n := range names {
					if len(n[1]) > 3 && bytes.Contains(bytes.ToLower(record), []byte(strings.ToLower(n[1]))) {
						t.Errorf("%v is still in\n%s\n%+v", n, gone.Delivery.Body, gone.Events)
					}
				}
				again, err := by.Decode(gone.Delivery)
				if err != nil {
					t.Fatalf("what is kept does not decode: %v\n%s", err, gone.Delivery.Body)
				}
				for i := range again.Events {
					// Whose review is asked for is part of what the fact is. Its id stays as it was,
					// so that a copy that comes later is one.
					if k := again.Events[i].Kind; i < len(gone.Events) && (k == event.ReviewRequested || k == event.ReviewRequestRemoved) {
						again.Events[i].ID = gone.Events[i].ID
					}
				}
				if !reflect.DeepEqual(again.Events, gone.Events) {
					t.Errorf("erased %v:\n%s\ndecodes to\n%+v\nwant\n%+v", names, gone.Delivery.Body, describeAll(again.Events), describeAll(gone.Events))
				}
				for i := range gone.Events {
					if gone.Events[i].ID != logged.Events[i].ID || gone.Events[i].Time != logged.Events[i].Time {
						t.Errorf("the fact %d is another one", i)
					}
				}
				if _, more := ingest.NewErasure(cat, ids...).Delivery(gone); more {
					t.Errorf("erasing %v twice erases more", names)
				}
			}
		})
	}
	if erased < 100 {
		t.Errorf("%d people were erased; too few to say so", erased)
	}
}

func describeAll(events []event.Event) string {
	var b strings.Builder
	for i := range events {
		fmt.Fprintf(&b, "%+v\n", events[i])
		ingest.EachAccount(&events[i], func(a event.Account) { fmt.Fprintf(&b, "   %+v\n", a) })
	}
	return b.String()
}
