package ingest

import (
	"strings"
	"testing"
)

// What no decoder could read keeps its shape, ids and times, and no prose.
func TestScrub(t *testing.T) {
	form := map[string]string{"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
	for _, c := range []struct {
		name    string
		headers map[string]string
		body    string
		want    string // "": nothing is kept
	}{
		{"texts", nil, `{"action":"opened","title":"zebra","body":"A zebra, by mai@acme.example","n":12345678901234567890,"ok":true,"none":null}`,
			`{"action":"opened","body":"","n":12345678901234567890,"none":null,"ok":true,"title":""}`},
		{"ids and times", nil, `{"sha":"9f2c6b1","id":"712020","at":"2026-03-02T09:00:00.000+0100","day":"2026-03-02","uuid":"0B9C8F58-2D1A-4A55-9C86-0D6BE7E3A1B2"}`,
			`{"at":"2026-03-02T09:00:00.000+0100","day":"2026-03-02","id":"712020","sha":"9f2c6b1","uuid":"0B9C8F58-2D1A-4A55-9C86-0D6BE7E3A1B2"}`},
		{"nested", nil, `{"repository":{"full_name":"acme/web","name":"zebra"},"list":[{"text":"zebra"},"zebra",7]}`,
			`{"list":[{"text":""},"",7],"repository":{"full_name":"acme/web","name":""}}`},
		{"prose where a word belongs", nil, `{"state":"zebra crossing","ref":"refs/heads/WEB-1","status":"a@b"}`, `{"ref":"refs/heads/WEB-1","state":"","status":""}`},
		{"prose as a key", nil, `{"what the zebra said":1,"a":2}`, `{"a":2}`},
		{"fields of somebody's own", nil, `{"customData":{"zebra":1},"labels":[{"name":"zebra"}]}`, `{"customData":{},"labels":[{}]}`},
		{"a form", form, `payload=%7B%22action%22%3A%22opened%22%2C%22title%22%3A%22zebra%22%7D`, `{"action":"opened","title":""}`},
		{"no form", form, `%zz`, ""},
		{"no JSON", nil, `a zebra`, ""},
		{"more than one", nil, `{} zebra`, ""},
	} {
		kept := withoutText(Delivery{Body: []byte(c.body), Headers: c.headers})
		if string(kept.Body) != c.want {
			t.Errorf("%s: %s, not %s", c.name, kept.Body, c.want)
		}
		if c.headers != nil && c.want != "" && (kept.Headers["Content-Type"] != "application/json" || strings.Contains(c.headers["Content-Type"], "json")) {
			t.Errorf("%s: %v", c.name, kept.Headers)
		}
	}
}
