package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"meridian/ingest/catalog"
	"meridian/metrics"
	"meridian/storage"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/snapshottest"
	"meridian/streaming/timeline"
)

const (
	asMeridian = "MERIDIAN_TEST_PROCESS" // set in the environment of a test binary that is to be the program
	wrongClock = "MERIDIAN_TEST_CLOCK"   // names a file that says by how much its clock is ahead, at any time
)

// beMeridian is the program as a process of its own, which ends with the test that
// started it, however that ends.
func beMeridian() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(exitError)
	}()
	if file := os.Getenv(wrongClock); file != "" {
		wallClock = func() time.Time {
			text, err := os.ReadFile(file)
			if err != nil {
				panic(err)
			}
			ahead, err := time.ParseDuration(string(text))
			if err != nil {
				panic(err)
			}
			return time.Now().Add(ahead)
		}
	}
	main()
}

// spawn is start, as a process of the operating system.
func (in *instanceTest) spawn(t *testing.T, name, more string, flags ...string) *spawned {
	t.Helper()
	return in.spawnWith(t, nil, name, more, flags...)
}

// spawnWith is spawn with more in its environment.
func (in *instanceTest) spawnWith(t *testing.T, environment []string, name, more string, flags ...string) *spawned {
	t.Helper()
	s, file := in.configured(t, name, more)
	cmd := exec.Command(os.Args[0], append([]string{"serve", "--config", file}, flags...)...)
	cmd.Env = append(append(os.Environ(), asMeridian+"=1"), environment...)
	cmd.Stdout, cmd.Stderr = io.Discard, outputOf(t)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait()
		s.ended <- cmd.ProcessState.ExitCode()
	}()
	p := &spawned{server: s, cmd: cmd}
	s.stop = func() {
		if s.stopped {
			return
		}
		s.stopped = true
		_ = cmd.Process.Signal(os.Interrupt)
		if code := <-s.ended; code != exitOK {
			t.Errorf("%s: exit code %d at the end", name, code)
		}
		stdin.Close()
	}
	t.Cleanup(s.stop)
	return p
}

type spawned struct {
	*server
	cmd *exec.Cmd
}

// kill ends the process as a crash of the machine would, and waits for its end.
func (p *spawned) kill(t *testing.T) {
	t.Helper()
	p.stopped = true
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-p.ended
}

// Three processes compute, on a broker that is a process too. One of them is killed in
// the middle: the others take its shards, with their snapshots. Afterwards the
// tables hold what one process makes of the same log, every version included.
func TestEnginesInThreeProcesses(t *testing.T) {
	if os.Getenv("MERIDIAN_TEST_KAFKA") == "" {
		t.Skip("set MERIDIAN_TEST_KAFKA=host:port of a running Apache Kafka; make e2e-kafka does")
	}
	in := newInstanceTest(t)
	door := in.spawn(t, "door", "", "--roles", "ingest")
	engines := map[string]*spawned{}
	for _, name := range []string{"one", "two", "three"} {
		in.join(t, door.server, name)
		engines[name] = in.spawn(t, name, "", "--roles", "engine")
		if name == "one" {
			engines[name].owned(t, in, 12)
		}
	}
	for _, e := range engines {
		e.owned(t, in, 3)
	}
	n := 0
	send := func(some int) {
		for range some {
			n++
			door.deploy(t, fmt.Sprintf("run-%d", n), fmt.Sprintf("service-%d", n%17))
		}
	}
	send(60)
	// Each shard that has moved by now began from a snapshot of the first process.
	await(t, door.ended, func() error { return in.shards(t, 12, func(s kafka.ShardStatus) bool { return s.Snapshot > 0 }) })
	t.Log("all shards have snapshots; one process is killed")
	engines["one"].kill(t) // the coordinator, which has never been told to stop
	send(60)
	engines["two"].owned(t, in, 4)
	engines["three"].owned(t, in, 4)
	t.Log("the other two have its shards")
	send(20)
	await(t, door.ended, func() error {
		return in.shards(t, 12, func(s kafka.ShardStatus) bool { return s.Snapshot > 0 && s.State == kafka.Running })
	})
	door.kill(t) // from now on nothing comes to the log

	manifests, err := in.ledger(t).manifests()
	if err != nil || len(manifests) != 1 {
		t.Fatalf("%d generations, %v", len(manifests), err)
	}
	want := in.alone(t, manifests[0])
	db, err := storage.Open(storage.Config{Options: in.database.Options(), Embedded: true})
	if err != nil {
		t.Fatal(err)
	}
	await(t, engines["two"].ended, func() error {
		var got []string
		err := db.NewReader().Scan(t.Context(), 1, func(p *metrics.Point) error {
			got = append(got, string(p.AppendJSON(nil)))
			return nil
		})
		slices.Sort(got)
		if err != nil || slices.Equal(got, want) {
			return err
		}
		for i := range max(len(got), len(want)) {
			if at(got, i) != at(want, i) {
				return fmt.Errorf("%d points and %d; the first that differ:\n%s\n%s", len(got), len(want), at(got, i), at(want, i))
			}
		}
		return errors.New("unreachable")
	})
	if len(want) < 300 {
		t.Errorf("only %d points: too few to tell", len(want))
	}
}

// shards reports whether all shards of the engine are as they should be.
func (in *instanceTest) shards(t *testing.T, want int, ok func(kafka.ShardStatus) bool) error {
	control, err := kafka.OpenControl(t.Context(), in.log) // as it is now
	if err != nil {
		return err
	}
	defer control.Close()
	n := 0
	var not []string
	for _, e := range control.All(kafka.ShardKeys) {
		st, err := kafka.DecodeShard(e.Value)
		if err != nil {
			return err
		}
		if st.Stage != "engine" {
			continue
		}
		if n++; !ok(st) {
			not = append(not, st.String())
		}
	}
	if n != want || len(not) > 0 {
		return fmt.Errorf("%d shards, want %d; not as they should be: %s", n, want, strings.Join(not, "; "))
	}
	return nil
}

// alone is the points that one process makes of the log as it is now, each in its
// last version.
func (in *instanceTest) alone(t *testing.T, m streaming.GenerationManifest) []string {
	t.Helper()
	cat, err := catalog.Parse("catalog", []byte("{}"), catalog.Options{Key: in.key(t), Zone: timeline.UTC()})
	if err != nil {
		t.Fatal(err)
	}
	pins, err := pinsOf(m, cat)
	if err != nil {
		t.Fatal(err)
	}
	l := &deliveryLog{Config: in.log, partitions: int32(len(m.First))}
	bounds, err := kafka.Offsets(t.Context(), in.log, l.DeliveriesTopic())
	if err != nil {
		t.Fatal(err)
	}
	for p := range l.partitions {
		m.HistoryOffsets = append(m.HistoryOffsets, bounds[p].End)
	}
	last := map[string]*metrics.Point{}
	past{l, pins, m}.roundByRound(t, &snapshottest.Memory{}, func(_ int32, r metrics.Row) {
		if p, ok := r.(*metrics.Point); ok {
			last[fmt.Sprint(p.Team, "\x00", p.Metric, "\x00", p.Service, "\x00", p.Grain, "\x00", p.Start)] = p
		}
	})
	var points []string
	for _, p := range last {
		points = append(points, string(p.AppendJSON(nil)))
	}
	slices.Sort(points)
	return points
}

// key is the instance's own, of its pseudonyms.
func (in *instanceTest) key(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(in.folder, "one", "instance.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file instanceFile
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	return file.Key
}
