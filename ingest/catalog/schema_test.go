package catalog

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

func compiledSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("catalog.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON is a YAML node as an editor sees it: a date is a text.
func asJSON(t testing.TB, n *yaml.Node) any {
	t.Helper()
	switch n.Kind {
	case yaml.DocumentNode:
		return asJSON(t, n.Content[0])
	case yaml.AliasNode:
		return asJSON(t, n.Alias)
	case yaml.SequenceNode:
		list := []any{}
		for _, e := range n.Content {
			list = append(list, asJSON(t, e))
		}
		return list
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i < len(n.Content); i += 2 {
			m[n.Content[i].Value] = asJSON(t, n.Content[i+1])
		}
		return m
	}
	if n.Tag == "!!timestamp" {
		return n.Value
	}
	var v any
	if err := n.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func instance(t testing.TB, text string) any {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err)
	}
	if n.Kind == 0 {
		return nil
	}
	return asJSON(t, &n)
}

func TestSchemaTakesWhatTheLoaderTakes(t *testing.T) {
	schema := compiledSchema(t)
	for _, text := range []string{
		example, organisation, staff, moving, "", "# nothing\n", "teams:\npeople:\n", "{}",
		"zone: [{value: Europe/Berlin, to: 2026-02-28}, {value: Asia/Tokyo, from: 2026-03-01}]",
		"zone: {value: Europe/Berlin, from: }",
		`hours: {mon: "09:00-18:00", Tuesday: "22:00-06:00", fri: ""}`,
		`hours: {value: {mon: "9:00-18:00"}, from: 2026-03-01}`,
		`hours: [{value: "09:00-12:00, 13:00-18:00", to: 2026-03-01}, {value: "", from: 2026-03-02}]`,
		"hours: 09:00-18:00",
		"weekend: fri",
		"weekend: []",
		"weekend: [{value: [fri, sat], to: 2026-03-01}, {value: [sat, sun], from: 2026-03-02}]",
		"weekend: {value: sun}",
		"holidays: {a: 2026-01-01, b: [2026-01-01, {calendar: de}], c: {calendar: de-by}, d: [], e: {}}",
		"production: []\nbots: renovate\n",
		"production: {value: [a, b], from: 2026-01-01}",
		"incidents: {types: Incident, labels: , link_window: 0}",
		"incidents: {link_window: 1h30m}",
		"statuses: {to_do: [Triage], in_progress: Review, done: 7}",
		"teams: [{name: 7, repositories: acme/*, jira: [{value: [A, B], to: 2026-01-01}, C], services: {value: x}, group: [{value: shop, from: 2026-01-01}]}]",
		"{teams: [{name: a}, {name: b}], people: [{name: Mai, github: 0815, jira: x, teams: [a, {team: b, from: 2026-01-01}, {value: a, to: 2025-12-31}]}]}",
		"{teams: [{name: a}], people: [{name: Mai, teams: a, emails: mai@acme.example, holidays: de}]}",
		"services: [{name: x, repositories: acme/x, paths: [a/**], deploys: x-*, incidents: {jira: OPS, components: X}}, {name: y, incidents: }]",
		"teams: [{name: a, repositories: &r [acme/web]}, {name: b, repositories: *r}]",
	} {
		if _, err := Parse("catalog.yaml", []byte(text), Options{}); err != nil {
			t.Errorf("the loader refuses %q: %v", text, err)
		}
		if err := schema.Validate(instance(t, text)); err != nil {
			t.Errorf("the schema refuses %q: %v", text, err)
		}
	}
}

