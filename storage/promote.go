package storage

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"meridian/streaming"
)

// Promote moves all rows of g from the replay tables to the live ones, partition
// by partition; a partition is in one of the two as a whole at every moment. The
// shards of g have to be paused, with everything flushed: rows that come later
// stay behind (Confirmed says so) until it is called again. It may be cut off
// anywhere and called again, and again after that.
//
// It marks g as moving first, and waits until every process has seen that: a
// query that names g is refused in the meantime rather than answered with half of
// it. Readers of the current generation notice nothing.
func (d *Database) Promote(ctx context.Context, g streaming.Generation) error {
	return d.move(ctx, g, Replay, Live)
}

// Back moves all rows of g from the live tables to the replay ones, where those
// of a generation lie that is not the current one. Call it when requests that
// began before g was replaced have ended.
func (d *Database) Back(ctx context.Context, g streaming.Generation) error {
	return d.move(ctx, g, Live, Replay)
}

// Confirmed reports whether every table has all rows of g in its live half.
func (d *Database) Confirmed(ctx context.Context, g streaming.Generation) (bool, error) {
	rest, err := d.partitions(ctx, of(g, Replay))
	return err == nil && len(rest) == 0, err
}

// Drop removes every row of g, and what is known of it. It may be called again.
func (d *Database) Drop(ctx context.Context, g streaming.Generation) error {
	if err := d.notCurrent(ctx, g); err != nil {
		return err
	}
	all, err := d.partitions(ctx, func(_ partition, have streaming.Generation) bool { return have == g })
	if err != nil {
		return err
	}
	for _, p := range all {
		if err := d.drop(ctx, p); err != nil {
			return err
		}
	}
	defer d.generations.forget()
	for _, table := range []string{"progress", "generations", "sides"} {
		if err := d.alter(ctx, fmt.Sprintf("ALTER TABLE %s DELETE WHERE generation = %d", table, g)); err != nil {
			return err
		}
	}
	return nil
}

func (d *Database) move(ctx context.Context, g streaming.Generation, from, to Side) error {
	if to == Replay {
		if err := d.notCurrent(ctx, g); err != nil {
			return err
		}
	}
	rest, err := d.partitions(ctx, of(g, from))
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		if to == Live {
			defer d.reread() // rows of the generation that readers see may be brought after
		}
		if err := d.begin(ctx, g); err != nil {
			return err
		}
		if err := d.moveAll(ctx, g, rest, to); err != nil {
			return err
		}
	}
	return d.mark(ctx, g, string(to))
}

// begin says that g is moving, and returns when nobody reads it by an older word.
// The current generation is left where it is found: what a zombie wrote to the
// wrong half of it is only brought after.
func (d *Database) begin(ctx context.Context, g streaming.Generation) error {
	d.generations.forget()
	f, _, err := d.lookUp(ctx)
	if err != nil || f.current.Generation == g {
		return err
	}
	if err := d.mark(ctx, g, moving); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d.cfg.Settle):
		return nil
	}
}

// moveAll moves partitions, and counts what there was and what has come of it,
// table by table.
func (d *Database) moveAll(ctx context.Context, g streaming.Generation, rest []partition, to Side) error {
	from := rest[0].side
	for _, pair := range halved {
		var mine []partition
		for _, p := range rest {
			if p.pair == pair.name {
				mine = append(mine, p)
			}
		}
		if len(mine) == 0 {
			continue
		}
		var left, had, has uint64
		if err := d.keys(ctx, pair.name, from, g, &left); err != nil {
			return err
		}
		if err := d.keys(ctx, pair.name, to, g, &had); err != nil {
			return err
		}
		for _, p := range mine {
			if err := d.alter(ctx, fmt.Sprintf("ALTER TABLE %s MOVE PARTITION ID '%s' TO TABLE %s_%s", p.table(), p.id, p.pair, to)); err != nil {
				return err
			}
		}
		if err := d.keys(ctx, pair.name, to, g, &has); err != nil {
			return err
		}
		// Keys that were in both halves (the database was killed between making
		// a partition here and removing it there) are one now.
		if has < max(left, had) || has > left+had {
			return fmt.Errorf("storage: generation %d: %s_%s has %d rows after moving %d to %d that were there: %w", g, pair.name, to, has, left, had, ErrNotMoved)
		}
	}
	again, err := d.partitions(ctx, of(g, from))
	if err == nil && len(again) > 0 {
		err = fmt.Errorf("storage: generation %d: rows have come to %s_%s while it was moved: %w", g, again[0].pair, from, ErrNotMoved)
	}
	return err
}

// keys counts the rows of a generation in one half, each key once.
func (d *Database) keys(ctx context.Context, pair string, s Side, g streaming.Generation, n *uint64) error {
	return d.number(ctx, fmt.Sprintf("SELECT count() FROM %s_%s FINAL WHERE generation = %d", pair, s, g), n)
}

// number asks for one number, however long it takes.
func (d *Database) number(ctx context.Context, sql string, n *uint64) error {
	settings := d.readSettings()
	settings["max_execution_time"] = 0
	return classify(ctx, "count rows", d.conn.QueryRow(clickhouse.Context(ctx, clickhouse.WithSettings(settings)), sql).Scan(n))
}

// notCurrent refuses to take away what readers see.
func (d *Database) notCurrent(ctx context.Context, g streaming.Generation) error {
	d.generations.forget()
	f, _, err := d.lookUp(ctx)
	if err == nil && f.current.Generation == g {
		err = fmt.Errorf("storage: generation %d: %w", g, ErrCurrent)
	}
	return err
}

// mark writes where the rows of g are. Marks are ordered by the clock, and each
// is after the last: of two processes that overlap, the later one holds.
func (d *Database) mark(ctx context.Context, g streaming.Generation, side string) error {
	defer d.generations.forget()
	var last uint64
	row := d.conn.QueryRow(ctx, fmt.Sprintf("SELECT max(stamp) FROM sides WHERE generation = %d", g))
	if err := row.Scan(&last); err != nil {
		return classify(ctx, "read where a generation is", err)
	}
	b, err := d.prepare(ctx, "INSERT INTO sides (generation, side, stamp)")
	if err == nil {
		if err = b.Append(uint32(g), side, max(last+1, uint64(time.Now().UnixNano()))); err == nil {
			err = b.Send()
		}
	}
	return classify(ctx, "say where a generation is", err)
}
