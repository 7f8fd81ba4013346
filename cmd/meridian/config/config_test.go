package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"meridian/streaming/timeline"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "meridian.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestNothingIsTheDefault(t *testing.T) {
	c, err := Load("", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(c, Default()) {
		t.Errorf("got %+v", c)
	}
}

func TestFlagOverEnvironmentOverFileOverDefault(t *testing.T) {
	path := write(t, "listen: 127.0.0.1:1\ndata_dir: file\nzone: Asia/Tokyo\n")
	c, err := Load(path, []string{"MERIDIAN_LISTEN=127.0.0.1:2", "MERIDIAN_DATA_DIR=env", "HOME=/"}, func(c *Config) { c.Listen = "127.0.0.1:3" })
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:3" || c.DataDir != "env" || c.Zone != "Asia/Tokyo" || c.Catalog != "catalog.yaml" {
		t.Errorf("got listen %s, data_dir %s, zone %s, catalog %s", c.Listen, c.DataDir, c.Zone, c.Catalog)
	}
}

func TestEnvironmentHoldsListsAndSecretsInFiles(t *testing.T) {
	secret := write(t, "https://u:p@h:8443/db\n")
	c, err := Load("", []string{
		"MERIDIAN_KAFKA_BROKERS=a:9092, b:9092",
		"MERIDIAN_SOURCES_GITHUB=[{name: acme, secrets: [s1, s2]}]",
		"MERIDIAN_TIME_BOUNDS_JIRA=20m",
		"MERIDIAN_CLICKHOUSE_DSN_FILE=" + secret,
		"MERIDIAN_CHDB_LIB=/somewhere",
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Kafka.Brokers; !reflect.DeepEqual(got, []string{"a:9092", "b:9092"}) {
		t.Errorf("brokers %q", got)
	}
	if got := c.Sources.GitHub; !reflect.DeepEqual(got, []Source{{Name: "acme", Secrets: []string{"s1", "s2"}}}) {
		t.Errorf("sources %+v", got)
	}
	if c.Time.Bounds.Jira.Millis() != 20*timeline.Minute || c.ClickHouse.DSN != "https://u:p@h:8443/db" {
		t.Errorf("bound %v, dsn %q", c.Time.Bounds.Jira, c.ClickHouse.DSN)
	}
}

func TestAllProblemsAtOnceWithTheirPlaces(t *testing.T) {
	path := write(t, `listen: nowhere
lisen: 127.0.0.1:80
zone: Mars/Olympus
sources:
  github:
    - {name: acme}
    - {name: Acme, secrets: [s], verify: md5}
time:
  horizon: 30d
  bounds: {github: fast}
replay: {memory: lots, max_procs: many}
kafka: {topic_prefix: "a b"}
`)
	_, err := Load(path, []string{"MERIDIAN_LISTN=x", "MERIDIAN_PRIVACY_MIN_PEOPLE=1"}, nil)
	var ps Problems
	if !errors.As(err, &ps) {
		t.Fatalf("got %v", err)
	}
	text := strings.ReplaceAll(err.Error(), path, "FILE")
	for _, want := range []string{
		`FILE:2: unknown key "lisen"; did you mean listen?`,
		`FILE:1: listen: "nowhere" is no address`,
		`FILE:3: zone: `,
		`FILE:6: sources.github[0]: needs a secret`,
		`FILE:7: sources.github[1]: name "Acme"`,
		`FILE:7: sources.github[1]: verify "md5" is unknown`,
		`FILE:9: time.horizon: 30d is too short`,
		`FILE:10: "fast" is not a length of time`,
		`FILE:11: "lots" is not an amount of memory`,
		"FILE:11: str `many` where a whole number is expected",
		`FILE:12: kafka.topic_prefix: "a b"`,
		`MERIDIAN_LISTN: no such key; did you mean MERIDIAN_LISTEN?`,
		`MERIDIAN_PRIVACY_MIN_PEOPLE: privacy.min_people: at least 2`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q in:\n%s", want, text)
		}
	}
	if len(ps) != 13 {
		t.Errorf("%d problems, want 13:\n%s", len(ps), text)
	}
}

func TestShowHidesSecretsAndReadsBack(t *testing.T) {
	c := Default()
	c.Sources.GitHub = []Source{{Name: "acme", Secrets: []string{"topsecret"}}}
	c.Sources.Deploy = []Source{{Name: "ci", Verify: "bearer", Secrets: []string{"topsecret"}}}
	c.ClickHouse.DSN = "http://user:topsecret@host:8123/db"
	c.Kafka.SASL.Password = "topsecret"
	c.APIs.Jira = []JiraAPI{{URL: "https://x", Token: "topsecret"}}
	out, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "topsecret") {
		t.Errorf("a secret is shown:\n%s", out)
	}
	for _, want := range []string{"verify: hmac", "limit: 25MiB", "verify: bearer", "limit: 10MiB"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not say %q, which is in force:\n%s", want, out)
		}
	}
	if c.Sources.GitHub[0].Secrets[0] != "topsecret" {
		t.Error("showing changed the configuration itself")
	}
	back, err := Load(write(t, string(out)), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := yaml.Marshal(back); string(again) != string(out) {
		t.Errorf("read back as\n%s\nfrom\n%s", again, out)
	}
}

func TestEveryKeyHasAYAMLName(t *testing.T) {
	c := Default()
	n := 0
	fields(&c, func(path string, _ reflect.Value) {
		n++
		if path == "" || strings.HasSuffix(path, ".") || strings.Contains(path, "..") {
			t.Errorf("a field without a name: %q", path)
		}
	})
	if n < 40 {
		t.Errorf("only %d keys", n)
	}
}

func TestLimitsOfSources(t *testing.T) {
	for limit, ok := range map[string]bool{"1KiB": true, "25MiB": true, "0B": true, "26MiB": false, "1023B": false} {
		c, err := Load(write(t, "sources: {deploy: [{secrets: [s], limit: "+limit+"}]}"), nil, nil)
		if (err == nil) != ok {
			t.Errorf("a limit of %s: %v", limit, err)
		}
		if limit == "25MiB" && c.Sources.Deploy[0].Limit != 25<<20 {
			t.Errorf("read as %d", c.Sources.Deploy[0].Limit)
		}
	}
}

func TestUnreadableFile(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "none.yaml"), nil, nil)
	if err == nil || !strings.Contains(err.Error(), "cannot read the configuration file") {
		t.Errorf("got %v", err)
	}
}
