package simulation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"meridian/metrics"
	"meridian/streaming"
)

// stored is the content of one row: what a database keeps of a key at a version.
type stored struct{ key, content string }

// storedOf names a row by shard, version and stored key, and describes all of it.
func storedOf(shard int32, row metrics.Row) stored {
	key := func(v streaming.Version, format string, args ...any) string {
		return fmt.Sprintf("%d %d %s", shard, v.Round(), fmt.Sprintf(format, args...))
	}
	switch r := row.(type) {
	case *metrics.Point:
		return stored{
			key(r.Version, "point %s %s %s %s %d", r.Team, r.Metric, r.Service, r.Grain, r.Start),
			fmt.Sprintf("%s %x", r.AppendJSON(nil), r.Aggregate.Bytes()),
		}
	case *metrics.ObservationRow:
		return stored{key(r.Version, "observation %s %s %s %d %s %s %d %s", r.Team, r.Metric, r.Service, r.At, r.Entity, r.Item, r.Outcome, r.Reason), fmt.Sprintf("%+v", *r)}
	case *metrics.QualityRow:
		return stored{key(r.Version, "quality %s %s %s %d", r.Team, r.Source, r.Kind, r.Cell), fmt.Sprintf("%+v", *r)}
	case *metrics.RejectRow:
		return stored{key(r.Version, "reject %s %s", r.Team, r.Origin), fmt.Sprintf("%+v", *r)}
	case *metrics.CoverageRow:
		return stored{key(r.Version, "coverage %s %s", r.Team, r.Source), fmt.Sprintf("%+v", *r)}
	}
	panic(fmt.Sprintf("a row of kind %T", row))
}

// rows are all that was ever stored, by key with its version: the content that
// counts, which is the last one.
type rows map[string]string

// put keeps a row. Within a version a row may follow the tombstone of its own
// key, so a key can be written twice in one round; the later one counts.
func (r rows) put(s stored) { r[s.key] = s.content }

// differences says how two histories differ, in at most some lines.
func differences(got, want rows) string {
	var b strings.Builder
	n := 0
	say := func(format string, args ...any) {
		if n++; n <= 6 {
			fmt.Fprintf(&b, format+"\n", args...)
		}
	}
	for k, w := range want {
		if g, ok := got[k]; !ok {
			say("lost: %s\n  %s", k, w)
		} else if g != w {
			say("other content: %s\n  %s\n  want\n  %s", k, g, w)
		}
	}
	for k, g := range got {
		if _, ok := want[k]; !ok {
			say("never to be written: %s\n  %s", k, g)
		}
	}
	if n > 6 {
		fmt.Fprintf(&b, "and %d more\n", n-6)
	}
	return b.String()
}

// database holds the rows of each generation in two sets of tables. What was put is
// lost when it crashes, what was flushed is not.
type database struct {
	live, replay tables
	reached      map[streaming.Generation]map[int32]streaming.Clock // by flushed shard
	current      turn                                               // what readers see
	sessions     []*session
	hurt         func() fault // what goes wrong with the next call, if anything
	happened     func(fault)
}

// tables are one set: rows by generation, and which of them a flush has vouched for.
type tables map[streaming.Generation]*table

type table struct {
	rows    rows
	durable map[string]bool
}

func (t tables) of(g streaming.Generation) *table {
	if t[g] == nil {
		t[g] = &table{rows{}, map[string]bool{}}
	}
	return t[g]
}

func newDatabase(hurt func() fault, happened func(fault)) *database {
	return &database{live: tables{}, replay: tables{}, reached: map[streaming.Generation]map[int32]streaming.Clock{}, hurt: hurt, happened: happened}
}

// rows are all that a generation has in both sets.
func (db *database) rows(g streaming.Generation) rows {
	all := maps.Clone(db.replay.of(g).rows)
	maps.Copy(all, db.live.of(g).rows)
	return all
}

// clock is how far the rows of a generation are: readers' clock.
func (db *database) clock(g *manifest) streaming.Clock {
	if len(db.reached[g.number]) < len(g.events) {
		return streaming.NoClock
	}
	return slices.Min(slices.Collect(maps.Values(db.reached[g.number])))
}

