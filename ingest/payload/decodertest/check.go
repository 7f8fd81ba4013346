package decodertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"meridian/ingest"
	"meridian/ingest/event"
)

// Check decodes a delivery and asserts what must hold of every answer.
func Check(t testing.TB, d ingest.Decoder, delivery ingest.Delivery) ingest.Decoded {
	t.Helper()
	got, err := d.Decode(delivery)
	if err != nil {
		if !errors.Is(err, ingest.ErrMalformed) {
			t.Fatalf("the error is not ErrMalformed: %v", err)
		}
		if len(got.Events) > 0 {
			t.Fatalf("a malformed delivery has %d events", len(got.Events))
		}
		return got
	}
	if !json.Valid(got.Body) {
		t.Fatalf("the kept body is not JSON: %q", got.Body)
	}
	if got.Type == "" || got.Scope == "" || got.Version == 0 {
		t.Fatalf("type %q, scope %q, version %d: one is missing", got.Type, got.Scope, got.Version)
	}
	switch got.Outcome {
	case ingest.OutcomeAccepted, ingest.OutcomePing:
		if got.Reason != "" {
			t.Fatalf("accepted with a reason: %s", got.Reason)
		}
	case ingest.OutcomeIgnored, ingest.OutcomeUndecodable:
		if got.Reason == "" || len(got.Events) > 0 {
			t.Fatalf("outcome %d has reason %q and %d events", got.Outcome, got.Reason, len(got.Events))
		}
	default:
		t.Fatalf("outcome %d", got.Outcome)
	}
	seen := map[event.ID]bool{}
	for _, e := range got.Events {
		checkEvent(t, e)
		if seen[e.ID] {
			t.Fatalf("one delivery tells one fact twice: %v %v", e.Kind, e.ID)
		}
		seen[e.ID] = true
	}
	for _, free := range []string{"zebra", "Zebra", "ZEBRA"} {
		if bytes.Contains(delivery.Body, []byte(free)) && bytes.Contains(got.Body, []byte(free)) {
			t.Fatalf("free text is kept: %s", got.Body)
		}
	}
	checkKept(t, d, delivery, got)
	return got
}

func checkEvent(t testing.TB, e event.Event) {
	t.Helper()
	switch {
	case e.ID == (event.ID{}), e.Source == event.SourceUnknown, e.Kind.String() == "unknown", e.Entity == "":
		t.Fatalf("the event has no id, source, kind or entity: %+v", e)
	case e.Kind == event.CommitDefective && e.Defect == "":
		t.Fatalf("a defective commit without a defect: %+v", e)
	case e.Scope.Provider == "":
		t.Fatalf("the event has no provider: %+v", e)
	}
	// What the log gives back is what was decoded.
	if logged, err := event.Decode(event.Encode(e)); err != nil || !reflect.DeepEqual(logged, e) {
		t.Fatalf("the log gives back %+v\nof %+v\n%v", logged, e, err)
	}
}

// checkKept asserts that a kept body decodes to what its delivery did, and that
// a sender cannot pass one off as kept.
func checkKept(t testing.TB, d ingest.Decoder, delivery ingest.Delivery, want ingest.Decoded) {
	t.Helper()
	again := delivery
	again.Body, again.Kept = want.Body, true
	got, err := d.Decode(again)
	if err != nil {
		t.Fatalf("the kept body does not decode: %v\n%s", err, want.Body)
	}
	if want.Outcome == ingest.OutcomeUndecodable {
		// Its text is gone, so another reason may be found first.
		if len(got.Events) > 0 && got.Outcome == ingest.OutcomeUndecodable {
			t.Fatalf("undecodable with events")
		}
		return
	}
	if got.Outcome != want.Outcome || got.Type != want.Type || got.Scope != want.Scope {
		t.Fatalf("the kept body is %d %s %s, the delivery was %d %s %s\n%s",
			got.Outcome, got.Type, got.Scope, want.Outcome, want.Type, want.Scope, want.Body)
	}
	if !reflect.DeepEqual(got.Events, want.Events) {
		t.Fatalf("the kept body decodes to other events:\n%+v\nwant\n%+v\nkept: %s", got.Events, want.Events, want.Body)
	}
	if !bytes.Equal(got.Body, want.Body) {
		t.Fatalf("keeping the kept body changes it:\n%s\nwas\n%s", got.Body, want.Body)
	}
}

// Fuzz feeds the decoder all fixtures and what the fuzzer makes of them. The header
// is the one that names the type of a delivery.
func Fuzz(f *testing.F, folder, provider, header string, d ingest.Decoder) {
	for _, path := range paths(f, folder) {
		delivery := mustParse(f, provider, path)
		f.Add(delivery.Header(header), delivery.Header("Content-Type"), delivery.Body)
	}
	f.Fuzz(func(t *testing.T, name, contentType string, body []byte) {
		if bytes.Contains(bytes.ToLower(body), []byte("zebra")) {
			body = bytes.ReplaceAll(bytes.ToLower(body), []byte("zebra"), []byte("horse"))
		}
		headers := map[string]string{"Content-Type": contentType}
		if header != "" {
			headers[header] = name
		}
		delivery := ingest.Delivery{Provider: provider, Name: "acme", Received: received, Headers: headers, Body: body}
		Check(t, d, delivery)
		// A log or an export may be damaged or made up: whatever it holds is no crash.
		delivery.Kept = true
		if _, err := d.Decode(delivery); err != nil && !errors.Is(err, ingest.ErrMalformed) {
			t.Fatalf("as a kept body, the error is not ErrMalformed: %v", err)
		}
	})
}
