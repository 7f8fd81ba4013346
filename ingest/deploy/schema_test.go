package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/ingest/payload/decodertest"
)

func compiledSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("deployment.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("deployment.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// answers are what schema and decoder say of a body: nil where they take it.
func answers(t testing.TB, s *jsonschema.Schema, body string) (schema, decoder error) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	_, decoder = New(decodertest.Hash).Decode(ingest.Delivery{Provider: provider, Name: "ci", Body: []byte(body)})
	return s.Validate(doc), decoder
}

// values are some that a field may have, and some that it may not.
var values = map[string][]any{
	"id":          {"run-42", "", nil, 42, []any{}},
	"service":     {"checkout", "", nil, 5, []any{"checkout"}},
	"services":    {[]any{"checkout", "ledger"}, []any{}, []any{""}, []any{5}, nil, "checkout"},
	"environment": {"production", "", nil, true},
	"status":      {"success", "pending", "running", "failure", "rolled_back", "cancelled", "succeeded", "", nil, 1},
	"started_at":  {"2026-03-02T09:00:00Z", "2026-03-02T16:00:00+07:00", "2026-03-02T16:00:00.123+0700", "", nil, "yesterday", 1772442250},
	"finished_at": {"2026-03-02T09:04:10Z", "2026-03-02T09:04:10.5Z", "", nil, "2026-03-02", "2026-03-02 09:04:10", 1772442250},
	"revision":    {"9f2c", []any{"9f2c", "1111"}, "", []any{}, nil, 5, []any{5}, []any{""}, map[string]any{}},
	"repository":  {"acme/web", "", nil, 5},
	"actor":       {"mai", "mai@acme.example", nil, []any{"mai"}},
	"labels":      {[]any{"hotfix"}, []any{}, nil, "hotfix", []any{""}, map[string]any{"hotfix": true}},
	"incident":    {"OPS-7", nil, 7},
	"url":         {"https://ci.example/42", "no address", nil, 7},
	"something":   {"else", nil, 5},
}

// Bodies are put together of good and bad values at random, always the same ones.
func TestSchemaAndDecoderAgree(t *testing.T) {
	s := compiledSchema(t)
	r := rand.New(rand.NewPCG(1, 2))
	names := slices.Sorted(maps.Keys(values))
	taken, refused := 0, 0
	for range 20_000 {
		body := map[string]any{}
		for _, name := range names {
			switch choices := values[name]; r.IntN(12) {
			case 0: // left out
			case 1:
				body[name] = choices[r.IntN(len(choices))]
			default:
				body[name] = choices[0]
			}
		}
		var whole any = body
		if r.IntN(4) == 0 {
			whole = []any{body, body}
		}
		text, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		schema, decoder := answers(t, s, string(text))
		if (schema == nil) != (decoder == nil) {
			t.Fatalf("%s\nschema: %v\ndecoder: %v", text, schema, decoder)
		}
		if schema == nil {
			taken++
		} else {
			refused++
		}
	}
	if taken < 1000 || refused < 1000 {
		t.Errorf("%d bodies were taken and %d refused: too few of one kind", taken, refused)
	}
}

func TestSchemaOfWholeBodies(t *testing.T) {
	s := compiledSchema(t)
	for _, body := range []string{`[]`, `5`, `null`, `"x"`, `[5]`, `[[]]`, `{}`} {
		if schema, decoder := answers(t, s, body); (schema == nil) != (decoder == nil) {
			t.Errorf("%s\nschema: %v\ndecoder: %v", body, schema, decoder)
		}
	}
	const good = `"id": "run-42", "service": "checkout", "environment": "production", "status": "success", "finished_at": "2026-03-02T09:04:10Z"`
	long := func(n int) string { return string(bytes.Repeat([]byte("m"), n)) }
	for _, body := range []string{
		fmt.Sprintf(`{%s, "actor": %q}`, good, long(255)), fmt.Sprintf(`{%s, "actor": %q}`, good, long(256)),
		fmt.Sprintf(`{%s, "url": %q}`, good, long(2000)), fmt.Sprintf(`{%s, "url": %q}`, good, long(2001)),
	} {
		if schema, decoder := answers(t, s, body); (schema == nil) != (decoder == nil) {
			t.Errorf("%.200s\nschema: %v\ndecoder: %v", body, schema, decoder)
		}
	}
	// Every body of the fixtures that the decoder takes.
	n := 0
	decodertest.Each(t, "testdata", New(decodertest.Hash), provider, "", func(t *testing.T, _ string, body []byte, _ []event.Event) {
		n++
		if schema, decoder := answers(t, s, string(body)); schema != nil || decoder != nil {
			t.Errorf("%s\nschema: %v\ndecoder: %v", body, schema, decoder)
		}
	})
	if n < 5 {
		t.Errorf("%d fixtures", n)
	}
}
