package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"meridian/cmd/meridian/config"
	"meridian/storage/embedded"
	"meridian/storage/embedded/embeddedtest"
	"meridian/streaming"
	"meridian/streaming/kafka"
)

// instanceTest is what several servers of one instance share: a broker and a
// database, which are those that are embedded elsewhere, reached over TCP.
type instanceTest struct {
	log      kafka.Config
	database *embedded.Server
	folder   string
	catalog  string
}

func newInstanceTest(t testing.TB) *instanceTest {
	t.Helper()
	log := kafka.Config{Prefix: "acme"}
	if addr := os.Getenv("MERIDIAN_TEST_KAFKA"); addr != "" { // a real one, as make kafka-start starts
		log.Brokers, log.Prefix = strings.Split(addr, ","), "test-"+strings.ToLower(rand.Text()[:12])
	} else {
		broker, err := kafka.StartBroker(t.TempDir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(broker.Close)
		log = broker.Config("acme")
		log.Embedded = false
	}
	c := embeddedtest.Config(t, t.TempDir())
	c.TCP = "127.0.0.1:0"
	in := &instanceTest{log: log, database: embeddedtest.Run(t, c), folder: t.TempDir()}
	in.catalog = filepath.Join(in.folder, "catalog.yaml")
	in.writeCatalog(t, "{}")
	return in
}

func (in *instanceTest) writeCatalog(t testing.TB, text string) {
	t.Helper()
	if err := writeFileSynced(in.catalog, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// control reads what the instance says of its generations.
func (in *instanceTest) ledger(t *testing.T) ledger {
	t.Helper()
	control, err := kafka.OpenControl(t.Context(), in.log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(control.Close)
	return ledger{control}
}

func (in *instanceTest) live(t *testing.T) streaming.Generation {
	l := in.ledger(t)
	turn, err := l.live()
	if err != nil {
		t.Fatal(err)
	}
	return turn.Generation
}

// server is one `meridian serve`.
type server struct {
	dir     string
	webhook string
	socket  string
	ended   chan int
	stop    func()
	stopped bool
}

// configured is a server that is to be started, with a data directory of its own and
// its configuration; more is added to that.
func (in *instanceTest) configured(t testing.TB, name, more string) (s *server, file string) {
	t.Helper()
	if !strings.Contains(more, "archive:") {
		more += "\narchive: {dir: " + filepath.Join(in.folder, "archive") + "}"
	}
	sasl := ""
	if login := in.log.SASL; login.User != "" {
		sasl = fmt.Sprintf(", sasl: {mechanism: plain, username: %s, password: %q}", login.User, login.Password)
	}
	s = &server{dir: filepath.Join(in.folder, name), webhook: freeAddress(t), ended: make(chan int, 1)}
	s.socket = filepath.Join(s.dir, adminSocket)
	file = filepath.Join(in.folder, name+".yaml")
	text := fmt.Sprintf(`listen: 127.0.0.1:0
data_dir: %s
webhook_listen: %s
catalog: %s
sources: {deploy: [{name: ci, secrets: [zebra]}]}
kafka: {brokers: [%q], topic_prefix: %s%s}
clickhouse: {dsn: "http://%s/meridian"}
%s
`, s.dir, s.webhook, in.catalog, in.log.Brokers[0], in.log.Prefix, sasl, in.database.Addr(), more)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return s, file
}

// start starts a server in this process.
func (in *instanceTest) start(t testing.TB, name, more string, flags ...string) *server {
	t.Helper()
	s, file := in.configured(t, name, more)
	s.serves(t, name, file, flags...)
	return s
}

// serves runs one that is configured, in this process.
func (s *server) serves(t testing.TB, name, file string, flags ...string) {
	t.Helper()
	s.runs(t, name, func(ctx context.Context) int {
		return run(ctx, append([]string{"serve", "--config", file}, flags...), streams{in: bytes.NewReader(nil), out: io.Discard, err: outputOf(t)})
	})
}

// startWith starts one whose coordinator a test changes.
func (in *instanceTest) startWith(t *testing.T, name, more string, change func(*coordinator)) *server {
	t.Helper()
	s, file := in.configured(t, name, more)
	a := &app{streams: streams{in: bytes.NewReader(nil), out: io.Discard, err: outputOf(t)}, configFile: file, log: slog.New(slog.NewTextHandler(outputOf(t), nil))}
	s.runs(t, name, func(ctx context.Context) int {
		c, err := a.config(nil)
		if err == nil {
			err = a.serve(ctx, c, machineOptions{roles: roles{true, true, true}, coordinating: change})
		}
		return codeOf(err)
	})
	return s
}

// runs runs a server until the test ends, or stop is called.
func (s *server) runs(t testing.TB, name string, serve func(context.Context) int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	go func() { s.ended <- serve(ctx) }()
	s.stop = func() {
		if s.stopped {
			return
		}
		s.stopped = true
		cancel()
		if code := <-s.ended; code != exitOK {
			t.Errorf("%s: exit code %d at the end", name, code)
		}
	}
	t.Cleanup(s.stop)
}

// refused waits for the server to end by itself.
func (s *server) refused(t *testing.T, want int) {
	t.Helper()
	s.stopped = true
	select {
	case code := <-s.ended:
		if code != want {
			t.Errorf("exit code %d, want %d", code, want)
		}
	case <-time.After(hang):
		t.Fatal("it was not refused")
	}
}

// deploy sends a deployment of a service.
func (s *server) deploy(t *testing.T, id, service string) {
	t.Helper()
	body := fmt.Appendf(nil, `{"id": %q, "service": %q, "environment": "production", "status": "success", "finished_at": %q}`, id, service, time.Now().UTC().Truncate(time.Second).Format(time.RFC3339))
	await(t, s.ended, func() error { return deliver("http://"+s.webhook+"/webhooks/deploy/ci", "zebra", body) })
}

// deploys waits until a team has n deployments in this hour or the one before.
func (s *server) deploys(t *testing.T, team string, n int64) {
	t.Helper()
	await(t, s.ended, func() error {
		points, err := pointsOver(s.socket, "metric=deploy_frequency&grain=hour&service=&team="+team)
		if err != nil {
			return err
		}
		have := int64(0)
		for _, p := range points {
			have += p.N
		}
		if have != n {
			return fmt.Errorf("%s has %d deployments, want %d", team, have, n)
		}
		return nil
	})
}

// A catalog that changes while the server runs begins a generation by itself. It
// computes history and goes on from there, and takes over; a restart goes on with
// it; and the one it replaced is kept, and no more than that.
func TestAChangedCatalogBeginsAGenerationWhileTheServerRuns(t *testing.T) {
	in := newInstanceTest(t)
	s := in.start(t, "one", "")
	s.deploy(t, "run-1", "checkout")
	s.deploys(t, "checkout", 1)
	in.writeCatalog(t, "teams: [{name: web, services: [checkout]}]")
	s.deploys(t, "web", 1)
	s.deploy(t, "run-2", "checkout")
	s.deploys(t, "web", 2)
	if g := in.live(t); g != 2 {
		t.Errorf("generation %d is live, want 2", g)
	}
	s.stop()

	s = in.start(t, "one", "")
	s.deploy(t, "run-3", "checkout")
	s.deploys(t, "web", 3)
	if g := in.live(t); g != 2 {
		t.Errorf("after a restart generation %d is live, want 2", g)
	}
	in.writeCatalog(t, "teams: [{name: web, services: [") // not taken, and said
	in.writeCatalog(t, "teams: [{name: shop, services: [checkout]}]")
	s.deploys(t, "shop", 3)
	l := in.ledger(t)
	turn, err := l.live()
	if err != nil || turn.Generation != 3 || fmt.Sprint(turn.Before) != "[2 1]" {
		t.Errorf("turn %+v, %v", turn, err)
	}
	all, err := l.manifests()
	if err != nil || len(all) != 3 || !strings.Contains(all[2].Reason, "the catalog has changed") || all[2].HistoryEnd == 0 {
		t.Errorf("%d manifests, %v: %+v", len(all), err, all)
	}
}

// With generations.promote: manual readers keep the old numbers, which go on,
// until somebody asks.
func TestAGenerationThatWaitsToBePromoted(t *testing.T) {
	in := newInstanceTest(t)
	s := in.start(t, "one", "generations: {promote: manual}")
	s.deploy(t, "run-1", "checkout")
	s.deploys(t, "checkout", 1)
	in.writeCatalog(t, "teams: [{name: web, services: [checkout]}]")
	await(t, s.ended, func() error {
		l := in.ledger(t)
		all, err := l.manifests()
		if err != nil || len(all) != 2 || !l.following(all[1]) {
			return fmt.Errorf("%d generations, %v", len(all), err)
		}
		return nil
	})
	s.deploy(t, "run-2", "checkout")
	s.deploys(t, "checkout", 2) // the old one goes on beside it
	if g := in.live(t); g != 1 {
		t.Errorf("generation %d is live, want 1", g)
	}
	l := in.ledger(t)
	if err := l.ask(t.Context(), wish{Promote: 2}); err != nil {
		t.Fatal(err)
	}
	s.deploys(t, "web", 2)
	if err := l.ask(t.Context(), wish{Begin: "a test asks for it"}); err != nil {
		t.Fatal(err)
	}
	await(t, s.ended, func() error {
		all, err := in.ledger(t).manifests()
		if err != nil || len(all) != 3 || all[2].Reason != "a test asks for it" {
			return fmt.Errorf("%d generations, %v", len(all), err)
		}
		return nil
	})
}

func (in *instanceTest) config(s *server) config.Config {
	c := config.Default()
	c.DataDir = s.dir
	return c
}

// command runs one and returns what it printed.
func command(t testing.TB, args ...string) (string, error) {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(t.Context(), args, streams{in: bytes.NewReader(nil), out: &out, err: &errs}); code != exitOK {
		return out.String(), fmt.Errorf("exit code %d: %s", code, errs.String())
	}
	return out.String(), nil
}
