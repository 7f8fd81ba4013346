package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"meridian/storage/embedded/embeddedtest"
	"meridian/streaming/kafka"
)

// An instance on brokers of one's own whose brokers are lost is put back as docs/data.md
// says: its exported log on new ones, under a database that was restored. A generation is
// computed that says the same, and what only generation 0 has is there as before.
func TestALogIsPutBackUnderItsTables(t *testing.T) {
	history, catalog, last := organisation(t, 100)
	database := embeddedtest.Config(t, t.TempDir())
	database.TCP = "127.0.0.1:0"
	clickhouse := embeddedtest.Run(t, database)
	served := func() testInstance {
		t.Helper()
		broker, err := kafka.StartBroker(t.TempDir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(broker.Close)
		login := broker.Config("")
		return newTestInstance(t, catalog, kafka.ServedEvents, fmt.Sprintf("kafka: {brokers: [%q], sasl: {mechanism: plain, username: %s, password: %q}}\nclickhouse: {dsn: \"http://%s/meridian\"}\n",
			login.Brokers[0], login.SASL.User, login.SASL.Password, clickhouse.Addr()))
	}
	const says = "SELECT metric, team, service, grain, start, n, value FROM points_live FINAL WHERE generation = (SELECT argMax(generation, sequence) FROM generations FINAL) ORDER BY ALL"
	const keeps = "SELECT * EXCEPT state, hex(state) FROM points_live FINAL WHERE generation = 0 ORDER BY ALL"
	log := filepath.Join(t.TempDir(), "log.jsonl.zst")
	var said, kept string
	old := served()
	old.command(t, "import", history)
	current := func(in testInstance) string {
		return strings.TrimSpace(in.command(t, "sql", "--format", "TabSeparated", "SELECT argMax(generation, sequence) FROM generations FINAL"))
	}
	old.serve(t, last, func() {
		// Its numbers are of a second generation, by a catalog that says a little more.
		more := filepath.Join(t.TempDir(), "catalog.yaml")
		if err := os.WriteFile(more, append(slices.Clone(catalog), "\n---\nstatuses: {done: [\"Nobody calls it so\"]}\n"...), 0o600); err != nil {
			t.Fatal(err)
		}
		old.command(t, "catalog", "apply", more)
		await(t, make(chan int), func() error {
			if g := current(old); g != "2" {
				return fmt.Errorf("readers see generation %s", g)
			}
			return nil
		})
		said = old.command(t, "sql", says)
		// As after a month was trimmed, of which the log knows nothing any more.
		old.command(t, "sql", "--write", "INSERT INTO points_live SELECT * REPLACE (toUInt32(0) AS generation, start - INTERVAL 1 YEAR AS start, end - INTERVAL 1 YEAR AS end) FROM points_live FINAL WHERE grain = 'day'")
		old.command(t, "sql", "--write", "INSERT INTO border (one, history_from) SELECT 1, toStartOfYear(min(start)) FROM points_live WHERE generation != 0")
		kept = old.command(t, "sql", keeps)
		old.command(t, "export", log)
	})
	if strings.Count(said, "\n") < 300 || strings.Count(kept, "\n") < 20 {
		t.Fatalf("%d points, %d of generation 0", strings.Count(said, "\n"), strings.Count(kept, "\n"))
	}

	back := served()
	back.command(t, "import", log, "--key", filepath.Join(old.dir, "instance.json"))
	back.serve(t, last, func() {
		await(t, make(chan int), func() error {
			if g := current(back); g != "3" {
				return fmt.Errorf("readers see generation %s, of the log that is gone", g)
			}
			return nil
		})
		if got := back.command(t, "sql", says); got != said {
			t.Errorf("it says\n%.2000s\nand said\n%.2000s", got, said)
		}
		if got := back.command(t, "sql", keeps); got != kept {
			t.Errorf("generation 0 is\n%.2000s\nand was\n%.2000s", got, kept)
		}
		lines := back.command(t, "export", "--what", "points", "-")
		if n := strings.Count(lines, "\n"); n != strings.Count(said, "\n")+strings.Count(kept, "\n")-2 { // less two lines of names
			t.Errorf("readers see %d points, want those of the log and those that were kept", n)
		}
	})
}
