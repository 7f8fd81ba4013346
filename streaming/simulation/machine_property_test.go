package simulation

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"meridian/ingest"
	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// drawn is a chance of rapid's, so that a log that fails is made as small as can be.
type drawn struct{ *rapid.T }

func (d drawn) IntN(n int) int { return rapid.IntRange(0, n-1).Draw(d.T, "n") }

// zones have half hours, 45 minutes, changes of half an hour, changes at
// midnight, other rules since some year, and a day that was skipped.
var zones = []string{"UTC", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns", "Pacific/Chatham", "Africa/Casablanca", "America/Sao_Paulo", "Asia/Ho_Chi_Minh", "Pacific/Apia"}

func drawLayout(t *rapid.T) *layout {
	l := &layout{
		deliveries: int32(rapid.IntRange(1, 3).Draw(t, "deliveries")), events: 1, horizon: timeline.Millis(rapid.IntRange(1, 60).Draw(t, "horizon")) * timeline.Hour,
		engineHorizon: 10000 * timeline.Day, bounds: bounds, catalog: acme(), definitions: plainDefinitions(), folds: plainFolds(),
	}
	switch rapid.IntRange(0, 3).Draw(t, "catalog") {
	case 0:
		zone, err := timeline.LoadZone(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		l.catalog = catalog.Empty(catalog.Options{Key: make([]byte, 32), Zone: zone})
	case 1, 2:
		l.catalog = drawCatalog(t)
	}
	return l
}

// drawCatalog draws teams with zones of their own, repositories that change hands or are
// nobody's, and people who change teams, on the days that logs are about.
func drawCatalog(t *rapid.T) *catalog.Catalog {
	var text strings.Builder
	zone := func() string { return rapid.SampledFrom(zones).Draw(t, "zone") }
	day := func() timeline.Date {
		return rapid.SampledFrom([]timeline.Date{
			timeline.MakeDate(2011, 12, 29), timeline.MakeDate(2026, 3, 28), timeline.MakeDate(2026, 4, 4), timeline.MakeDate(2026, 10, 3), timeline.MakeDate(2028, 2, 29),
		}).Draw(t, "day")
	}
	fmt.Fprintf(&text, "zone: %s\nteams:\n", zone())
	names := []string{"web", "payments", "platform"}[:rapid.IntRange(1, 3).Draw(t, "teams")]
	last := func(yes bool) string { // a repository's new owner, or its old one
		if yes {
			return "from"
		}
		return "to"
	}
	for _, name := range names {
		var owned []string
		for _, r := range repositories {
			switch rapid.IntRange(0, 3).Draw(t, "owns "+r) {
			case 0:
				owned = append(owned, r)
			case 1:
				owned = append(owned, fmt.Sprintf("{value: %s, %s: %s}", r, last(rapid.Bool().Draw(t, "from")), day()))
			}
		}
		fmt.Fprintf(&text, "  - {name: %s, zone: %s, repositories: [%s], jira: [%s]}\n", name, zone(), strings.Join(owned, ", "), rapid.SampledFrom([]string{"", "WEB", "OPS"}).Draw(t, "jira"))
	}
	text.WriteString("people:\n")
	for _, login := range []string{"mai", "jonas"} {
		from, to := rapid.SampledFrom(names).Draw(t, "team"), rapid.SampledFrom(names).Draw(t, "team")
		on := day()
		fmt.Fprintf(&text, "  - {name: %s, github: [%s], jira: [%s], zone: %s, teams: [{team: %s, to: %s}, {team: %s, from: %s}]}\n", login, login, login, zone(), from, on, to, on+1)
	}
	c, err := catalog.Parse("catalog.yaml", []byte(text.String()), catalog.Options{Key: make([]byte, 32)})
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	return c
}

// drawLog fills the partitions of deliveries. Every partition has ticked last.
func drawLog(t *rapid.T, l *layout) []*topic {
	log := make([]*topic, l.deliveries)
	for p := range log {
		log[p] = &topic{name: fmt.Sprintf("deliveries/%d", p)}
	}
	now := timeline.UTC().Midnight(rapid.SampledFrom([]timeline.Date{
		timeline.MakeDate(2026, 3, 27), timeline.MakeDate(2026, 4, 3), timeline.MakeDate(2026, 10, 2), timeline.MakeDate(2026, 10, 30), timeline.MakeDate(2028, 2, 28), timeline.MakeDate(2011, 12, 29),
	}).Draw(t, "start")) + timeline.Millis(rapid.IntRange(0, 48*3600).Draw(t, "second"))*timeline.Second
	s := &senders{chance: drawn{t}, horizon: l.horizon}
	for range rapid.IntRange(1, 40).Draw(t, "steps") {
		switch rapid.IntRange(0, 5).Draw(t, "step") {
		default:
			d := s.next(now)
			log[d.key%int64(len(log))].append(ingest.EncodeEntry(ingest.Entry{Delivery: d.delivery}))
		case 1:
			behind := rapid.SampledFrom([]timeline.Millis{0, 0, 0, 700, timeline.Minute}).Draw(t, "behind")
			log[rapid.IntRange(0, len(log)-1).Draw(t, "partition")].append(ingest.EncodeEntry(ingest.Entry{Tick: now - behind}))
		case 2:
			now += rapid.SampledFrom([]timeline.Millis{1, 499, 500, timeline.Second, timeline.Minute, 16 * timeline.Minute, timeline.Hour}).Draw(t, "later")
		case 3: // silence
			now += rapid.SampledFrom([]timeline.Millis{timeline.Hour, l.horizon, l.horizon + 75*timeline.Minute - 1, 26 * timeline.Hour, 31 * timeline.Day}).Draw(t, "silence")
		}
	}
	for p := range log {
		log[p].append(ingest.EncodeEntry(ingest.Entry{Tick: now + timeline.Second}))
	}
	return log
}

// What the machine ends with is what a recomputation in batch gives.
func TestMachineEqualsTheOracle(t *testing.T) {
	checkLogs(t, func(t *rapid.T) {
		l := drawLayout(t)
		log := drawLog(t, l)
		points := map[string]*metrics.Point{}
		s := newStraight(l)
		s.put = func(_ int32, row metrics.Row) {
			if p, ok := row.(*metrics.Point); ok {
				points[fmt.Sprint(p.Team, p.Metric, p.Service, p.Grain, p.Start)] = p
			}
		}
		if err := s.play(log); err != nil {
			t.Fatal(err)
		}
		if lines := unlike(standing(points), oracle(l, log)); len(lines) > 0 {
			t.Fatal(strings.Join(lines, "\n"))
		}
	})
}

// However many members there are, in whatever order partitions are read, whatever
// the size of a batch, and wherever a member dies: the whole history of rows is
// the same, to the byte. So it is with a restore after each record.
func TestHistoriesAreTheSame(t *testing.T) {
	checkLogs(t, func(t *rapid.T) {
		l := drawLayout(t)
		l.engineHorizon = 0 // what is evicted is the same too
		if rapid.Bool().Draw(t, "all metrics") {
			l.definitions, l.folds = metrics.Definitions(), metrics.Folds()
		}
		log := drawLog(t, l)
		if rapid.IntRange(0, 3).Draw(t, "history") == 0 {
			l.historyEnd = streaming.RoundOf(lastTick(log[0]))
		}
		want := newStraight(l)
		if err := want.play(log); err != nil {
			t.Fatal(err)
		}
		other := *l
		other.events = int32(rapid.IntRange(1, 4).Draw(t, "members"))
		m := &members{t: t, layout: &other, straight: newStraight(&other), every: rapid.IntRange(0, 3).Draw(t, "restores") == 0}
		m.kept = make([]map[string][]byte, other.deliveries+other.events)
		m.play(log)
		if d := differences(unsharded(m.straight.rows), unsharded(want.rows)); d != "" {
			t.Fatal(d)
		}
	})
}

// unsharded names rows without the shard that wrote them.
func unsharded(r rows) rows {
	out := rows{}
	for k, v := range r {
		_, key, _ := strings.Cut(k, " ")
		out[key] = v
	}
	return out
}

func lastTick(log *topic) (last timeline.Millis) {
	for _, data := range log.records {
		if e, err := ingest.DecodeEntry(data); err == nil && e.IsTick() {
			last = max(last, e.Tick)
		}
	}
	return last
}

// members plays a log with the partitions in any order, and dies anywhere: then a
// shard goes on from its last snapshot and reads again what it has to.
type members struct {
	t        *rapid.T
	layout   *layout
	straight *straight
	every    bool                // a restore after each record
	kept     []map[string][]byte // the last snapshot of each shard: route's, then the engine's
	events   []*inbox
}

// inbox is a partition of events.
type inbox struct {
	messages []streaming.Message[event.Routed]
}

func (m *members) play(log []*topic) {
	for range m.layout.events {
		m.events = append(m.events, &inbox{})
	}
	at := make([]int64, len(log))
	read := make([]int64, m.layout.events)
	for {
		var open []int
		for p := range log {
			if at[p] < log[p].end() {
				open = append(open, p)
			}
		}
		behind := false
		for p := range read {
			behind = behind || read[p] < int64(len(m.events[p].messages))
		}
		if len(open) == 0 && !behind {
			return
		}
		if len(open) > 0 && (!behind || rapid.Bool().Draw(m.t, "route")) {
			p := rapid.SampledFrom(open).Draw(m.t, "partition")
			for n := rapid.IntRange(1, 20).Draw(m.t, "batch"); n > 0 && at[p] < log[p].end(); n-- {
				m.route(log[p], int32(p), at[p])
				at[p]++
				if m.dies() {
					m.restoreRoute(log[p], int32(p), at[p])
				}
			}
			continue
		}
		for p := range read {
			for n := rapid.IntRange(0, 20).Draw(m.t, "batch"); n > 0 && read[p] < int64(len(m.events[p].messages)); n-- {
				m.engine(int32(p), read[p])
				read[p]++
				if m.dies() {
					m.restoreEngine(int32(p), read[p])
				}
			}
		}
	}
}

// dies reports whether a shard is to die now.
func (m *members) dies() bool { return m.every || rapid.IntRange(0, 15).Draw(m.t, "dies") == 0 }

func (m *members) route(log *topic, p int32, offset int64) {
	e, err := ingest.DecodeEntry(log.records[offset])
	if err != nil {
		m.t.Fatal(err)
	}
	m.straight.routes[p].Feed(offset, ingest.EntryMessage(p, offset, e), func(c ingest.Copy) {
		in := m.events[c.Partition]
		in.messages = append(in.messages, c.Message)
	})
}

func (m *members) engine(p int32, offset int64) {
	m.straight.engines[p].Feed(offset, m.events[p].messages[offset], func(row metrics.Row) { m.straight.put(p, row) })
}

// restoreRoute restores a route's shard from a snapshot taken now or at its last
// death, which it reads on from up to where it was.
func (m *members) restoreRoute(log *topic, p int32, end int64) {
	route, err := m.layout.route(p)
	if err != nil {
		m.t.Fatal(err)
	}
	s := streaming.NewShard(m.layout.number(), []int32{p}, route)
	m.load(s.Load, m.straight.routes[p].Save, &m.kept[p])
	m.straight.routes[p] = s
	for offset := s.Resume(); offset < end; offset++ {
		m.route(log, p, offset)
	}
}

func (m *members) restoreEngine(p int32, end int64) {
	engine, err := m.layout.engine(p)
	if err != nil {
		m.t.Fatal(err)
	}
	s := streaming.NewShard(m.layout.number(), m.layout.upstreams(), engine)
	m.load(s.Load, m.straight.engines[p].Save, &m.kept[m.layout.deliveries+p])
	m.straight.engines[p] = s
	for offset := s.Resume(); offset < end; offset++ {
		m.engine(p, offset)
	}
}

func (m *members) load(load func(func(string) ([]byte, error)) error, save func(func(string, []byte)), kept *map[string][]byte) {
	now := map[string][]byte{}
	save(func(name string, data []byte) { now[name] = slices.Clone(data) })
	if m.every || *kept == nil || rapid.Bool().Draw(m.t, "newest") {
		*kept = now
	}
	if err := load(func(name string) ([]byte, error) { return (*kept)[name], nil }); err != nil {
		m.t.Fatal(err)
	}
}

// checkLogs checks as many logs as MERIDIAN_TEST_LOGS says, 1,000 without it: CI
// has two such tests. RAPID_SEED says which.
func checkLogs(t *testing.T, check func(*rapid.T)) {
	checks := flag.Lookup("rapid.checks")
	before, n := checks.Value.String(), "1000"
	if logs := os.Getenv("MERIDIAN_TEST_LOGS"); logs != "" {
		n = logs
	}
	if err := checks.Value.Set(n); err != nil {
		t.Fatalf("MERIDIAN_TEST_LOGS is %q; it is a number of logs: %v", n, err)
	}
	defer func() {
		if err := checks.Value.Set(before); err != nil {
			t.Error(err)
		}
	}()
	rapid.Check(t, check)
}
