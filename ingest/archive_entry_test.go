package ingest_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"meridian/ingest"
	"meridian/ingest/event"
)

func readLines(t *testing.T, text string) (lines []ingest.ArchiveLine) {
	t.Helper()
	r, err := ingest.NewArchiveReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		line, err := r.Next()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
}

// An instance that has given a delivery its id knew when it came, whatever stands
// before it; what anybody else has written never goes back.
func TestADeliveryThatHasAnIDKeepsItsReceipt(t *testing.T) {
	const later, earlier = "2026-03-02T09:00:02Z", "2026-03-02T09:00:01Z"
	line := func(received, more string) string {
		return `{"source": "github", "received": "` + received + `", "body": "{}"` + more + "}\n"
	}
	for more, want := range map[string]string{"": later, `, "partition": 0, "offset": 7`: later, `, "id": "01"`: earlier} {
		got := readLines(t, line(later, "")+line(earlier, more))
		if s := got[1].Delivery.Received.String(); s != want {
			t.Errorf("%q: received %s, want %s", more, s, want)
		}
	}
}

func TestAnErasureAndAnIDComeBack(t *testing.T) {
	var text bytes.Buffer
	w := ingest.NewArchiveWriter(&text)
	erased := ingest.Entry{Erase: &ingest.Erase{Person: event.PersonID{0xab, 15: 1}}}
	delivery := ingest.Entry{Delivery: &ingest.LoggedDelivery{ID: "0123", Delivery: ingest.Delivery{Provider: "jira", Received: 1_772_445_600_000, Body: []byte("{}")}}}
	for _, e := range []ingest.Entry{erased, delivery} {
		if err := w.Write(ingest.LineOf(e)); err != nil {
			t.Fatal(err)
		}
	}
	if first, _, _ := strings.Cut(text.String(), "\n"); first != `{"erase":"ab000000000000000000000000000001"}` {
		t.Errorf("an erasure is written as %s", first)
	}
	got := readLines(t, text.String())
	if got[0].IsTick() || got[0].Control().Erase == nil || got[0].Control().Erase.Person != erased.Erase.Person {
		t.Errorf("the erasure is read as %+v", got[0])
	}
	if _, d := got[1].Logged(nil); d.ID != "0123" {
		t.Errorf("the delivery's id is %q", d.ID)
	}
	unread := ingest.LineOf(ingest.Entry{Delivery: &ingest.LoggedDelivery{ID: "0124", Outcome: ingest.OutcomeUndecodable, Reason: "it was no JSON", Delivery: ingest.Delivery{Provider: "deploy", Received: 1}}})
	if _, d := unread.Logged(blind{}); d.Outcome != ingest.OutcomeUndecodable || d.Reason != "it was no JSON" {
		t.Errorf("what could not be read is %d, %q", d.Outcome, d.Reason)
	}
	r, err := ingest.NewArchiveReader(strings.NewReader(`{"erase": "ab"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err == nil || !strings.Contains(err.Error(), "32 hex digits") {
		t.Errorf("half a pseudonym: %v", err)
	}
}

// blind reads nothing.
type blind struct{}

func (blind) Decode(ingest.Delivery) (ingest.Decoded, error) {
	return ingest.Decoded{}, ingest.ErrMalformed
}
