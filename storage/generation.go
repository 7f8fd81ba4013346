package storage

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// SetCurrent makes g the generation that readers see. sequence orders such
// turns: the highest wins, whoever wrote last. Going back to an earlier
// generation is one more turn. Taking the same turn again is harmless; one that
// is not above all others is refused with ErrOldTurn. The rows of g have to be in
// the live tables (Promote); while some are not, it is refused with ErrNotMoved.
func (d *Database) SetCurrent(ctx context.Context, g streaming.Generation, sequence uint64) error {
	defer d.generations.forget()
	var last uint64
	var holder uint32
	row := d.conn.QueryRow(ctx, "SELECT max(sequence), argMax(generation, sequence) FROM generations")
	if err := row.Scan(&last, &holder); err != nil {
		return classify(ctx, "read the current generation", err)
	}
	if sequence < last || sequence == last && (uint32(g) != holder || sequence == 0) {
		return fmt.Errorf("storage: turn %d of generation %d: %w (%d, of generation %d)", sequence, g, ErrOldTurn, last, holder)
	}
	if moved, err := d.Confirmed(ctx, g); err != nil {
		return err
	} else if !moved {
		return fmt.Errorf("storage: generation %d: %w", g, ErrNotMoved)
	}
	if err := d.mark(ctx, g, string(Live)); err != nil {
		return err
	}
	b, err := d.prepare(ctx, "INSERT INTO generations (generation, sequence)")
	if err == nil {
		if err = b.Append(uint32(g), sequence); err == nil {
			err = b.Send()
		}
	}
	return classify(ctx, "name the current generation", err)
}

// AsOf returns the generation that readers see now, and the clock up to which
// all its shards have their rows here; 0 and 0 before the first. It may be
// some hundred milliseconds old, never behind what this process has written.
func (r *Reader) AsOf(ctx context.Context) (metrics.AsOf, error) {
	found, _, err := r.db.lookUp(ctx)
	return found.current, err
}

// found is the answer to one look-up.
type found struct {
	current metrics.AsOf
	again   int64                           // how often rows had been rewritten before it
	shards  int64                           // of the current one that have said how far they are: its clock is the lowest of these
	sides   map[streaming.Generation]string // where the rows of each are; unnamed: replay
	border  timeline.Millis                 // what starts before it is in generation 0; 0: nothing is
}

// moving is the side of a generation that is on its way between the two.
const moving = "moving"

// place is where the rows are that a query is about.
type place struct {
	generation streaming.Generation
	current    bool
	side       Side
	border     timeline.Millis
}

// find says which generation is meant by g, and where its rows are. The look-up
// is remembered for a moment, so that a request costs one; one that names a
// generation still finds its rows when another takes over in between, for what
// was replaced stays where it is until Back.
func (d *Database) find(ctx context.Context, g streaming.Generation) (place, error) {
	f, _, err := d.lookUp(ctx)
	if err != nil {
		return place{}, err
	}
	return f.place(g)
}

// place is where the rows of g (0: the current one) are.
func (f found) place(g streaming.Generation) (place, error) {
	if g == 0 {
		g = f.current.Generation
	}
	p := place{generation: g, current: g == f.current.Generation, side: Replay, border: f.border}
	switch {
	case g == f.current.Generation, f.sides[g] == string(Live):
		p.side = Live
	case f.sides[g] == moving:
		return place{}, fmt.Errorf("storage: generation %d: %w", g, ErrMoving)
	}
	return p, nil
}

// lookUp returns what was found last, or looks. Who comes while somebody looks waits
// for the same answer: of fifty open pages each asks when rows have been written. The
// epoch is the number of times that this process has made answers wrong.
func (d *Database) lookUp(ctx context.Context) (f found, epoch int, err error) {
	look, first := d.generations.look()
	if first {
		go func() { // whoever asked first may leave
			defer close(look.done)
			look.found, look.err = d.findAll(context.WithoutCancel(ctx))
			d.generations.put(look)
		}()
	}
	select {
	case <-look.done:
		return look.found, look.epoch, look.err
	case <-ctx.Done():
		return found{}, look.epoch, classify(ctx, "read the generations", context.Cause(ctx))
	}
}

func (d *Database) findAll(ctx context.Context) (found, error) {
	f := found{sides: map[streaming.Generation]string{}, again: d.again.Load()}
	err := d.query(ctx, "as_of", nil, func(rows driver.Rows) error {
		var g uint32
		var sequence uint64
		var side string
		var clock *time.Time
		var shards, border int64
		if err := rows.Scan(&g, &sequence, &side, &clock, &shards, &border); err != nil {
			return err
		}
		if sequence > 0 && f.current.Generation == 0 {
			f.current, f.shards = metrics.AsOf{Generation: streaming.Generation(g), Clock: millis(clock)}, shards
		}
		f.sides[streaming.Generation(g)], f.border = side, timeline.Millis(border)
		return nil
	})
	f.current.HistoryFrom = f.border
	return f, err
}

// lookUps remembers the last look-up for a while, and the one that is under way.
type lookUps struct {
	mu    sync.Mutex
	last  *lookUp
	until time.Time
	epoch int // counts what made older answers wrong
}

// lookUp is one look at the generations. It has an answer when done is closed.
type lookUp struct {
	done  chan struct{}
	epoch int // that it was begun in
	found found
	err   error
}

// look returns a look-up that serves, and whether it is the caller's to make.
func (l *lookUps) look() (look *lookUp, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last != nil && l.last.epoch == l.epoch && (l.until.IsZero() || time.Now().Before(l.until)) {
		return l.last, false
	}
	l.last, l.until = &lookUp{done: make(chan struct{}), epoch: l.epoch}, time.Time{}
	return l.last, true
}

// put begins the time for which an answer serves. A failure serves those who waited
// for it.
func (l *lookUps) put(look *lookUp) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last != look {
		return
	}
	l.until = time.Now().Add(lookUpAge)
	if look.err != nil {
		l.last = nil
	}
}

func (l *lookUps) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.epoch++
}
