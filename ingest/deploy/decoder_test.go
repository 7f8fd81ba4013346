package deploy

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"meridian/ingest"
	"meridian/ingest/payload/decodertest"
)

func decoder() *Decoder { return New(decodertest.Hash) }

func TestFixtures(t *testing.T) { decodertest.Fixtures(t, "testdata", provider, decoder()) }

func TestArgoCDFixtures(t *testing.T) {
	decodertest.Fixtures(t, "testdata/argocd", "argocd", NewArgoCD(decodertest.Hash))
}

func TestCDEventsFixtures(t *testing.T) {
	decodertest.Fixtures(t, "testdata/cdevents", "cdevents", NewCDEvents(decodertest.Hash))
}

func FuzzArgoCD(f *testing.F) {
	decodertest.Fuzz(f, "testdata/argocd", "argocd", "", NewArgoCD(decodertest.Hash))
}

func FuzzCDEvents(f *testing.F) {
	decodertest.Fuzz(f, "testdata/cdevents", "cdevents", "", NewCDEvents(decodertest.Hash))
}

func FuzzDecode(f *testing.F) { decodertest.Fuzz(f, "testdata", provider, "", decoder()) }

func TestPayloads(t *testing.T) {
	json := func(string) map[string]string { return map[string]string{"Content-Type": "application/json"} }
	decodertest.Folder(t, "argocd", "deploy/argocd", NewArgoCD(decodertest.Hash), json)
	decodertest.Folder(t, "cdevents", "deploy/cdevents", NewCDEvents(decodertest.Hash), json)
}

// Every error names the field that the sender must mend.
func TestMalformed(t *testing.T) {
	const good = `"id": "run-42", "service": "checkout", "environment": "production", "status": "success", "finished_at": "2026-03-02T09:04:10Z"`
	for _, c := range []struct{ body, names string }{
		{``, "JSON"},
		{`{`, "JSON"},
		{`5`, "the body must be an object"},
		{`null`, "the body must be an object"},
		{`[5]`, "[0] must be an object"},
		{`{}`, "id is missing"},
		{`{"ID": "run-42"}`, "id is missing"},
		{"{" + strings.Replace(good, `"run-42"`, `42`, 1) + "}", "id must be a string"},
		{"{" + strings.Replace(good, `"run-42"`, `""`, 1) + "}", "id must not be empty"},
		{"{" + strings.Replace(good, `"service": "checkout", `, ``, 1) + "}", "service is missing"},
		{"{" + strings.Replace(good, `"checkout"`, `["checkout"]`, 1) + "}", "service must be a string"},
		{"{" + strings.Replace(good, `"service": "checkout"`, `"services": "checkout"`, 1) + "}", "services must be a list of strings"},
		{"{" + strings.Replace(good, `"service": "checkout"`, `"services": ["checkout", 5]`, 1) + "}", "services must be a list of strings"},
		{"{" + strings.Replace(good, `"service": "checkout"`, `"services": []`, 1) + "}", "service is missing"},
		{"{" + strings.Replace(good, `"service": "checkout"`, `"services": [""]`, 1) + "}", "services holds an empty string"},
		{"{" + strings.Replace(good, `"production"`, `null`, 1) + "}", "environment is missing"},
		{"{" + strings.Replace(good, `"success"`, `"succeeded"`, 1) + "}", "status must be one of pending, running, success"},
		{"{" + strings.Replace(good, `"success"`, `true`, 1) + "}", "status must be a string"},
		{"{" + strings.Replace(good, `"success"`, `"running"`, 1) + "}", "started_at is missing"},
		{"{" + strings.Replace(good, `"finished_at"`, `"started_at"`, 1) + "}", "finished_at is missing"},
		{"{" + strings.Replace(good, `2026-03-02T`, `2026-02-30T`, 1) + "}", "finished_at is no time in RFC 3339"},
		{"{" + strings.Replace(good, `10Z`, `10+51:30`, 1) + "}", "finished_at is no time in RFC 3339"},
		{"{" + strings.Replace(good, `"2026-03-02T09:04:10Z"`, `1772442250`, 1) + "}", "finished_at must be a string"},
		{"{" + strings.Replace(good, `"2026-03-02T09:04:10Z"`, `""`, 1) + "}", "finished_at is empty"},
		{"{" + good + `, "started_at": "yesterday"}`, "started_at is no time"},
		{"{" + good + `, "revision": 5}`, "revision must be a string or a list of strings"},
		{"{" + good + `, "revision": [5]}`, "revision must be a list of strings"},
		{"{" + good + `, "repository": {}}`, "repository must be a string"},
		{"{" + good + `, "actor": ["mai"]}`, "actor must be a string"},
		{"{" + good + `, "labels": "hotfix"}`, "labels must be a list of strings"},
		{"{" + good + `, "labels": {"hotfix": true}}`, "labels must be a list of strings"},
		{"{" + good + `, "incident": 7}`, "incident must be a string"},
		{"{" + good + `, "url": 7}`, "url must be a string"},
		{"{" + good + `, "actor": "` + strings.Repeat("m", 256) + `"}`, "actor is longer than 255 bytes"},
		{"[{" + good + "}, {" + good + `, "url": 7}]`, "[1].url must be a string"},
		{"{" + good + `, "labels": [""` + strings.Repeat(`, "a"`, 1000) + `]}`, "labels holds more than 1000 elements"},
		{"[5" + strings.Repeat(", 5", 1000) + "]", "lists more than 1000 deployments"},
		{"[5" + strings.Repeat(", 5", 20_000) + "]", "lists more than 1000 deployments"},
	} {
		got, err := decoder().Decode(ingest.Delivery{Provider: provider, Name: "ci", Body: []byte(c.body)})
		if !errors.Is(err, ingest.ErrMalformed) || !strings.Contains(fmt.Sprint(err), c.names) {
			t.Errorf("%.120s\nis %v, want an error that says %q", c.body, err, c.names)
		}
		if len(got.Events) != 0 || got.Body != nil {
			t.Errorf("%.120s\nhas %d events and a body of %d bytes", c.body, len(got.Events), len(got.Body))
		}
	}
}

// 1,000 services of 1,000 revisions each would be a million texts of 255 bytes.
func TestTooMuch(t *testing.T) {
	list := func(name string) string {
		var b strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&b, `, "%s-%d"`, name, i)
		}
		return "[" + b.String()[2:] + "]"
	}
	body := fmt.Sprintf(`{"id": "x", "services": %s, "revision": %s, "environment": "production", "status": "success", "finished_at": "2026-03-02T09:04:10Z"}`,
		list("service"), list("revision"))
	if got, err := decoder().Decode(ingest.Delivery{Provider: provider, Name: "ci", Body: []byte(body)}); !errors.Is(err, ingest.ErrMalformed) {
		t.Errorf("it is %d events and error %v", len(got.Events), err)
	}
}
