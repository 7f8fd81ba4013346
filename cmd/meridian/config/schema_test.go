package config

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

func TestSchemaAgreesWithTheLoader(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("config.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("config.json")
	if err != nil {
		t.Fatal(err)
	}
	c := Default()
	c.Sources.GitHub = []Source{{Name: "acme", Secrets: []string{"s"}, Limit: 5 << 20}}
	c.APIs.Jira = []JiraAPI{{URL: "https://jira.example", Token: "t"}}
	whole, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	for text, good := range map[string]bool{
		string(whole): true, "": true, "listen: 127.0.0.1:1\n": true, "access_log: true": true, "time: {horizon: 92d, bounds: {jira: 1h30m}}": true,
		"retention: {points: 0}": true, "replay: {memory: 1 GiB}": true, "sources: {jira: [{name: dc, verify: url_token, secrets: [t]}]}": true,
		"kafka: {brokers: [a:9092]}": true, "auth: {mode: oidc, issuer: https://x, client_id: y}": true, "sources:": true, "auth: {token: 123}": true,
		"auth: {mode: oidc, issuer: https://x, client_id: y, groups: [{name: leads, roles: [people], teams: [web, \"shop-*\"]}]}": true,

		"lisen: x": false, "listen: [x]": false, "access_log: perhaps": false, "time: {horizon: fast}": false, "replay: {memory: lots}": false,
		"replay: {max_procs: many}": false, "sources: {github: {name: acme}}": false, "sources: {github: [{name: a, secrets: [s], verify: md5}]}": false,
		"sources: {gitlab: []}": false, "kafka: [a:9092]": false, "auth: {mode: magic}": false, "auth: {groups: [{name: a, roles: [king]}]}": false, "auth: {groups: [leads]}": false, "generations: {promote: perhaps}": false,
		"time: {bounds: {github: 5}}": false, "apis: {github: [{tokn: x}]}": false,
	} {
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		_, loaded := Load(write(t, text), nil, nil)
		if (loaded == nil) != good {
			t.Errorf("the loader says of %q: %v", text, loaded)
		}
		if err := schema.Validate(v); (err == nil) != good {
			t.Errorf("the schema says of %q: %v", text, err)
		}
	}
}
