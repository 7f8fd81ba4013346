package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"meridian/cmd/meridian/config"
	"meridian/metrics"
)

// A variation of the configuration is listed and explained; what is switched off
// is said.
func TestMetricsOfAConfiguration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "meridian.yaml")
	text := `
metrics:
  disabled: [pr_size]
  variations:
    - {name: staging_deploys, of: deploy_frequency, environments: [staging]}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(args ...string) string {
		var out, errs bytes.Buffer
		if code := run(t.Context(), append(args, "--config", file), streams{in: strings.NewReader(""), out: &out, err: &errs}); code != 0 {
			t.Fatalf("%v: exit %d, %s", args, code, errs.String())
		}
		return out.String()
	}
	if list := ask("metrics", "list"); !strings.Contains(list, "staging_deploys") || !strings.Contains(list, "switched off by metrics.disabled: pr_size") {
		t.Errorf("the list is\n%s", list)
	}
	if text := ask("metrics", "explain", "staging_deploys"); !strings.Contains(text, "A variation of deploy_frequency") {
		t.Errorf("it is explained as\n%s", text)
	}
	var e metrics.Explanation
	if err := json.Unmarshal([]byte(ask("metrics", "explain", "staging_deploys", "--json")), &e); err != nil || e.VariationOf != "deploy_frequency" {
		t.Errorf("%+v, %v", e, err)
	}
	var all struct {
		Metrics  []metrics.Explanation
		Disabled []string
	}
	if err := json.Unmarshal([]byte(ask("metrics", "list", "--json")), &all); err != nil || len(all.Metrics) != len(metrics.Definitions())+1 || !slices.Equal(all.Disabled, []string{"pr_size"}) {
		t.Errorf("%d metrics, %v switched off, %v", len(all.Metrics), all.Disabled, err)
	}
}

// A title changes no row, so it is not pinned; all else of a variation is, and
// in one order.
func TestVariationsArePinned(t *testing.T) {
	a := config.Variation{Name: "a", Of: "pr_merged", People: "bots", Title: "Bots"}
	b := config.Variation{Name: "b", Of: "deploy_frequency", Environments: []string{"staging"}}
	pin := func(list ...config.Variation) string {
		data, err := json.Marshal(pinnedVariations(config.Metrics{Variations: list}))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if pin(a, b) != pin(b, a) {
		t.Error("their order is pinned")
	}
	titled := a
	titled.Title = "Merged by bots"
	if pin(a) != pin(titled) {
		t.Error("a title is pinned")
	}
	other := a
	if other.People = "everyone"; pin(a) == pin(other) {
		t.Error("the class of people is not pinned")
	}
	if err := checkMetrics(config.Metrics{Variations: []config.Variation{{Name: "x", Of: "pr_size", Start: "opened"}}}); err == nil || codeOf(err) != exitConfig {
		t.Errorf("a wrong variation is answered with %v", err)
	}
}

// A target of a metric that does not exist is found by catalog check, with its line.
func TestTargetsOfUnknownMetrics(t *testing.T) {
	dir := t.TempDir()
	file, settings := filepath.Join(dir, "catalog.yaml"), filepath.Join(dir, "meridian.yaml")
	for name, text := range map[string]string{
		file:     "teams:\n  - name: web\n    targets: {staging_deploys: 2, pr_pikup_time: 4h}\n",
		settings: "metrics:\n  variations: [{name: staging_deploys, of: deploy_frequency, environments: [staging]}]\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"catalog", "check", file, "--config", settings}, streams{in: strings.NewReader(""), out: &out, err: &errs})
	if text := errs.String(); code != exitConfig || !strings.Contains(text, `catalog.yaml:3: no metric is called "pr_pikup_time"; did you mean pr_pickup_time?`) || strings.Contains(text, "staging_deploys") {
		t.Errorf("exit %d, %s", code, text)
	}
}
