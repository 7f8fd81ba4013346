package demo

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"meridian/ingest"
	"meridian/ingest/catalog"
	"meridian/ingest/deploy"
	"meridian/ingest/github"
	"meridian/ingest/jira"
	"meridian/streaming/timeline"
)

func instant(t testing.TB, s string) timeline.Millis {
	t.Helper()
	m, err := timeline.ParseInstant(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// organisations are made at different moments of a week and of a day.
func organisations(t testing.TB) map[string]*Organisation {
	monday := New(1, instant(t, "2026-03-02T09:30:00Z"))
	if underRace {
		return map[string]*Organisation{"a Monday morning": monday}
	}
	return map[string]*Organisation{
		"a Monday morning":   monday,
		"a Saturday":         New(2, instant(t, "2026-11-28T14:00:07.5Z")),
		"midnight in summer": New(3, instant(t, "2026-06-25T00:00:00Z")),
	}
}

func catalogOf(t testing.TB, o *Organisation) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Parse("catalog.yaml", o.Catalog(), catalog.Options{Key: make([]byte, 32), Zone: timeline.UTC()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func decodersOf(c *catalog.Catalog) map[string]ingest.Decoder {
	return map[string]ingest.Decoder{"github": github.New(c.EmailHash), "jira": jira.New(c.EmailHash), "deploy": deploy.New(c.EmailHash)}
}

// decoded is the history as the log would have it.
func decoded(t testing.TB, o *Organisation) (all []*ingest.LoggedDelivery, raw []*ingest.Delivery) {
	t.Helper()
	decoders := decodersOf(catalogOf(t, o))
	for line := range o.History() {
		_, l, err := ingest.DecodeDelivery(decoders[line.Delivery.Provider], *line.Delivery)
		if err != nil {
			t.Fatalf("delivery %d, received %s: %v", line.Number, line.Delivery.Received, err)
		}
		all, raw = append(all, l), append(raw, line.Delivery)
	}
	return all, raw
}

// jsonOf is the JSON of a body, out of its form where it is in one.
func jsonOf(t testing.TB, d *ingest.Delivery) []byte {
	t.Helper()
	if form, ok := strings.CutPrefix(string(d.Body), "payload="); ok {
		text, err := url.QueryUnescape(form)
		if err != nil {
			t.Fatal(err)
		}
		return []byte(text)
	}
	return d.Body
}

func parse(t testing.TB, d *ingest.Delivery, to any) {
	t.Helper()
	if err := json.Unmarshal(jsonOf(t, d), to); err != nil {
		t.Fatal(err)
	}
}
