package simulation

import (
	"context"
	"errors"
	"fmt"
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

// database takes rows. What was put is lost when it crashes, what was flushed is not.
type database struct {
	rows     rows
	durable  map[string]bool
	sessions []*session
	hurt     func() fault // what goes wrong with the next call, if anything
	happened func(fault)
}

// session is one shard's connection: what it has put since its last flush is its
// own to lose. It implements [streaming.Sink].
type session struct {
	db    *database
	put   []string
	lost  bool
	ended bool
}

var errDatabase = errors.New("the database does not answer")

func (db *database) connect() *session {
	s := &session{db: db}
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
	for _, row := range rows {
		st := storedOf(shard, row)
		s.db.rows.put(st)
		s.put = append(s.put, st.key)
	}
	if f == sinkHalf || f == sinkTimedOut {
		s.db.happened(f)
		return errDatabase
	}
	return nil
}

func (s *session) Flush(context.Context, int32) error {
	if s.lost {
		return errDatabase
	}
	f := s.db.hurt()
	if f == sinkDown {
		s.db.happened(f)
		return errDatabase
	}
	for _, key := range s.put {
		s.db.durable[key] = true
	}
	s.put = nil
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
		for _, key := range s.put {
			if _, ok := db.rows[key]; ok && !db.durable[key] {
				delete(db.rows, key)
				lost++
			}
		}
		s.lost = s.lost || len(s.put) > 0
		s.put = nil
	}
	var open []*session
	for _, s := range db.sessions {
		if !s.ended {
			open = append(open, s)
		}
	}
	db.sessions = open
	return lost
}
