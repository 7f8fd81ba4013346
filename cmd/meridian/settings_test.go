package main

import (
	"bytes"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"

	"meridian/cmd/meridian/config"
)

// acted are the settings that something acts on, and where.
var acted = map[string]string{
	"listen": "serve.go", "webhook_listen": "serve.go", "admin_listen": "admin.go", "base_url": "pages.go", "access_log": "door.go", "trusted_proxies": "door.go",
	"data_dir": "instance.go", "catalog": "catalog.go", "zone": "catalog.go",
	"sources.github": "door.go", "sources.jira": "door.go", "sources.deploy": "door.go", "sources.argocd": "door.go", "sources.cdevents": "door.go",
	"kafka.brokers": "log.go", "kafka.topic_prefix": "log.go", "clickhouse.dsn": "results.go", "clickhouse.cluster": "results.go",
	"time.horizon": "generation.go", "time.bounds.github": "generation.go", "time.bounds.jira": "generation.go", "time.bounds.deploy": "generation.go",
	"time.future_skew": "generation.go", "metrics.disabled": "generation.go", "metrics.variations": "variations.go",
	"time.late_budget": "delays.go", "generations.promote": "coordinator_promote.go", "generations.min_interval": "coordinator.go", "generations.keep": "coordinator_takeover.go", "replay.memory": "history.go", "replay.max_rate": "replay_throttle.go", "replay.max_procs": "replay_throttle.go",
	"archive.dir": "log.go", "retention.points": "retention.go", "retention.deliveries": "trim.go", "apis.github": "backfill_job.go", "apis.jira": "backfill_job.go", "apis.reconcile": "reconcile.go", "privacy.min_people": "pages.go", "auth.mode": "settings.go", "auth.token": "pages.go",
}

// Each setting is acted on or, set to something else than its default, told to
// have no effect. A new one is put into one of the lists.
func TestEverySettingIsActedOnOrSaid(t *testing.T) {
	var c config.Config
	n := 0
	eachSetting("", reflect.ValueOf(&c).Elem(), func(key string, v reflect.Value) {
		n++
		c = config.Default()
		change(t, key, v)
		var said []string
		for _, s := range idleIn(c) {
			said = append(said, s.key)
		}
		_, isActed := acted[key]
		isSaid := slices.ContainsFunc(said, func(s string) bool { return s == key || strings.HasPrefix(key, s+".") })
		if isActed == isSaid || len(said) > 1 {
			t.Errorf("%s: acted on %v, said to have no effect: %v", key, isActed, said)
		}
	})
	if n < 45 {
		t.Errorf("only %d settings", n)
	}
}

func eachSetting(key string, v reflect.Value, visit func(string, reflect.Value)) {
	if v.Kind() != reflect.Struct {
		visit(key, v)
		return
	}
	for i := range v.NumField() {
		eachSetting(strings.TrimPrefix(key+"."+v.Type().Field(i).Tag.Get("yaml"), "."), v.Field(i), visit)
	}
}

func change(t *testing.T, key string, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if key != "auth.mode" { // which is what makes others idle
			v.SetString(v.String() + "x")
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	default:
		t.Fatalf("%s is of a kind that this test cannot change", key)
	}
}

func TestSettingsOfServersAreNotIdle(t *testing.T) {
	c := config.Default()
	c.Kafka.Brokers, c.Kafka.TLS.Enabled, c.Kafka.SASL.Username = []string{"kafka:9092"}, true, "meridian"
	if got := idleIn(c); len(got) != 0 {
		t.Errorf("said to have no effect: %v", got)
	}
}

func TestIdleSettingsAreSaidALineEach(t *testing.T) {
	c := config.Default()
	c.Kafka.TLS.Enabled, c.Kafka.SASL.Username = true, "meridian"
	c.APIs.GitHub = []config.GitHubAPI{{Token: "topsecret"}}
	var out bytes.Buffer
	warnOfIdle(c, slog.New(slog.NewTextHandler(&out, nil)))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines, want 2:\n%s", len(lines), out.String())
	}
	for i, want := range []string{"key=kafka.tls", "key=kafka.sasl"} {
		if !strings.Contains(lines[i], want) || !strings.Contains(lines[i], "no effect") {
			t.Errorf("line %d is %q, want %s", i+1, lines[i], want)
		}
	}
	if strings.Contains(out.String(), "topsecret") {
		t.Error("a secret is told")
	}
}

// What serve refuses, `config check` says too.
func TestConfigCheckSaysWhatServeRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		env  map[string]string
		said string
	}{
		{"people whom nothing is given to", map[string]string{"MERIDIAN_AUTH_MODE": "oidc", "MERIDIAN_AUTH_ISSUER": "https://id.example", "MERIDIAN_AUTH_CLIENT_ID": "m"}, "auth.mode oidc needs auth.groups"},
		{"the demo's", map[string]string{"MERIDIAN_AUTH_MODE": "none"}, "auth.mode none is for"},
		{"a metric that is not there", map[string]string{"MERIDIAN_METRICS_DISABLED": "pr_speed"}, `no metric is called "pr_speed"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, value := range c.env {
				t.Setenv(name, value)
			}
			for _, args := range [][]string{{"config", "check"}, {"serve", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir()}} {
				var out, err bytes.Buffer
				code := run(t.Context(), args, streams{in: strings.NewReader(""), out: &out, err: &err})
				if code != exitConfig || !strings.Contains(err.String(), c.said) {
					t.Errorf("%s: exit code %d, said %q; want %d and %q", args[0], code, err.String(), exitConfig, c.said)
				}
			}
		})
	}
}
