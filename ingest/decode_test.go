package ingest

import (
	"fmt"
	"testing"
)

func TestArchivedDeliveries(t *testing.T) {
	d := Delivery{Provider: "deploy", Name: "ci", Received: 1_772_442_002_000}
	for name, test := range map[string]struct {
		by      Decoder
		body    string
		key     string
		outcome Outcome
		reason  string
	}{
		"decoded":    {wordDecoder{}, `{"do":"it"}`, "deploy/42", OutcomeAccepted, ""},
		"ping":       {wordDecoder{}, `{"do":"ping"}`, "deploy/42", OutcomePing, ""},
		"malformed":  {wordDecoder{}, `{"do":"malformed"}`, "deploy/ci", OutcomeUndecodable, "malformed delivery: started_at is no time"},
		"panic":      {wordDecoder{}, `{"do":"panic"}`, "deploy/ci", OutcomeUndecodable, "the decoder failed on it; this is a fault of Meridian, please report it"},
		"no decoder": {nil, `{"do":"it"}`, "deploy/ci", OutcomeIgnored, "this version has no decoder for it"},
	} {
		d.Body = []byte(test.body)
		key, logged := DecodeArchived(test.by, d)
		if logged.Outcome != OutcomeAccepted && logged.Outcome != OutcomePing && string(logged.Delivery.Body) != `{"do":""}` {
			t.Errorf("%s: %s is kept", name, logged.Delivery.Body)
		}
		if key != test.key || logged.Outcome != test.outcome || logged.Reason != test.reason || len(logged.ID) != 32 {
			t.Errorf("%s: %q, %+v", name, key, logged)
		}
	}
	d.Body = []byte("a zebra that is no JSON")
	if _, logged := DecodeArchived(malformed{}, d); logged.Delivery.Body != nil || logged.Reason != "malformed delivery: it is not JSON; its 23 bytes are no JSON and were not kept" {
		t.Errorf("%+v", logged)
	}
	again := d
	again.Received++
	if newDeliveryID(d) == newDeliveryID(again) {
		t.Error("two receipts of one body have one id")
	}
}

type malformed struct{}

func (malformed) Decode(Delivery) (Decoded, error) {
	return Decoded{}, fmt.Errorf("%w: it is not JSON", ErrMalformed)
}
