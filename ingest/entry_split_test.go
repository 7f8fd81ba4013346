package ingest

import (
	"bytes"
	"reflect"
	"testing"

	"meridian/ingest/event"
)

func TestSplitEntryComesTogetherAgain(t *testing.T) {
	whole := Entry{Delivery: &LoggedDelivery{
		ID: "0123", Outcome: OutcomeAccepted, Type: "push", Decoder: 3,
		Delivery: Delivery{Provider: "github", Name: "acme", Received: 1_700_000_000_123, Kept: true, Headers: map[string]string{"X-Github-Event": "push"}, Body: []byte(`{"a":1}`)},
		Events:   []event.Event{{ID: event.NewID("a"), Source: event.GitHub, Kind: event.Pushed, Time: 5}},
	}}
	value := EncodeEntry(whole)
	events, body := SplitEntry(value)
	if bytes.Contains(events, []byte(`{"a":1}`)) || bytes.Contains(events, []byte("X-Github-Event")) {
		t.Error("the part that every replay reads has the body in it")
	}
	got, err := DecodeEntry(append(bytes.Clone(events), body...))
	if err != nil || !reflect.DeepEqual(got, whole) {
		t.Errorf("together they are %+v, %v", got.Delivery, err)
	}
	got, err = DecodeEntry(events)
	if err != nil || !reflect.DeepEqual(got.Delivery.Events, whole.Delivery.Events) || got.Delivery.Delivery.Received != 1_700_000_000_123 {
		t.Errorf("the first alone is %+v, %v", got.Delivery, err)
	}
}

func TestSplitEntryKeepsOthersWhole(t *testing.T) {
	for _, value := range [][]byte{
		EncodeEntry(Entry{Tick: 1_000}),
		EncodeEntry(Entry{Gap: &Gap{Source: event.Jira, Scope: "x", From: 1, To: 2}}),
		EncodeEntry(Entry{Delivery: &LoggedDelivery{ID: "no body"}}),
		{}, []byte("nonsense"), {0x0a, 0x05, 0x01},
	} {
		if events, body := SplitEntry(value); !bytes.Equal(events, value) || body != nil {
			t.Errorf("%x was cut into %x and %x", value, events, body)
		}
	}
}
