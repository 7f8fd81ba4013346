package ingest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
)

// trials are deliveries that tell no fact, by provider: what a source is tried
// with, so that a trial leaves nothing in the numbers.
var trials = map[string]string{
	"github":   `{"zen":"Hello from the sources page."}`,
	"jira":     `{"webhookEvent":"jira:test"}`,
	"deploy":   `[]`,
	"argocd":   `{"app":{"metadata":{"name":"test"},"status":{"operationState":{"phase":"Running"}}}}`,
	"cdevents": `{"context":{"version":"0.4.1","id":"test","source":"/test","type":"dev.cdevents.testcaserun.started.0.2.0","timestamp":"2026-01-01T00:00:00Z"},"subject":{"id":"test"}}`,
}

// Try sends a source a delivery as its system would, signed with the source's own
// secret, and says what came of it. It is judged as every other is, and not put on
// the log: neither numbers nor counts know of it.
func (rc *Receiver) Try(ctx context.Context, path string) (said string, ok bool) {
	var s *source
	for _, x := range rc.sources {
		if x.path() == path {
			s = x
		}
	}
	if s == nil {
		return "There is no such source.", false
	}
	body := []byte(trials[s.Provider])
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, path, nil)
	if err != nil {
		return "There is no such source.", false
	}
	r.Header.Set("Content-Type", "application/json")
	if s.Provider == "github" {
		r.Header.Set("X-GitHub-Event", "ping")
	}
	s.sign(r, body)
	form, refused := mediaOf(r.Header)
	var claim proof
	if refused == nil {
		claim, refused = s.claim(r, rc.config.Now())
	}
	if refused == nil && !s.verify(claim, body) {
		refused = unauthorized("no signature is right for this body")
	}
	if refused == nil {
		refused = checkBody(body, form)
	}
	if refused != nil {
		return fmt.Sprintf("It was refused with %d: %s.", refused.status, refused.detail), false
	}
	_, d, err := DecodeDelivery(s.Decoder, Delivery{Provider: s.Provider, Name: s.Name, Headers: keptHeaders(r.Header), Body: body})
	switch {
	case err != nil:
		return "It was refused with 400: " + err.Error() + ".", false
	case d.Outcome == OutcomeUndecodable:
		return "It was taken and could not be read: " + d.Reason + ".", false
	}
	return "A test delivery, proved as this source's are, was taken and read. That the other system reaches this address, its own test shows.", true
}

// sign proves a request to be the source's, with the first of its secrets.
func (c SourceConfig) sign(r *http.Request, body []byte) {
	secret := c.Secrets[0]
	switch c.Verify {
	case VerifyBearer:
		r.Header.Set("Authorization", "Bearer "+secret)
	case VerifyToken:
		r.URL.RawQuery = url.Values{"token": {secret}}.Encode()
	default:
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		r.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	}
}
