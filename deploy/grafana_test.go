package deploy

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

type dataSources struct {
	APIVersion  int `yaml:"apiVersion"`
	DataSources []struct {
		Name, UID, Type, URL string
		JSONData             struct {
			AuthMethod   string   `yaml:"auth_method"`
			AllowedHosts []string `yaml:"allowedHosts"`
		} `yaml:"jsonData"`
		SecureJSONData map[string]string `yaml:"secureJsonData"`
	}
}

type dashboard struct {
	UID        string
	Templating struct {
		List []struct{ Name string }
	}
	Panels []struct {
		Title      string
		DataSource struct{ Type, UID string }
		Targets    []struct {
			URL          string
			RootSelector string `json:"root_selector"`
			URLOptions   struct {
				Params []struct{ Key, Value string }
			} `json:"url_options"`
			Columns []struct{ Selector, Text, Type string }
		}
	}
}

func read(t *testing.T, file string, unmarshal func([]byte, any) error, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func TestGrafana_ReadsTheAPIWithItsToken(t *testing.T) {
	var got dataSources
	read(t, "grafana/provisioning/datasources/meridian.yml", yaml.Unmarshal, &got)
	if got.APIVersion != 1 || len(got.DataSources) != 1 {
		t.Fatalf("%+v, want one data source: a second could read the tables, past what Meridian withholds", got)
	}
	s := got.DataSources[0]
	if s.URL != "http://meridian:8080" || !slices.Equal(s.JSONData.AllowedHosts, []string{s.URL}) {
		t.Errorf("it reads %q, allowed are %q", s.URL, s.JSONData.AllowedHosts)
	}
	if s.JSONData.AuthMethod != "bearerToken" || s.SecureJSONData["bearerToken"] != "$MERIDIAN_AUTH_TOKEN" {
		t.Errorf("it signs in by %q with %q", s.JSONData.AuthMethod, s.SecureJSONData)
	}
	if _, passed := project(t).Services["grafana"].Environment["MERIDIAN_AUTH_TOKEN"]; !passed {
		t.Error("docker-compose.yml does not pass the token to Grafana")
	}
}

func TestGrafana_FindsItsDashboards(t *testing.T) {
	var got struct {
		Providers []struct{ Options struct{ Path string } }
	}
	read(t, "grafana/provisioning/dashboards/meridian.yml", yaml.Unmarshal, &got)
	if len(got.Providers) != 1 {
		t.Fatalf("%+v, want one provider", got)
	}
	for _, v := range project(t).Services["grafana"].Volumes {
		if v.Target == got.Providers[0].Options.Path && strings.HasSuffix(v.Source, "deploy/grafana/dashboards") {
			return
		}
	}
	t.Errorf("nothing is mounted at %s", got.Providers[0].Options.Path)
}

// Parameters and fields of a point that the API's contract has.
var (
	parameters = []string{"metric", "scope", "grain", "from", "to", "service", "run", "limit", "cursor"}
	fields     = []string{"start", "end", "n", "value", "p50", "p75", "p90", "sum", "status", "missing", "late_accepted",
		"late_dropped", "duplicates", "team", "service"}
)

func TestGrafana_DashboardAsksWhatTheAPIAnswers(t *testing.T) {
	var sources dataSources
	read(t, "grafana/provisioning/datasources/meridian.yml", yaml.Unmarshal, &sources)
	var got dashboard
	read(t, "grafana/dashboards/meridian.json", json.Unmarshal, &got)

	var variables []string
	for _, v := range got.Templating.List {
		variables = append(variables, "${"+v.Name+"}")
	}
	asked := map[string]bool{}
	for _, p := range got.Panels {
		if p.DataSource.UID != sources.DataSources[0].UID || p.DataSource.Type != sources.DataSources[0].Type {
			t.Errorf("%s: reads %+v, which is not provisioned", p.Title, p.DataSource)
		}
		for _, target := range p.Targets {
			if target.URL != "/api/v1/points" || target.RootSelector != "points" {
				t.Errorf("%s: asks %s for %s", p.Title, target.URL, target.RootSelector)
			}
			for _, param := range target.URLOptions.Params {
				if !slices.Contains(parameters, param.Key) {
					t.Errorf("%s: the API has no parameter %q", p.Title, param.Key)
				}
				if param.Key == "metric" {
					asked[param.Value] = true
				}
				if strings.HasPrefix(param.Value, "${") && !strings.HasPrefix(param.Value, "${__") && !slices.Contains(variables, param.Value) {
					t.Errorf("%s: no variable %s", p.Title, param.Value)
				}
			}
			for _, c := range target.Columns {
				if !slices.Contains(fields, c.Selector) {
					t.Errorf("%s: a point has no field %q", p.Title, c.Selector)
				}
			}
		}
	}
	for _, metric := range []string{"pr_pickup_time", "pr_review_time", "pr_time_to_merge", "pr_merged", "deploy_frequency",
		"issue_cycle_time", "after_hours"} {
		if !asked[metric] {
			t.Errorf("no panel shows %s", metric)
		}
	}
}
