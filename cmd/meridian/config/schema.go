package config

import (
	"encoding/json"
	"reflect"
	"strings"
)

// SchemaPath is where a running server has the schema.
const SchemaPath = "/schemas/config.json"

// Schema is a JSON Schema of configuration files, for editors. It is made of
// [Config], so that no key can be missing, and knows the shape of values and not
// whether an address can be listened on.
func Schema() []byte {
	s := schemaOf(reflect.TypeFor[Config](), "")
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "Meridian's configuration"
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // maps of texts
	}
	return append(b, '\n')
}

// choices are the keys that take one of a few words.
var choices = map[string][]string{
	"auth.mode": {"token", "oidc", "proxy_header", "none"}, "auth.groups.roles": authRoles, "generations.promote": {"auto", "manual"},
	"kafka.sasl.mechanism":  {"", "plain", "scram-sha-256", "scram-sha-512"},
	"sources.github.verify": verifies, "sources.jira.verify": verifies, "sources.deploy.verify": verifies,
	"sources.argocd.verify": verifies, "sources.cdevents.verify": verifies,
}

var verifies = []string{"", "hmac", "bearer", "url_token"}

// Forms of lengths and amounts, as they are read (see units.go).
const (
	lengthForm = `^\s*([0-9]+(ms|s|m|h|d))+\s*$`
	bytesForm  = `^[0-9]+ *(GiB|MiB|KiB|B)$`
)

func schemaOf(t reflect.Type, path string) map[string]any {
	switch {
	case t == reflect.TypeFor[Length]():
		return map[string]any{"type": []string{"string", "integer", "null"}, "pattern": lengthForm, "maximum": 0, "minimum": 0, "examples": []string{"10m", "92d"}}
	case t == reflect.TypeFor[Bytes]():
		return map[string]any{"type": []string{"string", "null"}, "pattern": bytesForm, "examples": []string{"512MiB"}}
	case choices[path] != nil && t.Kind() != reflect.Slice:
		var words []any
		for _, w := range choices[path] {
			words = append(words, w)
		}
		return map[string]any{"enum": append(words, nil)}
	}
	switch t.Kind() {
	case reflect.Struct:
		properties := map[string]any{}
		for i := range t.NumField() {
			key, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
			properties[key] = schemaOf(t.Field(i).Type, strings.TrimPrefix(path+"."+key, "."))
		}
		return map[string]any{"type": []string{"object", "null"}, "additionalProperties": false, "properties": properties}
	case reflect.Slice:
		return map[string]any{"type": []string{"array", "null"}, "items": schemaOf(t.Elem(), path)}
	case reflect.Bool:
		return map[string]any{"type": []string{"boolean", "null"}}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": []string{"integer", "null"}}
	}
	return map[string]any{"type": []string{"string", "number", "boolean", "null"}} // YAML's scalars are texts too
}
