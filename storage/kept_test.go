package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Whatever is written between two askings, by however many shards: a reader that
// keeps its answers says what one says that has just been made.
func TestKept_SaysWhatIsStored(t *testing.T) {
	gauge := aGauge(t)
	d, _ := open(t, nil)
	generation := streaming.Generation(0)
	rapid.Check(t, func(t *rapid.T) {
		generation++
		if err := d.SetCurrent(context.Background(), generation, uint64(generation)); err != nil {
			t.Fatal(err)
		}
		keeps := d.NewReader()
		if rapid.Bool().Draw(t, "one server") { // where nothing comes behind its clock
			keeps.pointNews.late, keeps.observationNews.late = false, false
		}
		rounds := map[int32]timeline.Millis{0: at(12, 0), 1: at(12, 0)}
		asked := 0
		for range rapid.IntRange(2, 8).Draw(t, "steps") {
			shard := rapid.Int32Range(0, 1).Draw(t, "shard")
			rounds[shard] += timeline.Millis(rapid.IntRange(1, 400).Draw(t, "ms")) * timeline.Second
			v := version(generation, rounds[shard])
			var rows []metrics.Row
			for range rapid.IntRange(0, 4).Draw(t, "rows") {
				team := fmt.Sprint("team", shard, rapid.IntRange(0, 1).Draw(t, "team"))
				hour := rapid.IntRange(0, 5).Draw(t, "hour")
				if rapid.Bool().Draw(t, "point") {
					p := merged(team, at(hour, 0), rapid.IntRange(0, 3).Draw(t, "n"), v)
					if rapid.Bool().Draw(t, "of 30 days") { // whose teams are listed
						p.Grain = metrics.Day30
					}
					rows = append(rows, p)
					continue
				}
				o := gaugeRow(team, gauge, fmt.Sprint("pr", rapid.IntRange(0, 1).Draw(t, "pr")), hour, rapid.IntRange(0, 5).Draw(t, "hours"), 0)
				o.Version, o.Deleted = v, rapid.IntRange(0, 3).Draw(t, "deleted") == 0
				rows = append(rows, o)
			}
			putAndFlush(t, d, shard, rounds[shard], generation, rows...)
			from := at(rapid.IntRange(0, 5).Draw(t, "from"), 0)
			q := metrics.Query{Grain: metrics.Hour, From: from, To: from + timeline.Millis(rapid.IntRange(1, 30).Draw(t, "long"))*timeline.Hour}
			if rapid.Bool().Draw(t, "some teams") {
				q.Teams = []string{"team00", "team10"}
			}
			for _, q := range []metrics.Query{q, everything(metrics.Hour)} { // the second is the same each time
				if got, want := said(t, keeps, q), said(t, d.NewReader(), q); got != want {
					t.Fatalf("after %d askings it says\n%s\nand stored is\n%s", asked, got, want)
				}
			}
			asked++
		}
	})
}

