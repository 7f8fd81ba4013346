package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"meridian/web"
)

// join gives a server that is to come the instance's key.
func (in *instanceTest) join(t *testing.T, from *server, name string) {
	t.Helper()
	var data []byte
	await(t, from.ended, func() (err error) {
		data, err = os.ReadFile(filepath.Join(from.dir, "instance.json"))
		return err
	})
	dir := filepath.Join(in.folder, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "instance.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (s *server) lag(t *testing.T) (l lagAnswer, err error) {
	out, err := command(t, "lag", "--json", "--data-dir", s.dir)
	if err == nil {
		err = json.Unmarshal([]byte(out), &l)
	}
	return l, err
}

// owned waits until a server runs n shards of the generation's engine itself.
func (s *server) owned(t *testing.T, in *instanceTest, least int) {
	t.Helper()
	await(t, s.ended, func() error {
		text, err := (&app{}).askAdmin(t.Context(), in.config(s), "GET", "/metrics")
		if err != nil {
			return err
		}
		n := 0
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "meridian_shard_running{") && strings.Contains(line, `stage="engine"`) && strings.HasSuffix(strings.TrimSpace(line), " 1") {
				n++
			}
		}
		if n < least {
			return fmt.Errorf("it runs %d shards, want %d", n, least)
		}
		return nil
	})
}

// One instance over four processes: one takes webhooks, two compute, one shows
// pages. When one of the two ends, the other has all shards, with their state;
// when the coordinator is that one, the other coordinates.
func TestAnInstanceOverFourProcesses(t *testing.T) {
	in := newInstanceTest(t)
	door := in.start(t, "door", "", "--roles", "ingest")
	for _, name := range []string{"one", "two", "web"} {
		in.join(t, door, name)
	}
	one := in.start(t, "one", "", "--roles", "engine")
	one.owned(t, in, 12)
	pages := in.start(t, "web", "", "--roles", "web")
	door.deploy(t, "run-1", "checkout")
	pages.deploys(t, "checkout", 1)

	two := in.start(t, "two", "", "--roles", "engine")
	two.owned(t, in, 4)
	door.deploy(t, "run-2", "checkout")
	pages.deploys(t, "checkout", 2)
	await(t, pages.ended, func() error {
		l, err := pages.lag(t)
		if err == nil && len(l.Shards) != 18 {
			err = fmt.Errorf("the web process knows of %d shards, want 18", len(l.Shards))
		}
		return err
	})
	sources := func() (s web.SourceStatus, err error) {
		text, err := (&app{}).askAdmin(t.Context(), in.config(pages), "GET", "/api/v1/sources")
		if err != nil {
			return s, err
		}
		if !strings.Contains(text, `"accepted":2`) && !strings.Contains(text, `"accepted": 2`) {
			return s, fmt.Errorf("the web process does not know of the deliveries: %s", text)
		}
		return s, nil
	}
	await(t, pages.ended, func() error { _, err := sources(); return err })
	await(t, pages.ended, func() error {
		_, err := (&app{}).askAdmin(t.Context(), in.config(pages), "GET", "/readyz")
		return err
	})

	one.stop() // it was the coordinator
	two.owned(t, in, 12)
	door.deploy(t, "run-3", "checkout")
	pages.deploys(t, "checkout", 3)
	in.writeCatalog(t, "teams: [{name: web, services: [checkout]}]")
	pages.deploys(t, "web", 3)
	door.deploy(t, "run-4", "checkout")
	pages.deploys(t, "web", 4)
}

func TestAProcessWithoutTheInstancesKeyIsRefused(t *testing.T) {
	in := newInstanceTest(t)
	door := in.start(t, "door", "", "--roles", "ingest")
	in.join(t, door, "one")
	await(t, door.ended, func() error {
		_, err := (&app{}).askAdmin(t.Context(), in.config(door), "GET", "/livez")
		return err
	})
	other := in.start(t, "stranger", "archive: {dir: "+t.TempDir()+"}", "--roles", "engine")
	other.refused(t, exitConfig)
}

func TestRolesNeedWhatProcessesShare(t *testing.T) {
	var errs bytes.Buffer
	code := run(t.Context(), []string{"serve", "--roles", "web", "--data-dir", t.TempDir()}, streams{in: bytes.NewReader(nil), out: io.Discard, err: &errs})
	if code != exitUsage || !strings.Contains(errs.String(), "kafka.brokers and clickhouse.dsn") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}
