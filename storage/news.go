package storage

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Fifty open pages ask some hundred questions at each clock, and each would read what
// is newer of its own: some milliseconds in the database, however little that is. So
// what was written since the clock before is read once, of everything, and every
// answer that is kept takes its own rows out of that.
//
// It costs a look at the versions of all rows that may still change instead of those
// of some teams: at a million observations as much as one such question.
const (
	newsKept  = 3 * timeline.Minute // behind the clock; an answer that is older reads what it lacks itself
	newsRows  = 50_000              // that are held
	newsReach = 150 * timeline.Day  // before the clock: a horizon, 30 days, and a month
	newsAgain = 10 * time.Second    // between two reads that go back by keepOverlap
)

// mark is how far something has been read.
type mark struct {
	clock timeline.Millis // it has every row up to here
	epoch int             // of the look-up that it was read at
}

func (m mark) reaches(o mark) bool { return m.clock >= o.clock && m.epoch >= o.epoch }

func (m mark) and(o mark) mark { return mark{max(m.clock, o.clock), max(m.epoch, o.epoch)} }

// news are the rows of one kind that were written lately, of the generation that
// readers see. Rows are shared: nobody may write to them.
type news[R any] struct {
	read    func(ctx context.Context, p place, since streaming.Version, from timeline.Millis) ([]R, error)
	version func(R) streaming.Version
	late    bool // rows may come from another server behind their clock

	turn chan struct{} // holds one while somebody reads: others wait for the same rows

	mu    sync.Mutex
	of    keptOf
	start mark // every row that was not there then is in parts,
	mark  mark // up to here
	parts []newsPart[R]
	rows  int
	went  time.Time // when it was read with keepOverlap
}

// newsPart is what one read has brought.
type newsPart[R any] struct {
	rows   []R
	latest streaming.Version // among them
	until  timeline.Millis   // the clock that it was read for
}

// since returns the rows that may have been written after was, and false where that
// is too long ago. What was not read yet up to now is read first. There may be several
// of one key, and rows that were there before.
func (n *news[R]) since(ctx context.Context, p keptOf, now, was mark) ([]R, bool, error) {
	select {
	case n.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, false, context.Cause(ctx)
	}
	err := n.reach(ctx, p, now)
	<-n.turn
	if err != nil {
		return nil, false, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.late {
		was.clock -= keepOverlap
	}
	if n.of != p || was.clock < n.start.clock || was.clock == n.start.clock && was.epoch < n.start.epoch {
		return nil, false, nil
	}
	var rows []R
	after := streaming.NewVersion(p.generation, streaming.RoundOf(max(was.clock, 0)))
	for _, part := range n.parts {
		if part.latest <= after {
			continue
		}
		for _, r := range part.rows {
			if n.version(r) > after {
				rows = append(rows, r)
			}
		}
	}
	return rows, true, nil
}

// reach reads what is newer than the last read. Only the one whose turn it is calls it.
func (n *news[R]) reach(ctx context.Context, p keptOf, now mark) error {
	n.mu.Lock()
	begun := n.of == p && n.start != mark{} && now.clock-n.mark.clock <= newsKept
	last, again := n.mark.clock, n.late && time.Since(n.went) >= newsAgain
	switch {
	case !begun:
		n.begin(p, now)
		fallthrough
	case n.mark.reaches(now):
		n.mu.Unlock()
		return nil
	}
	n.mu.Unlock()
	if again {
		last -= keepOverlap
	}
	rows, err := n.read(ctx, p.place, streaming.NewVersion(p.generation, streaming.RoundOf(max(last, 0))), now.clock-newsReach)
	n.mu.Lock()
	defer n.mu.Unlock()
	if errors.Is(err, ErrTooMuch) {
		n.begin(p, now)
		return nil
	}
	if err != nil {
		return err
	}
	if again {
		n.went = time.Now()
	}
	n.mark = n.mark.and(now)
	n.keep(rows)
	return nil
}

func (n *news[R]) begin(p keptOf, now mark) {
	n.of, n.start, n.mark, n.parts, n.rows = p, now, now, nil, 0
}

// keep adds a part, and lets go of those that are old, or too many.
func (n *news[R]) keep(rows []R) {
	part := newsPart[R]{rows: rows, until: n.mark.clock}
	for _, r := range rows {
		part.latest = max(part.latest, n.version(r))
	}
	n.parts = append(n.parts, part)
	n.rows += len(rows)
	for len(n.parts) > 1 && (n.rows > newsRows || n.parts[0].until < n.mark.clock-newsKept) {
		// What was above its clock has come again with the next part.
		n.start, n.rows = mark{clock: n.parts[0].until}, n.rows-len(n.parts[0].rows)
		n.parts = n.parts[1:]
	}
	if n.rows > newsRows {
		n.begin(n.of, n.mark)
	}
}

// readPointNews reads the points that are newer than a version.
func (r *Reader) readPointNews(ctx context.Context, p place, since streaming.Version, from timeline.Millis) (points []*metrics.Point, err error) {
	args := map[string]any{"since": uint64(since), "from": int64(clamp(from))}
	err = r.queryIn(ctx, p, "points_news", "points", args, func(rows driver.Rows) error {
		point, err := r.scanPoint(rows)
		points = append(points, point)
		return err
	})
	return points, err
}

// readObservationNews reads the observations that are newer than a version: of gauges
// all, for what is open may have begun long ago.
func (r *Reader) readObservationNews(ctx context.Context, p place, since streaming.Version, from timeline.Millis) ([]metrics.ObservationRow, error) {
	args := map[string]any{"since": uint64(since), "from": int64(clamp(from)), "gauges": r.gauges()}
	return r.observationsSince(ctx, p, "observations_news", args)
}

// observationsSince reads observations with those that were taken back.
func (r *Reader) observationsSince(ctx context.Context, p place, query string, args map[string]any) (list []metrics.ObservationRow, err error) {
	err = r.queryIn(ctx, p, query, "observations", args, func(rows driver.Rows) error {
		var deleted uint8
		o, err := scanObservation(rows, &deleted)
		o.Deleted = deleted != 0
		list = append(list, o)
		return err
	})
	return list, err
}