// said is what a reader says of a query's points and intervals.
func said(t interface{ Fatal(...any) }, r *Reader, q metrics.Query) (text string) {
	points, err := r.Points(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		text += fmt.Sprintln(p.Team, p.Metric, p.Start, p.Version, p.N())
	}
	intervals, err := r.Intervals(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range intervals {
		text += fmt.Sprintln(o.Team, o.Metric, o.Entity, o.At, o.Value, o.Version)
	}
	evidence, _, err := r.Observations(context.Background(), q, "", 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range evidence {
		text += fmt.Sprintln("evidence", o.Team, o.Metric, o.Entity, o.At, o.Value, o.Version)
	}
	teams, err := r.Teams(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(teams) > 0 {
		text += fmt.Sprintln("teams", teams)
	}
	return text
}

func aGauge(t testing.TB) metrics.Name {
	t.Helper()
	for _, d := range metrics.Definitions() {
		if d.Statistic == metrics.Gauge {
			return d.Name
		}
	}
	t.Fatal("no metric is a gauge")
	return ""
}

// putAndFlush puts rows of a round as a shard does, and says that it is over.
func putAndFlush(t interface{ Fatal(...any) }, d *Database, shard int32, clock timeline.Millis, g streaming.Generation, rows ...metrics.Row) {
	s := d.NewSink(Live, nil)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	err := s.Put(ctx, shard, rows)
	s.Advance(shard, g, streaming.Clock(clock))
	err = errors.Join(err, s.Flush(ctx, shard))
	stop()
	if err := errors.Join(err, <-ended); err != nil {
		t.Fatal(err)
	}
}

// Of an answer that is kept only what is newer is read, and not all again.
func TestKept_ReadsOnlyWhatIsNewer(t *testing.T) {
	d, _ := open(t, nil)
	current(t, d, 1, 1)
	putAndFlush(t, d, 0, at(12, 0), 1, merged("web", at(9, 0), 1, version(1, at(12, 0))), merged("web", at(10, 0), 2, version(1, at(12, 0))))
	r := d.NewReader()
	ask := func() string { return said(t, r, everything(metrics.Hour)) }
	ask()
	// A row that a reader of all would see, and that is not newer: it is taken back
	// behind its back.
	exec(t, d, "ALTER TABLE points_live DELETE WHERE start = toDateTime64('2026-03-02 10:00:00', 3, 'UTC') SETTINGS mutations_sync = 2")
	putAndFlush(t, d, 0, at(12, 30), 1, merged("web", at(9, 0), 7, version(1, at(12, 30))))
	is(t, "kept", ask(), fmt.Sprintln("web pr_merged", at(9, 0), version(1, at(12, 30)), 7)+fmt.Sprintln("web pr_merged", at(10, 0), version(1, at(12, 0)), 2))
	// All is read when it has been kept for long,
	for _, a := range r.points.answers {
		a.whole = time.Now().Add(-keepAgain)
	}
	is(t, "read anew", ask(), fmt.Sprintln("web pr_merged", at(9, 0), version(1, at(12, 30)), 7))
	// when somebody has put back what was lost, with the version that it had,
	if err := d.Rewrite(t.Context(), Live, []metrics.Row{merged("web", at(10, 0), 2, version(1, at(12, 0)))}); err != nil {
		t.Fatal(err)
	}
	is(t, "put back", ask(), fmt.Sprintln("web pr_merged", at(9, 0), version(1, at(12, 30)), 7)+fmt.Sprintln("web pr_merged", at(10, 0), version(1, at(12, 0)), 2))
	// when rows of it that lay in the other half are brought after,
	write(t, d, Replay, merged("web", at(11, 0), 3, version(1, at(12, 0))))
	do(t, d.Promote(t.Context(), 1))
	is(t, "brought after", ask(), fmt.Sprintln("web pr_merged", at(9, 0), version(1, at(12, 30)), 7)+fmt.Sprintln("web pr_merged", at(10, 0), version(1, at(12, 0)), 2)+
		fmt.Sprintln("web pr_merged", at(11, 0), version(1, at(12, 0)), 3))
	// and when another generation takes over, of which there is nothing.
	current(t, d, 2, 2)
	is(t, "of another generation", ask(), "")
}

// Whatever many ask at a clock, what is newer is read once for all of them, and where
// nothing of an answer is newer it stands.
func TestKept_ReadsWhatIsNewerOnce(t *testing.T) {
	d, w := tapped(t, func(c *Config) { c.Embedded = true })
	current(t, d, 1, 1)
	team := func(n int) string { return fmt.Sprint("team", n) }
	var rows []metrics.Row
	for n := range 5 {
		rows = append(rows, merged(team(n), at(9, 0), 1, version(1, at(12, 0))))
	}
	putAndFlush(t, d, 0, at(12, 0), 1, rows...)
	r := d.NewReader()
	ask := func() {
		t.Helper()
		for n := range 5 {
			q := everything(metrics.Hour)
			q.Teams = []string{team(n)}
			if got, want := said(t, r, q), said(t, d.NewReader(), q); got != want {
				t.Errorf("of %s it says\n%s\nand stored is\n%s", team(n), got, want)
			}
		}
	}
	ask() // the first time nobody knows what is newer
	putAndFlush(t, d, 0, at(12, 0)+timeline.Second, 1)
	ask()
	counted := func() (n [4]int) {
		for i, text := range []string{"of windows that may", "-- Which rows of the same points", "of gauges whenever they began", "-- Which rows of these teams' gauges"} {
			n[i] = w.seen(text)
		}
		return n
	}
	before := counted()
	for i := range timeline.Millis(3) {
		clock := at(12, 1) + i*timeline.Second
		putAndFlush(t, d, 0, clock, 1, merged(team(3), at(9, 0), 2+int(i), version(1, clock)))
		ask()
	}
	after := counted()
	for i, want := range [4]int{3, 0, 3, 0} {
		is(t, "reads of what is newer", after[i]-before[i], want)
	}
}

// What is kept has a bound, and what was asked for longest ago goes first.
func TestKept_IsBounded(t *testing.T) {
	kind := keptNames
	kind.most = 2000
	k := kept[string]{kind: kind}
	read := 0
	ask := func(key string, rows int) {
		t.Helper()
		_, err := k.ask(t.Context(), keptOf{}, mark{1, 1}, question[string]{key: key, all: func(context.Context, place) ([]string, error) {
			read++
			return make([]string, rows), nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if k.size > kind.most {
			t.Errorf("%d bytes are kept, at most %d may be", k.size, kind.most)
		}
	}
	for i := range 10 {
		ask(fmt.Sprint("small ", i), 20) // of 16 bytes each, and what an answer weighs by itself: three have room
	}
	is(t, "reads", read, 10)
	ask("small 9", 20)
	is(t, "reads after one that is kept", read, 10)
	ask("small 0", 20)
	is(t, "reads after one that has gone", read, 11)
	ask("large", 60) // more than half of the room
	ask("small 0", 20)
	is(t, "reads after one that is too large", read, 12)
	ask("large", 60)
	is(t, "reads of one that is too large", read, 13)
	for i := range 100 {
		ask(fmt.Sprint("empty ", i), 0) // which weighs something, too
	}
	if n := len(k.answers); n > 6 {
		t.Errorf("%d answers without rows are kept", n)
	}
}

// Whoever waits for another's read may leave, and takes nothing along.
func TestKept_WaitingEndsWithItsContext(t *testing.T) {
	k := kept[string]{kind: keptNames}
	reading, done := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		got, err := k.ask(t.Context(), keptOf{}, mark{1, 1}, question[string]{key: "a", all: func(context.Context, place) ([]string, error) {
			close(reading)
			<-done
			return []string{"row"}, nil
		}})
		if err != nil || len(got) != 1 {
			t.Errorf("%q, %v", got, err)
		}
	})
	<-reading
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := k.ask(gone, keptOf{}, mark{1, 1}, question[string]{key: "a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("who left was told %v", err)
	}
	close(done)
	all.Wait()
}

// Fifty that ask at once cost one look at the generations, and one that asks after
// something was written is not told what was found before.
func TestLookUp_IsShared(t *testing.T) {
	var l lookUps
	first, mine := l.look()
	if !mine {
		t.Fatal("nobody has looked yet, and it is not the first's turn")
	}
	var others atomic.Int32
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if look, mine := l.look(); mine || look != first {
				others.Add(1)
			}
		})
	}
	all.Wait()
	is(t, "looks besides the first", others.Load(), 0)
	l.forget()
	second, mine := l.look()
	if !mine || second == first {
		t.Error("what was asked before the writing serves after it")
	}
	first.found.current.Clock = at(9, 0)
	l.put(first) // too late: it must not take the place of the second
	if look, _ := l.look(); look != second {
		t.Error("an answer from before the writing has come back")
	}
	second.err = errors.New("away")
	l.put(second)
	if look, mine := l.look(); !mine || look == second {
		t.Error("a failure is remembered")
	}
}

// Nobody is shown what an erasure has changed or taken away, though no row that is newer
// says so.
func TestKept_ForgetsWhoIsErased(t *testing.T) {
	gauge := aGauge(t)
	d, _ := open(t, nil)
	v := version(1, at(12, 0))
	o := gaugeRow("web", gauge, "pr1", 9, 1, 0)
	o.Version, o.Person = v, [16]byte{7}
	write(t, d, Live, merged("mai/tool", at(9, 0), 1, v), o)
	current(t, d, 1, 1)
	do(t, d.Keep(t.Context(), 1, at(13, 0)))
	do(t, d.SetHistoryFrom(t.Context(), at(13, 0)))
	r := d.NewReader()
	ask := func() string { return said(t, r, everything(metrics.Hour)) }
	before := ask()
	if !strings.Contains(before, "mai/tool") || !strings.Contains(before, "pr1") {
		t.Fatalf("what is shown before tells nothing:\n%s", before)
	}
	_, err := d.Redact(t.Context(), func(text string) string { return strings.ReplaceAll(text, "mai/", "erased~1/") })
	do(t, err)
	if after := ask(); strings.Contains(after, "mai/tool") || !strings.Contains(after, "erased~1/tool") {
		t.Errorf("a name is still shown:\n%s", after)
	}
	do(t, d.Forget(t.Context(), [16]byte{7}))
	if after := ask(); strings.Contains(after, "pr1") {
		t.Errorf("an observation is still shown:\n%s", after)
	}
}
