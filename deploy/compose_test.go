package deploy

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"

	"meridian/cmd/meridian/config"
)

// example is a filled-in env.example; deploy/env.example must ask for exactly these.
var example = map[string]string{
	"CLICKHOUSE_PASSWORD":    "clickhouse0password",
	"MERIDIAN_AUTH_TOKEN":    "meridian0token",
	"MERIDIAN_GITHUB_SECRET": "github0secret",
	"GRAFANA_PASSWORD":       "grafana0password",
}

// load reads the file as Docker would: interpolated, checked against the Compose schema and for consistency.
func load(t *testing.T, env map[string]string) (*types.Project, error) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return loader.LoadWithContext(context.Background(), types.ConfigDetails{
		WorkingDir:  root,
		ConfigFiles: []types.ConfigFile{{Filename: filepath.Join(root, "docker-compose.yml")}},
		Environment: maps.Clone(env), // the loader adds to it
	})
}

func project(t *testing.T) *types.Project {
	t.Helper()
	p, err := load(t, example)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCompose_HasTheWholeMachine(t *testing.T) {
	got := project(t).ServiceNames()
	slices.Sort(got)
	if want := []string{"clickhouse", "grafana", "kafka", "kafka-ui", "meridian"}; !slices.Equal(got, want) {
		t.Errorf("services = %v, want %v", got, want)
	}
}

// A deployment that comes up with an empty password is worse than one that does not come up.
func TestCompose_AsksForEverySecret(t *testing.T) {
	for name := range example {
		env := maps.Clone(example)
		delete(env, name)
		if _, err := load(t, env); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v, want an error that names it", name, err)
		}
	}
	text, err := os.ReadFile("env.example")
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	for _, m := range regexp.MustCompile(`(?m)^([A-Z_]+)=(.*)$`).FindAllStringSubmatch(string(text), -1) {
		if asked = append(asked, m[1]); m[2] != "" {
			t.Errorf("env.example gives %s a value", m[1])
		}
	}
	slices.Sort(asked)
	if want := slices.Sorted(maps.Keys(example)); !slices.Equal(asked, want) {
		t.Errorf("env.example asks for %v, docker-compose.yml needs %v", asked, want)
	}
}

// A whole version: `latest` or a bare major version would change under a running installation.
var pinned = regexp.MustCompile(`^[a-z0-9/-]+:v?\d+\.\d+\.\d+(\.\d+)?$`)

func TestCompose_PinsWhatItPulls(t *testing.T) {
	for name, s := range project(t).Services {
		if s.Build == nil && !pinned.MatchString(s.Image) {
			t.Errorf("%s: the image %q is not pinned to a whole version", name, s.Image)
		}
	}
	plugins := *project(t).Services["grafana"].Environment["GF_PLUGINS_PREINSTALL_SYNC"]
	if !regexp.MustCompile(`^[a-z-]+@\d+\.\d+\.\d+$`).MatchString(plugins) {
		t.Errorf("the Grafana plugin %q is not pinned", plugins)
	}
}

func TestCompose_EveryServiceIsWatchedAndStaysOnThisMachine(t *testing.T) {
	p := project(t)
	for name, s := range p.Services {
		if s.HealthCheck == nil || len(s.HealthCheck.Test) < 2 || s.HealthCheck.Disable {
			t.Errorf("%s has no health check", name)
		}
		if s.Restart != types.RestartPolicyUnlessStopped {
			t.Errorf("%s: restart = %q, want %q", name, s.Restart, types.RestartPolicyUnlessStopped)
		}
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s: port %s is published on %q, not on loopback alone", name, port.Published, port.HostIP)
			}
		}
		for on, dependency := range s.DependsOn {
			if dependency.Condition != types.ServiceConditionHealthy {
				t.Errorf("%s does not wait until %s is healthy", name, on)
			}
		}
	}
}

func TestCompose_KeepsDataInVolumesThatExist(t *testing.T) {
	p := project(t)
	for service, path := range map[string]string{
		"kafka": "/var/lib/kafka/data", "clickhouse": "/var/lib/clickhouse", "meridian": "/data", "grafana": "/var/lib/grafana",
	} {
		if !slices.ContainsFunc(p.Services[service].Volumes, func(v types.ServiceVolumeConfig) bool {
			return v.Type == types.VolumeTypeVolume && v.Target == path
		}) {
			t.Errorf("%s keeps %s in no volume: it is lost with the container", service, path)
		}
	}
	for name, s := range p.Services {
		for _, v := range s.Volumes {
			if v.Type != types.VolumeTypeBind {
				continue
			}
			if _, err := os.Stat(v.Source); err != nil {
				t.Errorf("%s mounts what is not there: %v", name, err)
			}
		}
	}
}

// Meridian refuses unknown keys, so a misspelt one would only show when somebody starts the containers.
func TestCompose_ConfiguresMeridianWithKeysItKnows(t *testing.T) {
	var environ []string
	for name, value := range project(t).Services["meridian"].Environment {
		environ = append(environ, name+"="+*value)
	}
	c, err := config.Load("", environ, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Kafka.Brokers, []string{"kafka:9092"}) {
		t.Errorf("kafka.brokers = %v", c.Kafka.Brokers)
	}
	if want := "http://meridian:clickhouse0password@clickhouse:8123/meridian"; c.ClickHouse.DSN != want {
		t.Errorf("clickhouse.dsn = %q, want %q", c.ClickHouse.DSN, want)
	}
	if len(c.Sources.GitHub) != 1 || !slices.Equal(c.Sources.GitHub[0].Secrets, []string{"github0secret"}) {
		t.Errorf("sources.github = %+v", c.Sources.GitHub)
	}
	if c.Auth.Token != "meridian0token" {
		t.Errorf("auth.token = %q", c.Auth.Token)
	}
}

func TestCompose_KafkaCarriesTheLargestDelivery(t *testing.T) {
	env := project(t).Services["kafka"].Environment
	for _, key := range []string{"KAFKA_MESSAGE_MAX_BYTES", "KAFKA_REPLICA_FETCH_MAX_BYTES"} {
		if got := env[key]; got == nil || *got != "36700160" {
			t.Errorf("%s is not 35 MiB", key)
		}
	}
}