// What is wrong in shape both refuse. What is wrong in meaning only the loader
// can know.
func TestSchemaRefusesWhatTheLoaderRefuses(t *testing.T) {
	schema := compiledSchema(t)
	shape := []string{
		"zones: UTC", "[a]", "text", "zone: [UTC]", "zone: [{valeu: UTC}]", "zone: {value: UTC, until: 2026-01-01}", "zone: ''",
		"zone: {value: UTC, from: yesterday}", "hours: 9-5", "hours: {monday: 9-5}", "hours: {moonday: ''}", "hours: [x]", "hours: {mon: }",
		"weekend: [sonntag]", "weekend: {sat: true}", "holidays: [2026-01-01]", "holidays: {de: [first]}", "holidays: {de: }", "holidays: {de: {calender: de}}",
		"production: [[a]]", "production: [{name: a}]", "bots: {a: b}", "bots: ['']", "bots: [null]", "incidents: [a]", "incidents: {type: a}",
		"incidents: {link_window: 24}", "incidents: {link_window: soon}", "statuses: {doing: [x]}", "teams: {name: a}", "teams: [a]",
		"teams: [{repositories: [a]}]", "teams: [{name: }]", "teams: [{name: a, member: b}]", "teams: [{name: a, group: [a, b]}]",
		"teams: [{name: a, jira: [{from: 2026-01-01}]}]", "people: [{name: Mai, emails: [mai]}]", "people: [{name: Mai, teams: [{tem: a}]}]",
		"people: [{name: Mai, github: {a: b}}]", "services: [{name: a, incidents: {project: A}}]", "services: [{name: a, paths: [{glob: x}]}]",
		"services: [{}]",
	}
	meaning := []string{
		"zone: Mars/Olympus", "hours: '25:00-26:00'", "holidays: {de: [2026-02-30]}", "holidays: {x: {calendar: xx}}", "teams: [{name: a}, {name: a}]",
		"teams: [{name: a, repositories: ['a[']}]", "people: [{name: Mai, teams: [nobody]}]", "people: [{name: Mai, holidays: nowhere}]",
		"people: [{name: Mai, github: x}, {name: Jo, github: X}]", "zone: {value: UTC, from: 2026-03-02, to: 2026-03-01}",
		"zone: [{value: UTC}, {value: Asia/Tokyo}]", "statuses: {done: [x], to_do: [x]}",
	}
	for i, text := range append(shape, meaning...) {
		_, err := Parse("catalog.yaml", []byte(text), Options{})
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("the loader takes %q: %v", text, err)
		}
		if err := schema.Validate(instance(t, text)); (err != nil) != (i < len(shape)) {
			t.Errorf("the schema says of %q: %v", text, err)
		}
	}
}

// Every field that the loader knows is in the schema, at the same place, and no
// other: both are walked by their unknown keys.
func TestSchemaKnowsEveryField(t *testing.T) {
	schema := compiledSchema(t)
	seen := 0
	for _, place := range []struct{ before, after string }{
		{"", ""}, {"incidents: {", "}"}, {"statuses: {", "}"}, {"teams: [{name: x, ", "}]"}, {"people: [{name: x, ", "}]"},
		{"services: [{name: x, ", "}]"}, {"services: [{name: x, incidents: {", "}}]"},
	} {
		for _, name := range []string{
			"zone", "hours", "weekend", "holidays", "production", "bots", "incidents", "statuses", "teams", "people", "services", "types", "labels",
			"resolved", "link_window", "to_do", "in_progress", "done", "group", "repositories", "jira", "github", "emails", "paths", "deploys", "components",
			"environments", "members", "email",
		} {
			text := place.before + name + ": " + place.after
			_, err := Parse("catalog.yaml", []byte(text), Options{})
			valid := schema.Validate(instance(t, text)) == nil
			if (err == nil) != valid {
				t.Errorf("%q: the loader says %v, the schema takes it: %v", text, err, valid)
			}
			if valid {
				seen++
			}
		}
	}
	if seen != 11+4+3+8+8+4+2 {
		t.Errorf("%d fields in all", seen)
	}
}

func TestSchemaOnFiles(t *testing.T) {
	schema := compiledSchema(t)
	for _, path := range []string{"testdata/problems/everything.yaml", "testdata/problems/list.yaml"} {
		text, err := os.ReadFile(filepath.FromSlash(path))
		if err != nil {
			t.Fatal(err)
		}
		var n yaml.Node
		if err := yaml.Unmarshal(text, &n); err != nil {
			t.Fatal(err)
		}
		if schema.Validate(asJSON(t, &n)) == nil {
			t.Errorf("the schema takes %s", path)
		}
	}
}
