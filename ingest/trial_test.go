package ingest

import (
	"strings"
	"testing"
)

// A source is tried with its own secret however it proves itself, and nothing of
// it is stored or counted.
func TestTry(t *testing.T) {
	rc, log, _ := serve(t, func(c *ReceiverConfig) {
		c.Sources = []SourceConfig{
			{Provider: "github", Name: "acme", Secrets: []string{newSecret}, Decoder: wordDecoder{}},
			{Provider: "jira", Name: "dc", Verify: VerifyToken, Secrets: []string{newSecret}, Decoder: wordDecoder{}},
			{Provider: "argocd", Name: "prod", Verify: VerifyBearer, Secrets: []string{newSecret}, Decoder: wordDecoder{}},
			{Provider: "deploy", Name: "bad", Secrets: []string{newSecret}, Decoder: malformed{}},
		}
	})
	for path, want := range map[string]string{
		"/webhooks/github/acme": "was taken and read", "/webhooks/jira/dc": "was taken and read", "/webhooks/argocd/prod": "was taken and read",
		"/webhooks/deploy/bad": "refused with 400", "/webhooks/deploy/none": "no such source",
	} {
		said, ok := rc.Try(t.Context(), path)
		if !strings.Contains(said, want) || ok != (want == "was taken and read") || strings.Contains(said, newSecret) {
			t.Errorf("%s: %v, %s", path, ok, said)
		}
	}
	for _, s := range rc.Sources() {
		if s.Last != 0 || s.Accepted+s.Ignored+s.Pings != 0 || len(s.Refused) > 0 || s.Unsigned != 0 {
			t.Errorf("counted as %+v", s)
		}
	}
	if n := len(log.entries); n != 0 {
		t.Errorf("%d records were written", n)
	}
}
