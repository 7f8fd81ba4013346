package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"meridian/cmd/meridian/demo"
	"meridian/ingest"
	"meridian/storage/embedded/embeddedtest"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// testInstance is where an instance of a test lives.
type testInstance struct {
	dir, config string
	shards      int // of its engine
}

// newTestInstance writes a configuration; more is further YAML of it.
func newTestInstance(t *testing.T, catalog []byte, shards int, more string) testInstance {
	t.Helper()
	folder := t.TempDir()
	in := testInstance{dir: filepath.Join(folder, "data"), config: filepath.Join(folder, "meridian.yaml"), shards: shards}
	text := fmt.Sprintf("listen: 127.0.0.1:0\ndata_dir: %s\ncatalog: %s\nsources: {deploy: [{name: ci, secrets: [zebra]}]}\n%s", in.dir, filepath.Join(folder, "catalog.yaml"), more)
	for path, data := range map[string][]byte{in.config: []byte(text), filepath.Join(folder, "catalog.yaml"): catalog} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

// outputOf is the test's output until it ends. Kafka's client may have a word to say
// after it was closed.
func outputOf(t testing.TB) io.Writer {
	w := &untilEnd{to: t.Output()}
	t.Cleanup(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.to = io.Discard
	})
	return w
}

type untilEnd struct {
	mu sync.Mutex
	to io.Writer
}

func (w *untilEnd) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(b)
}

// command runs one of meridian's, which has to work, and returns what it prints.
func (in testInstance) command(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if code := run(t.Context(), append(args, "--config", in.config), streams{in: strings.NewReader(""), out: &out, err: outputOf(t)}); code != exitOK {
		t.Fatalf("meridian %s: exit code %d", strings.Join(args, " "), code)
	}
	return out.String()
}

// serve runs the instance until its rows are there up to a clock and do has
// returned.
func (in testInstance) serve(t *testing.T, upTo timeline.Millis, do func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--config", in.config}, streams{in: strings.NewReader(""), out: io.Discard, err: outputOf(t)})
	}()
	defer func() {
		stop()
		if code := <-ended; code != exitOK {
			t.Errorf("serve: exit code %d at the end", code)
		}
	}()
	await(t, ended, func() error {
		if _, err := os.Stat(filepath.Join(in.dir, adminSocket)); err != nil {
			return err // without a server the question would open the instance itself, and keep the server out
		}
		shards, clock, err := in.progress(ctx)
		if err == nil && (shards != in.shards || clock != upTo) {
			err = fmt.Errorf("%d shards have told their rows up to %s, not yet %d up to %s", shards, clock, in.shards, upTo)
		}
		return err
	})
	do()
}

// progress is how many shards of the live generation have told rows to the database,
// and the instant up to which all of these have. A server has to be running.
func (in testInstance) progress(ctx context.Context) (shards int, clock timeline.Millis, err error) {
	var out bytes.Buffer
	const question = "SELECT count(), toUnixTimestamp64Milli(min(clock)) FROM progress FINAL WHERE generation = (SELECT argMax(generation, sequence) FROM generations FINAL)"
	if code := run(ctx, []string{"sql", "--config", in.config, "--format", "TabSeparated", question}, streams{in: strings.NewReader(""), out: &out, err: io.Discard}); code != exitOK {
		return 0, 0, fmt.Errorf("sql: exit code %d", code)
	}
	_, err = fmt.Sscan(out.String(), &shards, &clock)
	return shards, clock, err
}

// rows is every row of every table that readers see, but for places on the log.
func (in testInstance) rows(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for table, columns := range map[string]string{
		"points": "* EXCEPT state, hex(state) AS state", "observations": "* EXCEPT person, hex(person) AS person", "quality": "*",
		"rejects": "* EXCEPT (origin_partition, origin_offset, origin_ordinal, id), hex(id) AS id", "coverage": "*",
	} {
		all[table] = in.command(t, "sql", "--json", fmt.Sprintf("SELECT %s FROM %s_live FINAL ORDER BY ALL", columns, table))
	}
	return all
}

func sameRows(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for table := range want {
		g, w := strings.Split(got[table], "\n"), strings.Split(want[table], "\n")
		if len(g) != len(w) {
			t.Errorf("%s: %d rows of %s, want %d", what, len(g)-1, table, len(w)-1)
		}
		for i := range min(len(g), len(w)) {
			if g[i] != w[i] {
				t.Errorf("%s: row %d of %s is\n%s\nwant\n%s", what, i, table, g[i], w[i])
				break
			}
		}
	}
}

