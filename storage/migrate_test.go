package storage

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"meridian/metrics"
	"meridian/migrations"
	"meridian/storage/embedded/embeddedtest"
	"meridian/streaming/timeline"
)

var update = flag.Bool("update", false, "write the golden files anew")

// tables lists all of ours.
func tables(t testing.TB, d *Database) (names []string) {
	t.Helper()
	rows, err := d.conn.Query(t.Context(), "SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// schema is what SHOW CREATE says of every table.
func schema(t testing.TB, d *Database) string {
	t.Helper()
	var b strings.Builder
	for _, name := range tables(t, d) {
		var create string
		if err := d.conn.QueryRow(t.Context(), "SHOW CREATE TABLE "+name).Scan(&create); err != nil {
			t.Fatal(err)
		}
		b.WriteString(create)
		b.WriteString(";\n\n")
	}
	return strings.ReplaceAll(b.String(), "meridian.", "")
}

func TestSchemaAfterAllMigrations(t *testing.T) {
	d, _ := open(t, synced)
	got := schema(t, d)
	const golden = "testdata/schema.golden.sql"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the schema is not %s; run with -update and review the difference:\n%s", golden, got)
	}
}

func TestMigrateTwiceDoesNothing(t *testing.T) {
	d := openOn(t, embeddedtest.Start(t), nil)
	ran, err := d.Migrate(t.Context())
	if err != nil || len(ran) == 0 {
		t.Fatalf("first: ran %v, %v", ran, err)
	}
	before := schema(t, d)
	ran, err = d.Migrate(t.Context())
	if err != nil || len(ran) != 0 {
		t.Errorf("second: ran %v, %v; want nothing", ran, err)
	}
	is(t, "schema", schema(t, d), before)
}

// A migration that was cut off leaves some of its tables and no version.
func TestMigrateGoesOnAfterAnInterruption(t *testing.T) {
	d, _ := open(t, nil)
	want := schema(t, d)
	write(t, d, Live, merged("web", at(9, 0), 3, version(1, at(10, 0))))
	exec(t, d, "DROP TABLE progress SYNC")
	exec(t, d, "DROP TABLE rejects_replay SYNC")
	exec(t, d, "TRUNCATE TABLE goose_db_version")
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	is(t, "schema", schema(t, d), want)
	is(t, "rows that were there", count(t, d, "SELECT count() FROM points_live"), 1)
}

func TestNewerSchemaIsRefused(t *testing.T) {
	d, _ := open(t, nil)
	exec(t, d, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (90000, 1)")
	_, err := d.Migrate(t.Context())
	if !errors.Is(err, ErrNewerSchema) || !strings.Contains(err.Error(), "90000") {
		t.Errorf("got %v, want ErrNewerSchema and the version", err)
	}
}

// A database of any earlier version comes to the schema of today, with the rows
// that it had.
func TestUpgradeFromEveryVersion(t *testing.T) {
	fresh, _ := open(t, synced)
	want := schema(t, fresh)
	provider, db, err := fresh.provider()
	do(t, err)
	newest := len(provider.ListSources())
	do(t, db.Close())
	for from := 1; from < newest; from++ {
		t.Run(fmt.Sprint("from ", from), func(t *testing.T) {
			d := openOn(t, embeddedtest.Start(t), synced)
			provider, db, err := d.provider()
			do(t, err)
			_, err = provider.UpTo(t.Context(), int64(from))
			do(t, errors.Join(err, db.Close()))
			for _, side := range []Side{Live, Replay} {
				exec(t, d, fmt.Sprintf(`INSERT INTO points_%s (generation, team, metric, grain, service, start, end, zone, status, n, state, version)
					VALUES (1, 'web', 'pr_merged', 'hour', '', '2026-03-02 09:00:00', '2026-03-02 10:00:00', 'UTC', 'final', 3, unhex('%x'), %d)`,
					side, merged("web", at(9, 0), 3, 0).Aggregate.Bytes(), version(1, at(10, 0))))
				exec(t, d, fmt.Sprintf("INSERT INTO coverage_%s (generation, team, source, covered_from, version) VALUES (1, 'web', 'github', '2026-03-01 00:00:00', 7)", side))
			}
			exec(t, d, "INSERT INTO generations (generation, sequence) VALUES (1, 1)")
			have, know, behind, err := d.Behind(t.Context())
			if err != nil || !behind || have != int64(from) || know != int64(newest) {
				t.Errorf("before the upgrade the schema has %d of %d, behind: %v, %v", have, know, behind, err)
			}
			ran, err := d.Migrate(t.Context())
			do(t, err)
			is(t, "migrations", len(ran), newest-from)
			if have, _, behind, err := d.Behind(t.Context()); err != nil || behind || have != int64(newest) {
				t.Errorf("after the upgrade the schema has %d, behind: %v, %v", have, behind, err)
			}
			is(t, "schema", schema(t, d), want)
			r := d.NewReader()
			points, err := r.Points(t.Context(), everything(metrics.Hour))
			do(t, err)
			coverage, err := r.Coverage(t.Context())
			do(t, err)
			if len(points) != 1 || points[0].N() != 3 || len(coverage) != 1 || coverage[0].From != at(0, 0)-timeline.Day {
				t.Errorf("after the upgrade there are %d points and coverage %+v", len(points), coverage)
			}
		})
	}
}

// The statements of the other targets are the same but for what a target adds,
// and the engine that we have can at least read every one of them, up and down:
// it has no keeper, which replicated tables and ON CLUSTER need to be run.
func TestOtherTargetsAreReadable(t *testing.T) {
	d, _ := open(t, nil)
	comment := regexp.MustCompile(`(?m)^--.*$`)
	read := map[string]int{}
	for name, target := range map[string]migrations.Target{"plain": {}, "cluster": {Cluster: "meridian"}} {
		out, err := migrations.Render(target)
		do(t, err)
		files, err := fs.Glob(out, "*.sql")
		do(t, err)
		for _, file := range files {
			text, err := fs.ReadFile(out, file)
			do(t, err)
			for statement := range strings.SplitSeq(comment.ReplaceAllString(string(text), ""), ";\n") {
				if statement = strings.TrimSpace(statement); statement == "" {
					continue
				}
				read[name]++
				if err := d.conn.Exec(t.Context(), "EXPLAIN AST "+strings.TrimSuffix(statement, ";")); err != nil {
					t.Errorf("%s for %s: %v", file, name, err)
				}
				if name == "cluster" && !strings.HasPrefix(statement, "INSERT") && !strings.Contains(statement, "ON CLUSTER 'meridian'") {
					t.Errorf("%s: a statement is not run on the cluster: %.80s", file, statement)
				}
			}
		}
	}
	if read["plain"] < 30 || read["plain"] != read["cluster"] {
		t.Errorf("%v statements were read", read)
	}
}

func TestHealth(t *testing.T) {
	server := embeddedtest.Start(t)
	d := openOn(t, server, nil)
	if err := d.Health(t.Context()); !errors.Is(err, ErrSchema) {
		t.Errorf("before the migration: got %v, want ErrSchema", err)
	}
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := d.Health(t.Context()); err != nil {
		t.Errorf("after it: %v", err)
	}
}

func TestSizes(t *testing.T) {
	d, _ := open(t, nil)
	write(t, d, Replay, merged("web", at(9, 0), 3, version(2, at(10, 0))), merged("web", at(10, 0), 3, version(2, at(10, 0))))
	sizes, err := d.Sizes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sizes {
		if s.Name == "points_replay" {
			if s.Rows != 2 || s.Bytes == 0 || s.Parts != 1 {
				t.Errorf("points_replay: %+v, want 2 rows in 1 part", s)
			}
			return
		}
	}
	t.Errorf("points_replay is not among %+v", sizes)
}
