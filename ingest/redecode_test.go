package ingest

import (
	"fmt"
	"reflect"
	"testing"

	"meridian/ingest/event"
)

// of is a decoder of a version.
type of struct {
	version int32
	answer  func(Delivery) (Decoded, error)
}

func (o of) Version() int32                     { return o.version }
func (o of) Decode(d Delivery) (Decoded, error) { return o.answer(d) }

func TestRedecoder(t *testing.T) {
	better := of{3, func(d Delivery) (Decoded, error) {
		switch string(d.Body) {
		case "panic":
			panic("zebra")
		case "bad":
			return Decoded{}, fmt.Errorf("%w: no", ErrMalformed)
		}
		if !d.Kept || d.Header("X-GitHub-Event") != "push" {
			t.Errorf("the decoder is given %+v", d)
		}
		return Decoded{Outcome: OutcomeAccepted, Type: "push", Version: 3, Body: []byte("other"), Events: []event.Event{{Kind: event.Pushed}}}, nil
	}}
	logged := func(provider, body string, version int32) *LoggedDelivery {
		return &LoggedDelivery{
			ID: "1", Outcome: OutcomeIgnored, Reason: "not read", Type: "unknown", Decoder: version,
			Delivery: Delivery{Provider: provider, Name: "acme", Received: 5, Kept: true, Body: []byte(body), Headers: map[string]string{"X-Github-Event": "push"}},
		}
	}
	r := NewRedecoder(map[string]Decoder{"github": better, "jira": better, "deploy": better}, map[string]int32{"github": 3, "jira": 2, "argocd": 3})
	for _, c := range []struct {
		name  string
		d     *LoggedDelivery
		again bool
	}{
		{"older", logged("github", "{}", 2), true},
		{"not decoded at all", logged("github", "{}", 0), true},
		{"the same", logged("github", "{}", 3), false},
		{"newer", logged("github", "{}", 4), false},
		{"pinned to another version than this program has", logged("jira", "{}", 1), false},
		{"not pinned", logged("deploy", "{}", 1), false},
		{"no decoder", logged("argocd", "{}", 1), false},
		{"without its body", logged("github", "", 2), false},
		{"malformed for the new one", logged("github", "bad", 2), false},
		{"too much for the new one", logged("github", "panic", 2), false},
	} {
		before := *c.d
		got := r.Decode(c.d)
		want := before
		want.Delivery.Body, want.Delivery.Headers = nil, nil
		if c.again {
			want.Outcome, want.Reason, want.Type, want.Decoder, want.Events = OutcomeAccepted, "", "push", 3, []event.Event{{Kind: event.Pushed}}
		}
		if !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: got %+v\nwant %+v", c.name, *got, want)
		}
		if !reflect.DeepEqual(*c.d, before) {
			t.Errorf("%s: the log's own delivery was changed", c.name)
		}
	}
	if new(Redecoder).Wants(nil) || (*Redecoder)(nil).Wants(logged("github", "{}", 0)) {
		t.Error("nothing wants something")
	}
	if got := Versions(map[string]Decoder{"github": better}); !reflect.DeepEqual(got, map[string]int32{"github": 3}) {
		t.Errorf("versions %v", got)
	}
}
