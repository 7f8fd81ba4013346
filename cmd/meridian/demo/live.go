package demo

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"time"

	"meridian/streaming/timeline"
)

// Request is one signed delivery to send.
type Request struct {
	After   time.Duration // how long to wait before sending it, at speed live
	Path    string        // /webhooks/github/quillhaven
	Headers map[string]string
	Body    []byte
}

// Traffic is what happens from now on. It never ends. It is not safe for
// concurrent use.
type Traffic struct {
	world   *world
	secrets map[string]string // by provider
}

// Live returns the traffic that follows the history. It begins with what was still
// under way at its end; start is when the first delivery can be sent.
func (o *Organisation) Live(start timeline.Millis) *Traffic {
	w := o.simulate(false)
	w.begin(max(start, o.now))
	t := &Traffic{world: w, secrets: map[string]string{}}
	for _, s := range o.Sources() {
		t.secrets[s.Provider] = s.Secret
	}
	return t
}

// Next returns the next delivery. What it tells happens at the given moment, or, for
// one that comes late or again, happened before it.
func (t *Traffic) Next(at timeline.Millis) Request {
	m := t.world.next(at)
	mac := hmac.New(sha256.New, []byte(t.secrets[m.provider]))
	mac.Write(m.body)
	signature := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	headers := maps.Clone(m.headers)
	if m.provider == "jira" {
		headers["X-Hub-Signature"] = signature
	} else {
		headers["X-Hub-Signature-256"] = signature
	}
	return Request{
		After:   time.Duration(t.world.between(120, 880)) * time.Millisecond,
		Path:    "/webhooks/" + m.provider + "/" + m.name,
		Headers: headers,
		Body:    m.body,
	}
}

// begin turns history into the present.
func (w *world) begin(at timeline.Millis) {
	w.dice, w.live, w.mute, w.now = newDice(w.org.seed, 2), true, false, at
	w.shipped = map[*service]int{}
	for _, s := range w.services {
		w.shipped[s] = len(s.repository.main)
	}
}

// next is the first message that is due, after as many happenings as it takes.
func (w *world) next(at timeline.Millis) message {
	w.now = max(w.now, at)
	for len(w.out) == 0 || w.out[0].received > w.now {
		w.happen(seconds(w.now))
	}
	m := w.out[0]
	w.out = w.out[1:]
	return m
}
