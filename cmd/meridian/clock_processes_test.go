package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"meridian/ingest"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// setClock sets the clock of a process that was spawned with the file. It is replaced
// as a whole, since the process reads it at any moment.
func setClock(t *testing.T, file, ahead string) {
	t.Helper()
	if err := os.WriteFile(file+".new", []byte(ahead), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
}

// ready waits until a server's /readyz has the status, with a word of its clock.
func (s *server) ready(t *testing.T, in *instanceTest, want bool, word string) {
	t.Helper()
	await(t, s.ended, func() error {
		text, err := (&app{}).askAdmin(t.Context(), in.config(s), "GET", "/readyz")
		if err != nil {
			text = err.Error()
		}
		if (err == nil) != want || !strings.Contains(text, word) {
			return fmt.Errorf("/readyz: %s; want ready %v, and %q", text, want, word)
		}
		return nil
	})
}

// highestTick is that of the whole log.
func (in *instanceTest) highestTick(t *testing.T) timeline.Millis {
	t.Helper()
	m, any, err := in.ledger(t).course()
	if err != nil || !any {
		t.Fatalf("no generation, %v", err)
	}
	ticks, err := ticksOf(t.Context(), &deliveryLog{Config: in.log, archive: kafka.OpenArchive(t.TempDir(), nil), partitions: int32(len(m.First))})
	if err != nil {
		t.Fatal(err)
	}
	return ticks.highest
}

// Three processes: two take webhooks, one of them with a wrong clock; one computes and
// shows pages. What comes to either is counted. The wrong one gives no tick, and says
// why on /readyz, whether its clock is behind the other's, is set while it runs, or is
// set right without anybody vouching for it; `meridian clock trust` vouches.
func TestAnIngesterWhoseClockIsWrong(t *testing.T) {
	if os.Getenv("MERIDIAN_TEST_KAFKA") == "" {
		t.Skip("set MERIDIAN_TEST_KAFKA=host:port of a running Apache Kafka; make e2e-kafka does")
	}
	in := newInstanceTest(t)
	right := in.spawn(t, "right", "", "--roles", "ingest")
	in.join(t, right.server, "pages")
	pages := in.spawn(t, "pages", "", "--roles", "engine,web")
	right.deploy(t, "run-1", "checkout")
	pages.deploys(t, "checkout", 1)
	right.ready(t, in, true, "")

	in.join(t, right.server, "wrong")
	clock := filepath.Join(in.folder, "clock")
	setClock(t, clock, "-1h")
	wrong := in.spawnWith(t, []string{wrongClock + "=" + clock}, "wrong", "", "--roles", "ingest")
	wrong.ready(t, in, false, "this machine's clock shows")
	wrong.deploy(t, "run-2", "checkout") // taken all the same; the other's ticks count it
	right.deploy(t, "run-3", "checkout")
	pages.deploys(t, "checkout", 3)
	right.ready(t, in, true, "")
	t.Log("an hour behind: no ticks, an alarm, nothing lost")

	setClock(t, clock, "0s")
	wrong.ready(t, in, false, "was set ahead by 1h")
	if out, err := command(t, "clock", "trust", "--data-dir", wrong.dir); err != nil || !strings.Contains(out, "trusted") {
		t.Errorf("clock trust: %q, %v", out, err)
	}
	wrong.ready(t, in, true, "")
	right.kill(t)
	wrong.deploy(t, "run-4", "checkout") // its own ticks count it: there are no others
	pages.deploys(t, "checkout", 4)
	t.Log("set right and trusted: it ticks")

	setClock(t, clock, "48h")
	wrong.ready(t, in, false, "was set ahead by")
	wrong.deploy(t, "run-5", "checkout") // dated by a right clock, it is no witness for this one
	wrong.ready(t, in, false, "was set ahead by")
	if tick := in.highestTick(t); tick > timeline.FromTime(time.Now().Add(time.Second)) {
		t.Errorf("a tick at %s is on the log, and cannot be taken back", tick)
	}
	setClock(t, clock, "0s") // now it agrees again with the time that has passed, which needs nobody's word
	wrong.ready(t, in, true, "")
	pages.deploys(t, "checkout", 5)
	t.Log("two days ahead: no ticks; set right: everything is counted")
	if tick := in.highestTick(t); tick > timeline.FromTime(time.Now().Add(time.Second)) {
		t.Errorf("a tick at %s is on the log", tick)
	}
	in.logged(t, 5)
}

// logged wants so many deliveries on the log.
func (in *instanceTest) logged(t *testing.T, want int) {
	t.Helper()
	m, _, err := in.ledger(t).course()
	if err != nil {
		t.Fatal(err)
	}
	bounds, err := kafka.Offsets(t.Context(), in.log, in.log.DeliveriesTopic())
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]bool{} // one that was not acknowledged in time may be there twice
	for p := range int32(len(m.First)) {
		if bounds[p].End == bounds[p].Start {
			continue
		}
		reader, err := kafka.Log{Config: in.log, Topic: in.log.DeliveriesTopic()}.Open(t.Context(), p, bounds[p].Start)
		if err != nil {
			t.Fatal(err)
		}
		for next := bounds[p].Start; next < bounds[p].End; {
			records, err := reader.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range records {
				e, err := ingest.DecodeEntry(r.Value)
				if err != nil {
					t.Fatal(err)
				}
				if next = r.Offset + 1; e.Delivery != nil {
					bodies[string(e.Delivery.Delivery.Body)] = true
				}
			}
		}
		reader.Close()
	}
	if len(bodies) != want {
		t.Errorf("%d deliveries are on the log, want %d", len(bodies), want)
	}
}
