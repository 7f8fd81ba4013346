package storage

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Generation 0 is no computation: it keeps rows of generations that are gone,
// which the log can no longer give because its oldest months were trimmed. Its
// rows have the versions that they were computed with, and lie in the live tables.
const keptGeneration streaming.Generation = 0

// Keep copies the rows of g that start before an instant, and not before the
// border, to generation 0, tombstones included, each with its version: doing it
// again changes nothing. Readers look there only when the border has moved
// (SetHistoryFrom), which is done when this has returned.
func (d *Database) Keep(ctx context.Context, g streaming.Generation, before timeline.Millis) error {
	d.generations.forget()
	p, err := d.find(ctx, g)
	if err != nil {
		return err
	}
	from := p.args("")["border"].(int64)
	for _, pair := range halved {
		if pair.time == "" {
			continue
		}
		months, err := d.partitions(ctx, func(m partition, have streaming.Generation) bool {
			return have == p.generation && m.side == p.side && m.pair == pair.name
		})
		if err != nil {
			return err
		}
		for _, m := range months {
			if end, _ := m.end(); end <= timeline.Millis(from) {
				continue
			}
			if err := d.keepMonth(ctx, m, pair.time, from, int64(clamp(before))); err != nil {
				return err
			}
		}
	}
	return d.keepCoverage(ctx, p, before)
}

// keepMonth copies what one partition holds of [from, before).
func (d *Database) keepMonth(ctx context.Context, m partition, column string, from, before int64) error {
	// The partition says which generation is meant; its column would mean the
	// new value here.
	span := fmt.Sprintf("%s >= fromUnixTimestamp64Milli(%d, 'UTC') AND %s < fromUnixTimestamp64Milli(%d, 'UTC')", column, from, column, before)
	err := d.alter(ctx, fmt.Sprintf("INSERT INTO %s_live SELECT * REPLACE (toUInt32(%d) AS generation) FROM %s WHERE _partition_id = '%s' AND %s",
		m.pair, keptGeneration, m.table(), m.id, span))
	if err != nil {
		return err
	}
	var had, has uint64
	count := "SELECT count() FROM %s FINAL WHERE _partition_id = '%s' AND " + span
	if err := d.number(ctx, fmt.Sprintf(count, m.table(), m.id), &had); err != nil {
		return err
	}
	_, month, _ := strings.Cut(m.id, "-")
	kept := partition{m.pair, Live, fmt.Sprintf("%d-%s", keptGeneration, month)}
	if err := d.number(ctx, fmt.Sprintf(count, kept.table(), kept.id), &has); err != nil {
		return err
	}
	if had != has {
		return fmt.Errorf("storage: generation 0 has kept %d of the %d rows in partition %s of %s: %w", has, had, m.id, m.table(), ErrNotMoved)
	}
	return nil
}

// SetHistoryFrom moves the border forward: windows that start before it are read
// from generation 0. One that is not above the last changes nothing.
func (d *Database) SetHistoryFrom(ctx context.Context, from timeline.Millis) error {
	defer d.generations.forget()
	b, err := d.prepare(ctx, "INSERT INTO border (one, history_from)")
	if err == nil {
		if err = b.Append(uint8(1), instant(from)); err == nil {
			err = b.Send()
		}
	}
	return classify(ctx, "say what generation 0 is read for", err)
}

// HistoryFrom returns the border; 0: all is read from the current generation.
func (d *Database) HistoryFrom(ctx context.Context) (timeline.Millis, error) {
	d.generations.forget()
	f, _, err := d.lookUp(ctx)
	return f.border, err
}

// Forget removes the observations of one person from generation 0; every other
// generation is computed again without them. It returns when they are gone.
func (d *Database) Forget(ctx context.Context, person event.PersonID) error {
	defer d.reread()
	return d.alter(ctx, fmt.Sprintf("ALTER TABLE observations_live DELETE WHERE generation = %d AND person = unhex('%x')", keptGeneration, person[:]))
}

// keepCoverage adds to generation 0 what was covered before an instant.
func (d *Database) keepCoverage(ctx context.Context, p place, before timeline.Millis) error {
	old, err := d.coverageOf(ctx, keptGeneration, Live)
	if err != nil {
		return err
	}
	now, err := d.coverageOf(ctx, p.generation, p.side)
	if err != nil || len(now) == 0 {
		return err
	}
	b, err := d.prepare(ctx, "INSERT INTO coverage_live ("+columnNames(coverageTable.heads())+")")
	if err != nil {
		return classify(ctx, "keep coverage", err)
	}
	for _, c := range withKept(old, now, before) {
		if c.From >= before {
			c.From = 0
		}
		c.Covered, c.Gaps = until(c.Covered, before), until(c.Gaps, before)
		if err := b.Append(uint32(keptGeneration), c.Team, c.Source.String(), instantOrNull(c.From), instantOrNull(c.Last), pairs(c.Covered), pairs(c.Gaps), uint64(c.Version)); err != nil {
			_ = b.Abort()
			return fmt.Errorf("storage: keep coverage: %w", err)
		}
	}
	return classify(ctx, "keep coverage", b.Send())
}

// withKept is the coverage of a generation together with what was kept of the
// time before the border.
func withKept(kept, now []metrics.CoverageRow, border timeline.Millis) []metrics.CoverageRow {
	if len(kept) == 0 {
		return now
	}
	type coverageKey struct {
		team   string
		source event.Source
	}
	byKey := map[coverageKey]metrics.CoverageRow{}
	for _, c := range now {
		byKey[coverageKey{c.Team, c.Source}] = c
	}
	for _, k := range kept {
		key := coverageKey{k.Team, k.Source}
		c, ok := byKey[key]
		if !ok {
			c = metrics.CoverageRow{Version: k.Version, Team: k.Team, Source: k.Source, Last: k.Last}
		}
		if k.From != 0 && k.From < border && (c.From == 0 || k.From < c.From) {
			c.From = k.From
		}
		c.Covered, c.Gaps = joined(until(k.Covered, border), c.Covered), joined(until(k.Gaps, border), c.Gaps)
		byKey[key] = c
	}
	return slices.SortedFunc(maps.Values(byKey), func(a, b metrics.CoverageRow) int {
		return cmp.Or(cmp.Compare(a.Team, b.Team), cmp.Compare(a.Source.String(), b.Source.String()))
	})
}

// until is what lies before an instant.
func until(set []timeline.Window, end timeline.Millis) (cut []timeline.Window) {
	for _, w := range set {
		if w.End = min(w.End, end); w.Start < w.End {
			cut = append(cut, w)
		}
	}
	return cut
}

// joined is the union of two sets, sorted, without overlaps.
func joined(a, b []timeline.Window) (set []timeline.Window) {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(a, b timeline.Window) int { return cmp.Compare(a.Start, b.Start) })
	for _, w := range all {
		if n := len(set); n > 0 && w.Start <= set[n-1].End {
			set[n-1].End = max(set[n-1].End, w.End)
			continue
		}
		set = append(set, w)
	}
	return set
}
