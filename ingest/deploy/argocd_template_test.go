package deploy

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"text/template"

	"go.yaml.in/yaml/v3"

	"meridian/ingest"
	"meridian/ingest/event"
)

// templateOfTheDocs takes the body's template out of docs/sources/argocd.md, as
// Argo CD would read it from its config map.
func templateOfTheDocs(t *testing.T) *template.Template {
	t.Helper()
	page, err := os.ReadFile("../../docs/sources/argocd.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(page), "<!-- test: argocd -->\n```yaml\n")
	text, _, closed := strings.Cut(rest, "\n```\n")
	if !ok || !closed {
		t.Fatal("the page has no config map")
	}
	var config struct{ Data map[string]string }
	if err := yaml.Unmarshal([]byte(text), &config); err != nil {
		t.Fatal(err)
	}
	var notification struct {
		Webhook map[string]struct{ Method, Body string }
	}
	if err := yaml.Unmarshal([]byte(config.Data["template.meridian"]), &notification); err != nil {
		t.Fatal(err)
	}
	var triggers []struct {
		When, OncePer string
		Send          []string
	}
	if err := yaml.Unmarshal([]byte(config.Data["trigger.meridian"]), &triggers); err != nil || len(triggers) != 2 || triggers[0].Send[0] != "meridian" {
		t.Fatalf("triggers %+v, %v", triggers, err)
	}
	var service struct {
		URL     string
		Headers []struct{ Name, Value string }
	}
	if err := yaml.Unmarshal([]byte(config.Data["service.webhook.meridian"]), &service); err != nil || len(service.Headers) != 2 {
		t.Fatalf("service %+v, %v", service, err)
	}
	// The functions of sprig that the template uses; Argo CD has them all.
	functions := template.FuncMap{
		"toJson": func(v any) string { b, _ := json.Marshal(v); return string(b) },
		"list":   func(v ...any) []any { return v },
		"dig":    dig,
	}
	made, err := template.New("argocd").Funcs(functions).Parse(notification.Webhook["meridian"].Body)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// dig is sprig's: keys, what to give where one is missing, and the dictionary.
func dig(args ...any) any {
	dictionary, _ := args[len(args)-1].(map[string]any)
	missing := args[len(args)-2]
	keys := args[:len(args)-2]
	for i, key := range keys {
		v, ok := dictionary[key.(string)]
		if !ok {
			return missing
		}
		if i == len(keys)-1 {
			return v
		}
		if dictionary, ok = v.(map[string]any); !ok {
			return missing
		}
	}
	return missing
}

func TestTheTemplateOfTheDocsIsRead(t *testing.T) {
	body := templateOfTheDocs(t)
	decode := func(t *testing.T, context, app string) ingest.Decoded {
		t.Helper()
		var vars = map[string]any{}
		for name, text := range map[string]string{"context": context, "app": app} {
			var v map[string]any
			if err := json.Unmarshal([]byte(text), &v); err != nil {
				t.Fatal(err)
			}
			vars[name] = v
		}
		var out bytes.Buffer
		if err := body.Execute(&out, vars); err != nil {
			t.Fatal(err)
		}
		if !json.Valid(out.Bytes()) {
			t.Fatalf("the template gives no JSON:\n%s", out.String())
		}
		if strings.Contains(out.String(), "zebra") {
			t.Errorf("the template sends what nobody needs: %s", out.String())
		}
		d, err := NewArgoCD(func(s string) string { return "hash of " + s }).Decode(ingest.Delivery{
			Provider: "argocd", Name: "prod", Received: 1772442245000, Body: out.Bytes(), Headers: map[string]string{"Content-Type": "application/json"},
		})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	const healthy = `{
		"metadata": {"name": "checkout", "namespace": "argocd", "labels": {"environment": "staging", "x": "zebra"}, "annotations": {"a": "zebra"}},
		"spec": {"destination": {"namespace": "shop"}, "source": {"helm": {"values": "zebra"}}},
		"status": {"health": {"status": "Healthy"}, "sync": {"revision": "9f2c"}, "resources": [{"kind": "zebra"}, {"kind": "Service"}],
			"operationState": {"phase": "Succeeded", "startedAt": "2026-03-02T09:00:00Z", "finishedAt": "2026-03-02T09:04:05Z", "message": "zebra",
				"operation": {"initiatedBy": {"username": "mai"}}, "syncResult": {"revision": "9f2c1e7"}}}}`
	for name, x := range map[string]struct {
		context, app string
		outcome      ingest.Outcome
		state        event.DeploymentState
		environment  string
		revisions    string
	}{
		"healthy":             {`{"environment": "production"}`, healthy, ingest.OutcomeAccepted, event.DeploymentSuccess, "production", "9f2c1e7"},
		"without a context":   {`{}`, healthy, ingest.OutcomeAccepted, event.DeploymentSuccess, "staging", "9f2c1e7"},
		"without a label":     {`{}`, strings.Replace(healthy, `"environment": "staging", `, "", 1), ingest.OutcomeAccepted, event.DeploymentSuccess, "shop", "9f2c1e7"},
		"failed":              {`{}`, strings.Replace(healthy, "Succeeded", "Failed", 1), ingest.OutcomeAccepted, event.DeploymentFailure, "staging", "9f2c1e7"},
		"several sources":     {`{}`, strings.Replace(healthy, `"syncResult": {"revision": "9f2c1e7"}`, `"syncResult": {"revisions": ["a1", "b2"]}`, 1), ingest.OutcomeAccepted, event.DeploymentSuccess, "staging", "a1 b2"},
		"no result":           {`{}`, strings.Replace(healthy, `, "syncResult": {"revision": "9f2c1e7"}`, "", 1), ingest.OutcomeAccepted, event.DeploymentSuccess, "staging", "9f2c"},
		"removes":             {`{}`, strings.Replace(healthy, `{"kind": "Service"}`, `{"kind": "Service", "requiresPruning": true}`, 1), ingest.OutcomeIgnored, 0, "", ""},
		"goes":                {`{}`, strings.Replace(healthy, `"name": "checkout"`, `"name": "checkout", "deletionTimestamp": "2026-03-02T09:00:00Z"`, 1), ingest.OutcomeIgnored, 0, "", ""},
		"runs":                {`{}`, strings.Replace(healthy, "Succeeded", "Running", 1), ingest.OutcomeIgnored, 0, "", ""},
		"has never been sync": {`{}`, `{"metadata": {"name": "new"}, "status": {}}`, ingest.OutcomeIgnored, 0, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := decode(t, x.context, x.app)
			if d.Outcome != x.outcome {
				t.Fatalf("%s: %s", d.Outcome, d.Reason)
			}
			if x.outcome != ingest.OutcomeAccepted {
				return
			}
			if len(d.Events) != 1 {
				t.Fatalf("%d events", len(d.Events))
			}
			e := d.Events[0]
			if e.Deployment.State != x.state || e.Scope.Environment != x.environment || strings.Join(e.Deployment.Revisions, " ") != x.revisions ||
				e.Scope.Service != "checkout" || e.Actor.Login != "mai" || e.Time != 1772442245000 {
				t.Errorf("got %+v of %+v", e.Deployment, e)
			}
		})
	}
}
