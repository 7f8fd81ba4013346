package deploy

import (
	"encoding/json"
	"os"
	"path/filepath"
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
		if v.Target == got.Providers[0].Options.Path && strings.HasSuffix(v.Source, "docs/grafana/dashboards") {
			return
		}
	}
	t.Errorf("nothing is mounted at %s", got.Providers[0].Options.Path)
}

// A dashboard that reads a data source of another name shows nothing, in either way of
// running Grafana.
func TestGrafana_DashboardsReadWhatIsProvisioned(t *testing.T) {
	files, err := filepath.Glob("../docs/grafana/dashboards/*.json")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d dashboards, %v", len(files), err)
	}
	type source struct{ Type, UID string }
	for _, provisioned := range []string{"grafana/provisioning/datasources/meridian.yml", "../docs/grafana/provisioning/datasources/meridian.yaml"} {
		var got dataSources
		read(t, provisioned, yaml.Unmarshal, &got)
		known := map[source]bool{}
		for _, s := range got.DataSources {
			known[source{s.Type, s.UID}] = true
		}
		for _, file := range files {
			var board struct {
				Panels []struct {
					Title      string
					DataSource source
					Targets    []struct{ DataSource *source }
				}
			}
			read(t, file, json.Unmarshal, &board)
			for _, p := range board.Panels {
				if !known[p.DataSource] {
					t.Errorf("%s, %s: reads %+v, which %s does not have", file, p.Title, p.DataSource, provisioned)
				}
				for _, target := range p.Targets {
					if target.DataSource != nil && !known[*target.DataSource] {
						t.Errorf("%s, %s: asks %+v, which %s does not have", file, p.Title, *target.DataSource, provisioned)
					}
				}
			}
		}
	}
}
