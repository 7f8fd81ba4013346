package ingest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// What the log refuses is a gap of its source's, from the first refusal to the
// last; what a stranger sends is none, and a gap that could not be written down
// comes back and grows.
func TestLossesOfAReceiver(t *testing.T) {
	losses := new(Losses)
	_, log, server := serve(t, func(c *ReceiverConfig) { c.Losses = losses })
	const body = `{"do":"it"}`
	signed := jsonAnd("X-Hub-Signature-256", hub(newSecret, body))
	send(t, "POST", server.URL+"/webhooks/github/acme", signed, strings.NewReader(body))
	if gaps := losses.Take(); len(gaps) != 0 {
		t.Errorf("nothing was lost, and there is %v", gaps)
	}
	log.mu.Lock()
	log.fail = errors.New("the broker is away")
	log.mu.Unlock()
	send(t, "POST", server.URL+"/webhooks/github/acme", jsonAnd("X-Hub-Signature-256", hub("wrong", body)), strings.NewReader(body))
	if gaps := losses.Take(); len(gaps) != 0 {
		t.Errorf("a stranger makes a gap: %v", gaps)
	}
	send(t, "POST", server.URL+"/webhooks/github/acme", signed, strings.NewReader(body))
	now := timeline.FromTime(wall)
	want := []Gap{{Source: event.GitHub, From: now - aroundLoss, To: now + aroundLoss}}
	gaps := losses.Take()
	if !slices.Equal(gaps, want) {
		t.Fatalf("%v, not %v", gaps, want)
	}
	if again := losses.Take(); len(again) != 0 {
		t.Errorf("it is told twice: %v", again)
	}
	losses.Give(Gap{Source: event.GitHub, From: now - timeline.Hour, To: now - timeline.Hour + 1})
	losses.Give(gaps[0])
	if all := losses.Take(); len(all) != 1 || all[0].From != now-timeline.Hour || all[0].To != now+aroundLoss {
		t.Errorf("given back, it is %v", all)
	}
}
