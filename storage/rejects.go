package storage

import (
	"context"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

type rejectKey struct {
	generation streaming.Generation
	team       string
	origin     streaming.Origin
}

var rejectsTable = table[*metrics.RejectRow, rejectKey]{
	name: "rejects",
	columns: "generation, team, origin_partition, origin_offset, origin_ordinal, source, kind, id, entity, time, received, clock, verdict, reason, detail, " +
		"version",
	key: func(r *metrics.RejectRow) rejectKey {
		return rejectKey{r.Version.Generation(), r.Team, r.Origin}
	},
	version: func(r *metrics.RejectRow) streaming.Version { return r.Version },
	append: func(b driver.Batch, r *metrics.RejectRow) error {
		var clock *time.Time
		if r.Clock != streaming.NoClock {
			t := instant(r.Clock)
			clock = &t
		}
		return b.Append(
			uint32(r.Version.Generation()), r.Team, r.Origin.Partition, r.Origin.Offset, r.Origin.Ordinal, r.Source.String(), r.Kind.String(), string(r.ID[:]),
			string(r.Entity), int64(r.Time), instant(r.Received), clock, r.Verdict.String(), r.Reason, r.Detail, uint64(r.Version),
		)
	},
}

// Rejects returns events of the current generation that were not accepted,
// newest receipt first, at most limit, after cursor ("": from the beginning),
// and the cursor of the rest ("": there is none).
func (r *Reader) Rejects(ctx context.Context, cursor string, limit int) (list []metrics.RejectRow, next string, err error) {
	return r.rejects(ctx, "", cursor, limit)
}

// Quarantined is [Reader.Rejects] without what came too late: what somebody may
// want to put through again.
func (r *Reader) Quarantined(ctx context.Context, cursor string, limit int) (list []metrics.RejectRow, next string, err error) {
	return r.rejects(ctx, event.Quarantined.String(), cursor, limit)
}

func (r *Reader) rejects(ctx context.Context, verdict, cursor string, limit int) (list []metrics.RejectRow, next string, err error) {
	after := rejectCursor{Received: int64(latest)}
	if err := decodeCursor(cursor, &after); err != nil {
		return nil, "", err
	}
	args := map[string]any{
		"verdict": verdict, "first": cursor == "", "limit": uint32(limit) + 1, "received": after.Received, "after_partition": after.Partition,
		"after_offset": after.Offset, "after_ordinal": after.Ordinal, "after_team": after.Team,
	}
	err = r.query(ctx, "rejects", "rejects", 0, args, func(rows driver.Rows) error {
		x, err := scanReject(rows)
		list = append(list, x)
		return err
	})
	if err != nil || len(list) <= limit {
		return list, "", err
	}
	list = list[:limit]
	last := list[limit-1]
	return list, encodeCursor(rejectCursor{
		Received: int64(last.Received), Partition: last.Origin.Partition, Offset: last.Origin.Offset, Ordinal: last.Origin.Ordinal, Team: last.Team,
	}), nil
}

func scanReject(rows driver.Rows) (x metrics.RejectRow, err error) {
	var source, kind, id, entity, verdict string
	var t int64
	var received time.Time
	var clock *time.Time
	var version uint64
	if err := rows.Scan(&x.Team, &x.Origin.Partition, &x.Origin.Offset, &x.Origin.Ordinal, &source, &kind, &id, &entity, &t, &received, &clock,
		&verdict, &x.Reason, &x.Detail, &version); err != nil {
		return x, err
	}
	x.Source, x.Kind, x.Verdict, x.Entity = event.ParseSource(source), event.ParseKind(kind), event.ParseVerdict(verdict), event.EntityID(entity)
	x.Time, x.Received, x.Clock, x.Version = timeline.Millis(t), timeline.FromTime(received), streaming.NoClock, streaming.Version(version)
	if clock != nil {
		x.Clock = timeline.FromTime(*clock)
	}
	copy(x.ID[:], id)
	return x, nil
}
