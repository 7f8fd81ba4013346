package web_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"

	"meridian/web"
	"meridian/web/webtest"
)

// Each question of the dashboards has an answer with what they pick from it.
func TestGrafana_TheDashboardsAskWhatTheAPIAnswers(t *testing.T) {
	s := newServer(t, webtest.Acme(), func(c *web.Config) { c.Shared = true })
	files, err := filepath.Glob("../docs/grafana/dashboards/*.json")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d dashboards, %v", len(files), err)
	}
	fill := strings.NewReplacer("${team}", "web", "${__from:date:iso}", "2026-02-02T00:00:00.000Z", "${__to:date:iso}", "2026-03-03T00:00:00.000Z")
	asked := 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var board struct {
			UID    string
			Panels []struct {
				ID      int
				Title   string
				Targets []struct {
					URL     string                      `json:"url"`
					Root    string                      `json:"root_selector"`
					Columns []struct{ Selector string } `json:"columns"`
				}
			}
		}
		if err := json.Unmarshal(raw, &board); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		ids := map[int]bool{}
		for _, p := range board.Panels {
			if ids[p.ID] {
				t.Errorf("%s: two panels have the id %d", file, p.ID)
			}
			ids[p.ID] = true
			for _, target := range p.Targets {
				asked++
				r := request(t, s, "GET", fill.Replace(target.URL))
				text := body(t, r)
				var answer map[string]json.RawMessage
				var items []map[string]any
				if err := json.Unmarshal([]byte(text), &answer); r.StatusCode != 200 || err != nil {
					t.Errorf("%s, %s: %s %v %s", board.UID, p.Title, r.Status, err, text)
					continue
				}
				if err := json.Unmarshal(answer[target.Root], &items); err != nil || len(items) == 0 {
					t.Errorf("%s, %s: nothing under %s, %v", board.UID, p.Title, target.Root, err)
					continue
				}
				for _, c := range target.Columns {
					if _, ok := items[0][c.Selector]; !ok {
						t.Errorf("%s, %s: no field %s", board.UID, p.Title, c.Selector)
					}
				}
			}
		}
	}
	if asked < 15 {
		t.Errorf("%d questions", asked)
	}
}

// The dashboards are what Grafana's schema wants: every field known, no required one
// left out, those of the panels' own options too.
func TestGrafana_TheDashboardsKeepItsSchema(t *testing.T) {
	plugins := cog.NewRuntime()
	plugins.RegisterPanelcfgVariant(stat.VariantConfig())
	plugins.RegisterPanelcfgVariant(table.VariantConfig())
	plugins.RegisterPanelcfgVariant(timeseries.VariantConfig())
	known := []string{"stat", "table", "timeseries"} // others would not be looked into
	files, err := filepath.Glob("../docs/grafana/dashboards/*.json")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d dashboards, %v", len(files), err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		//lint:ignore SA1019 files that Grafana provisions from a folder are of this schema
		var d dashboard.Dashboard
		if err := d.UnmarshalJSONStrict(raw); err != nil && err.Error() != "" { // no errors are an empty list, not nil
			t.Errorf("%s: %v", file, err)
		}
		if err := d.Validate(); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		var board struct{ Panels []struct{ Type string } }
		if err := json.Unmarshal(raw, &board); err != nil {
			t.Fatal(err)
		}
		for _, p := range board.Panels {
			if !slices.Contains(known, p.Type) {
				t.Errorf("%s: the options of a panel of type %s are not looked into", file, p.Type)
			}
		}
	}
}
