package storage

import (
	"context"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

type observationKey struct {
	generation streaming.Generation
	team       string
	metric     metrics.Name
	service    string
	at         timeline.Millis
	entity     event.EntityID
	item       string
	outcome    metrics.Outcome
	reason     metrics.Reason
}

// outcomeNames are the names in the table's Enum8.
var outcomeNames = [...]string{"", metrics.Observed: "observed", metrics.Excluded: "excluded", metrics.Ignored: "ignored"}

var observationsTable = table[*metrics.ObservationRow, observationKey]{
	name: "observations",
	columns: "generation, team, metric, service, at, entity, item, outcome, reason, start, value, hit, person, is_primary, class, zone_known, basis, url, label, " +
		"version, is_deleted",
	key: func(o *metrics.ObservationRow) observationKey {
		return observationKey{o.Version.Generation(), o.Team, o.Metric, o.Service, o.At, o.Entity, o.Item, o.Outcome, o.Reason}
	},
	version: func(o *metrics.ObservationRow) streaming.Version { return o.Version },
	append: func(b driver.Batch, o *metrics.ObservationRow) error {
		return b.Append(
			uint32(o.Version.Generation()), o.Team, string(o.Metric), o.Service, instant(o.At), string(o.Entity), o.Item, outcomeNames[o.Outcome], string(o.Reason),
			instantOrNull(o.Start), o.Value, o.Hit, string(o.Person[:]), o.Primary, uint8(o.Class), uint8(o.Known), o.Basis, o.URL, o.Label,
			uint64(o.Version), bit(o.Deleted),
		)
	},
}

// Observations returns the evidence of a query, newest first, at most limit,
// after cursor ("": from the beginning), and the cursor of the rest ("": there
// is none). Service "" is every service: a total is made of all. Rows that are
// written between two pages move no other row from one page to another.
func (r *Reader) Observations(ctx context.Context, q metrics.Query, cursor string, limit int) (list []metrics.ObservationRow, next string, err error) {
	after := observationCursor{At: int64(clamp(q.To))}
	if err := decodeCursor(cursor, &after); err != nil {
		return nil, "", err
	}
	args := queryArgs(q)
	args["first"], args["limit"], args["at"] = cursor == "", uint32(limit)+1, after.At
	args["after_team"], args["after_metric"], args["after_service"], args["after_entity"] = after.Team, after.Metric, after.Service, after.Entity
	args["after_item"], args["after_outcome"], args["after_reason"] = after.Item, after.Outcome, after.Reason
	err = r.query(ctx, "observations", "observations", q.Generation, args, func(rows driver.Rows) error {
		o, err := scanObservation(rows)
		list = append(list, o)
		return err
	})
	if err != nil || len(list) <= limit {
		return list, "", err
	}
	list = list[:limit]
	last := list[limit-1]
	return list, encodeCursor(observationCursor{
		At: int64(last.At), Team: last.Team, Metric: string(last.Metric), Service: last.Service, Entity: string(last.Entity),
		Item: last.Item, Outcome: outcomeNames[last.Outcome], Reason: string(last.Reason),
	}), nil
}

func scanObservation(rows driver.Rows) (o metrics.ObservationRow, err error) {
	var metric, entity, outcome, reason, person string
	var at time.Time
	var start *time.Time
	var class, known uint8
	var version uint64
	if err := rows.Scan(&o.Team, &metric, &o.Service, &at, &entity, &o.Item, &outcome, &reason, &start, &o.Value, &o.Hit, &person,
		&o.Primary, &class, &known, &o.Basis, &o.URL, &o.Label, &version); err != nil {
		return o, err
	}
	o.Metric, o.Entity, o.Reason = metrics.Name(metric), event.EntityID(entity), metrics.Reason(reason)
	o.Outcome = metrics.Outcome(max(0, slices.Index(outcomeNames[:], outcome)))
	o.At, o.Start, o.Version = timeline.FromTime(at), millis(start), streaming.Version(version)
	o.Class, o.Known = timeline.Class(class), event.ZoneSource(known)
	copy(o.Person[:], person)
	return o, nil
}
