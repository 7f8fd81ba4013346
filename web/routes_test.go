package web_test

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"meridian/web"
	"meridian/web/webtest"
)

const apiToken = "a-token-for-programs"

func guarded(c *web.Config) {
	c.Mode, c.APIToken = web.ModeToken, apiToken
	c.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("up 1\n")) })
}

func TestRoutes_TheDescriptionIsOfTheRoutes(t *testing.T) {
	s := newServer(t, webtest.Acme())
	var d struct {
		OpenAPI string
		Paths   map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(body(t, request(t, s, "GET", "/openapi.json"))), &d); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(d.OpenAPI, "3.1.") {
		t.Errorf("version %q", d.OpenAPI)
	}
	var described, routed []string
	for path, methods := range d.Paths {
		for method := range methods {
			described = append(described, strings.ToUpper(method)+" "+path)
		}
	}
	for _, rt := range web.RoutesForTest(s) {
		if rt.Described {
			routed = append(routed, rt.Method+" "+rt.Pattern)
		} else if strings.HasPrefix(rt.Pattern, "/api/") {
			t.Errorf("%s of the API is not described", rt.Pattern)
		}
	}
	slices.Sort(described)
	slices.Sort(routed)
	if !slices.Equal(described, routed) {
		t.Errorf("described %v\nrouted %v", described, routed)
	}
}

// Every answer of the API is what the description says, and every parameter
// that a handler takes is in it.
func TestRoutes_AnswersKeepTheDescription(t *testing.T) {
	raw, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("openapi.json", document); err != nil {
		t.Fatal(err)
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	check := func(s *web.Server, path, query string, code string) {
		t.Helper()
		r := request(t, s, "GET", path+query)
		text := body(t, r)
		if !strings.HasPrefix(r.Status, code) {
			t.Errorf("%s%s: %s, want %s\n%s", path, query, r.Status, code, text)
			return
		}
		kind := escape.Replace(r.Header.Get("Content-Type"))
		schema, err := compiler.Compile("openapi.json#/paths/" + escape.Replace(path) + "/get/responses/" + code + "/content/" + kind + "/schema")
		if err != nil {
			t.Errorf("%s %s: %v", path, code, err)
			return
		}
		instance, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Errorf("%s%s: %v", path, query, err)
		} else if err := schema.Validate(instance); err != nil {
			t.Errorf("%s%s: %v", path, query, err)
		}
	}
	acme, empty, shared := newServer(t, webtest.Acme()), newServer(t, webtest.Empty()), newServer(t, webtest.Acme(), func(c *web.Config) { c.Shared = true })
	broken := newServer(t, webtest.States()[4].Organisation)
	for _, path := range []string{"/api/v1/metrics", "/api/v1/points", "/api/v1/quality", "/api/v1/rejects", "/api/v1/sources", "/api/v1/jobs", "/api/v1/status"} {
		check(acme, path, "", "200")
		check(empty, path, "", "200")
		if path != "/api/v1/status" {
			check(broken, path, "", "503")
		}
	}
	check(broken, "/api/v1/status", "", "200")
	check(newServer(t, webtest.Acme(), func(c *web.Config) { c.Jobs = running() }), "/api/v1/jobs", "", "200")
	for _, grain := range []string{"hour", "day", "day30", "week", "month", "quarter", "range"} {
		check(acme, "/api/v1/points", "?team=web&service=*&from=2026-02-25&grain="+grain, "200")
	}
	check(acme, "/api/v1/points", "?scope=org&limit=2", "200")
	check(acme, "/api/v1/points", "?grain=nope", "400")
	check(acme, "/api/v1/points", "?scope=group:nobody", "404")
	check(shared, "/api/v1/points", "?metric=after_hours&team=web&grain=hour", "403")
	check(acme, "/api/v1/evidence", "?metric=pr_pickup_time&team=web&limit=5", "200")
	check(acme, "/api/v1/evidence", "?metric=after_hours&team=web", "403")
	check(acme, "/api/v1/evidence", "", "400")
	check(newServer(t, webtest.Acme(), guarded), "/api/v1/points", "", "401")

	known := regexp.MustCompile(`"name": "([a-z]+)",\n\s*"in": "query"`).FindAllStringSubmatch(string(raw), -1)
	for _, name := range []string{"metric", "scope", "team", "grain", "from", "to", "service", "run", "limit", "cursor"} {
		if !slices.ContainsFunc(known, func(m []string) bool { return m[1] == name }) {
			t.Errorf("parameter %s is not described", name)
		}
	}
}

func TestRoutes_MethodsAndAddressesThatDoNotExist(t *testing.T) {
	s := newServer(t, webtest.Acme())
	if r := request(t, s, "POST", "/api/v1/points"); r.StatusCode != http.StatusNotFound && r.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %s", r.Status)
	}
	for _, target := range []string{"/nope", "/teams", "/teams/", "/api/v1/nope", "/teams/web/nope", "/teams/nobody", "/static/../server.go", "/static/vendor"} {
		r := request(t, s, "GET", target, "Accept", asBrowser)
		if r.StatusCode != http.StatusNotFound && r.StatusCode != http.StatusTemporaryRedirect && r.StatusCode != http.StatusMovedPermanently {
			t.Errorf("%s: %s", target, r.Status)
		}
	}
	r := request(t, s, "GET", "/api/v1/nope", "Accept", asBrowser)
	if r.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("the API answers %s", r.Header.Get("Content-Type"))
	}
	r = request(t, s, "GET", "/nope", "Accept", asBrowser)
	contains(t, body(t, r), "There is no such page")
}