// promote moves a generation's rows into the live tables, one kind of row after the
// other. It can be done again.
func (db *database) promote(g streaming.Generation, hurt func(int, ...fault) fault) error {
	from, to := db.replay.of(g), db.live.of(g)
	f := hurt(2, movedHalf, movedAndFailed)
	for i, kind := range []string{" point ", " observation ", " quality ", " reject ", " coverage "} {
		if f == movedHalf && i == 2 {
			db.happened(f)
			return errDatabase
		}
		for key, content := range from.rows {
			if strings.Contains(key, kind) {
				to.rows[key] = content
				to.durable[key] = to.durable[key] || from.durable[key]
				delete(from.rows, key)
				delete(from.durable, key)
			}
		}
	}
	if f == movedAndFailed {
		db.happened(f)
		return errDatabase
	}
	return nil
}

// flip makes readers see a generation, unless they have seen a later turn.
func (db *database) flip(g streaming.Generation, sequence uint64) bool {
	if sequence < db.current.sequence || sequence == db.current.sequence && g != db.current.generation {
		return false
	}
	db.current = turn{g, sequence}
	return true
}

// session is one shard's connection: what it has put since its last flush is its
// own to lose. It implements [streaming.Sink].
type session struct {
	db         *database
	generation streaming.Generation
	live       func() bool // where it writes now
	clock      func(shard int32) streaming.Clock
	put        []putRow
	lost       bool
}

type putRow struct {
	to  *table
	key string
}

var errDatabase = errors.New("the database does not answer")

func (db *database) connect(g streaming.Generation, live func() bool, clock func(int32) streaming.Clock) *session {
	s := &session{db: db, generation: g, live: live, clock: clock}
	db.sessions = append(db.sessions, s)
	return s
}

func (s *session) Put(_ context.Context, shard int32, rows []metrics.Row) error {
	if s.lost {
		return errDatabase
	}
	f := s.db.hurt()
	switch f {
	case sinkDown:
		s.db.happened(f)
		return errDatabase
	case sinkHalf:
		rows = rows[:len(rows)/2]
	}
	to := s.db.replay.of(s.generation)
	if s.live() {
		to = s.db.live.of(s.generation)
	}
	for _, row := range rows {
		st := storedOf(shard, row)
		to.rows.put(st)
		s.put = append(s.put, putRow{to, st.key})
	}
	if f == sinkHalf || f == sinkTimedOut {
		s.db.happened(f)
		return errDatabase
	}
	return nil
}

func (s *session) Flush(_ context.Context, shard int32) error {
	if s.lost {
		return errDatabase
	}
	f := s.db.hurt()
	if f == sinkDown {
		s.db.happened(f)
		return errDatabase
	}
	for _, p := range s.put {
		if _, there := p.to.rows[p.key]; there { // else it has been moved
			p.to.durable[p.key] = true
		} else {
			s.db.live.of(s.generation).durable[p.key] = true
		}
	}
	s.put = nil
	reached := s.db.reached[s.generation]
	if reached == nil {
		reached = map[int32]streaming.Clock{}
		s.db.reached[s.generation] = reached
	}
	if c, ok := reached[shard]; !ok || s.clock(shard) > c {
		reached[shard] = s.clock(shard)
	}
	if f == sinkTimedOut {
		s.db.happened(f)
		return errDatabase
	}
	return nil
}

// forget is a power cut: whatever no flush has vouched for is gone, and those who
// wrote it find their connections broken.
func (db *database) forget() (lost int) {
	for _, s := range db.sessions {
		for _, p := range s.put {
			for _, t := range []*table{p.to, db.live.of(s.generation)} { // it may have been moved
				if _, there := t.rows[p.key]; there && !t.durable[p.key] {
					delete(t.rows, p.key)
					lost++
				}
			}
		}
		s.lost = s.lost || len(s.put) > 0
		s.put = nil
	}
	db.sessions = slices.DeleteFunc(db.sessions, func(s *session) bool { return s.lost })
	return lost
}
