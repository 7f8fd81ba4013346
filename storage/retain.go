package storage

import (
	"context"
	"time"

	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Kept is the first instant of which rows are kept at now, when they are kept for
// a length of time; 0 is for ever, and everything is. Rows are dropped by whole
// months, so up to a month longer than asked.
func Kept(now timeline.Millis, keep timeline.Millis) timeline.Millis {
	if keep <= 0 {
		return earliest
	}
	t := (now - keep).Time()
	return timeline.FromTime(time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC))
}

// Retain drops the months before an instant (of Kept) from all tables, in both
// halves and of all generations, number 0 included, and returns how many
// partitions that were. A month that is computed or written again goes again with
// the next call. It is a drop of files, not a deletion of rows, so it costs nothing;
// a TTL would have to be part of the tables and could not follow a setting.
func (d *Database) Retain(ctx context.Context, from timeline.Millis) (dropped int, err error) {
	old, err := d.partitions(ctx, func(p partition, _ streaming.Generation) bool {
		end, ok := p.end()
		return ok && end <= from
	})
	if err != nil {
		return 0, err
	}
	if len(old) > 0 {
		defer d.reread()
	}
	for _, p := range old {
		if err := d.drop(ctx, p); err != nil {
			return dropped, err
		}
		dropped++
	}
	return dropped, nil
}