// organisation writes the first deliveries of the demo's history to a file, and
// returns it with its catalog and the last tick that it gets.
func organisation(t *testing.T, deliveries int) (file string, catalog []byte, last timeline.Millis) {
	t.Helper()
	org := demo.New(1, 1_772_445_600_000)
	var text bytes.Buffer
	out := ingest.NewArchiveWriter(&text)
	for line := range org.History() {
		if deliveries--; deliveries < 0 {
			break
		}
		lines := []ingest.ArchiveLine{line}
		if deliveries%100 == 0 { // and some that count for nothing: a copy, one of tomorrow, one that nobody can read
			early := fmt.Sprintf(`{"id": "run-%d", "service": "checkout", "environment": "production", "status": "success", "finished_at": "2030-01-01T00:00:00Z"}`, deliveries)
			for _, body := range []string{early, `{"id": "run-1"`} {
				lines = append(lines, ingest.ArchiveLine{Delivery: &ingest.Delivery{Provider: "deploy", Name: "ci", Received: line.Delivery.Received, Body: []byte(body)}})
			}
			lines = append(lines, line)
		}
		for _, line := range lines {
			if err := out.Write(line); err != nil {
				t.Fatal(err)
			}
		}
		last = (line.Delivery.Received + 499) / 500 * 500
	}
	file = filepath.Join(t.TempDir(), "history.jsonl")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, org.Catalog(), last
}

// archiveLines are the lines of an archive without their places on a log, sorted
// inside each round: those of one instant come in any order.
func archiveLines(t *testing.T, path string) (lines []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ingest.NewArchiveReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	round := 0
	for {
		line, err := r.Next()
		if err == io.EOF || line.IsTick() {
			slices.Sort(lines[round:])
			round = len(lines) + 1
		}
		if err == io.EOF {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		line.Placed = false
		var text bytes.Buffer
		if err := ingest.NewArchiveWriter(&text).Write(line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, text.String())
	}
}

// An archive with its ticks moves an instance from one that runs everything itself
// to brokers and a database of one's own, and back. Every row is then what it was:
// values, evidence, pseudonyms, versions.
func TestAnArchiveMovesAnInstance(t *testing.T) {
	history, catalog, last := organisation(t, 300)
	folder := t.TempDir()

	home := newTestInstance(t, catalog, kafka.EmbeddedEvents, "")
	if said := home.command(t, "import", history, "--json"); !strings.Contains(said, `"deliveries":309,`) {
		t.Errorf("import says %s", said)
	}
	first := filepath.Join(folder, "first.jsonl.zst")
	var want map[string]string
	home.serve(t, last, func() {
		want = home.rows(t)
		home.command(t, "export", first)
	})
	if n := strings.Count(want["points"], "\n"); n < 500 || want["observations"] == "" || want["rejects"] == "" {
		t.Fatalf("%d points; the organisation tells too little", n)
	}

	broker, err := kafka.StartBroker(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(broker.Close)
	database := embeddedtest.Config(t, t.TempDir())
	database.TCP = "127.0.0.1:0"
	clickhouse := embeddedtest.Run(t, database)
	login := broker.Config("")
	served := newTestInstance(t, catalog, kafka.ServedEvents, fmt.Sprintf("kafka: {brokers: [%q], sasl: {mechanism: plain, username: %s, password: %q}}\nclickhouse: {dsn: \"http://%s/meridian\"}\n",
		login.Brokers[0], login.SASL.User, login.SASL.Password, clickhouse.Addr()))
	served.command(t, "import", first, "--key", filepath.Join(home.dir, "instance.json"))
	second := filepath.Join(folder, "second.jsonl.gz")
	served.serve(t, last, func() {
		sameRows(t, "on brokers and a database of one's own", served.rows(t), want)
		served.command(t, "export", second)
	})

	back := newTestInstance(t, catalog, kafka.EmbeddedEvents, "")
	back.command(t, "import", second, "--key", filepath.Join(home.dir, "instance.json"))
	third := filepath.Join(folder, "third.jsonl")
	back.command(t, "export", third) // from a stopped instance
	back.serve(t, last, func() { sameRows(t, "and back", back.rows(t), want) })

	lines := archiveLines(t, first)
	for name, file := range map[string]string{"second": second, "third": third} {
		got := archiveLines(t, file)
		if len(got) != len(lines) {
			t.Fatalf("the %s archive has %d lines, want %d", name, len(got), len(lines))
		}
		for i := range got {
			if got[i] != lines[i] {
				t.Fatalf("line %d of the %s archive is\n%swant\n%s", i+1, name, got[i], lines[i])
			}
		}
	}
}
