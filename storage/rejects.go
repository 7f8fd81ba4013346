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

var rejectsTable = &table[*metrics.RejectRow]{
	name: "rejects",
	keys: 5,
	columns: []columnOf[*metrics.RejectRow]{
		uint32s("generation", func(r *metrics.RejectRow) uint32 { return generationOf(r.Version) }),
		texts("team", func(r *metrics.RejectRow) string { return r.Team }),
		int32s("origin_partition", func(r *metrics.RejectRow) int32 { return r.Origin.Partition }),
		int64s("origin_offset", func(r *metrics.RejectRow) int64 { return r.Origin.Offset }),
		int32s("origin_ordinal", func(r *metrics.RejectRow) int32 { return r.Origin.Ordinal }),

		fewTexts("source", func(r *metrics.RejectRow) string { return r.Source.String() }),
		fewTexts("kind", func(r *metrics.RejectRow) string { return r.Kind.String() }),
		ids("id", func(r *metrics.RejectRow) [16]byte { return r.ID }),
		texts("entity", func(r *metrics.RejectRow) string { return string(r.Entity) }),
		int64s("time", func(r *metrics.RejectRow) int64 { return int64(r.Time) }),
		instants("received", func(r *metrics.RejectRow) timeline.Millis { return r.Received }),
		maybeInstants("clock", func(r *metrics.RejectRow) (timeline.Millis, bool) { return r.Clock, r.Clock != streaming.NoClock }),
		fewTexts("verdict", func(r *metrics.RejectRow) string { return r.Verdict.String() }),
		fewTexts("reason", func(r *metrics.RejectRow) string { return r.Reason }),
		texts("detail", func(r *metrics.RejectRow) string { return r.Detail }),
		uint64s("version", func(r *metrics.RejectRow) uint64 { return uint64(r.Version) }),
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
