package ingest

import (
	"maps"
	"net/http"
	"testing"
)

// What tells deliveries apart for people is kept, and nothing that opens a door.
func TestKeptHeaders(t *testing.T) {
	got := keptHeaders(http.Header{
		"Content-Type":                   {"application/json"},
		"X-Atlassian-Webhook-Identifier": {"3f6b1c"},
		"X-Atlassian-Webhook-Retry":      {"1"},
		"X-Hub-Signature":                {"sha256=00"},
		"Authorization":                  {"Bearer s"},
		"Cookie":                         {"s"},
		"User-Agent":                     {"Atlassian HttpClient"},
	})
	want := map[string]string{"Content-Type": "application/json", "X-Atlassian-Webhook-Identifier": "3f6b1c", "X-Atlassian-Webhook-Retry": "1"}
	if !maps.Equal(got, want) {
		t.Errorf("kept are %v, want %v", got, want)
	}
}
