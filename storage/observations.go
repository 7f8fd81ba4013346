package storage

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// outcomeNames are the names in the table's Enum8.
var outcomeNames = [...]string{"", metrics.Observed: "observed", metrics.Excluded: "excluded", metrics.Ignored: "ignored"}

const outcomeKind = "Enum8('observed' = 1, 'excluded' = 2, 'ignored' = 3)"

var observationsTable = &table[*metrics.ObservationRow]{
	name: "observations",
	keys: 9,
	columns: []columnOf[*metrics.ObservationRow]{
		uint32s("generation", func(o *metrics.ObservationRow) uint32 { return generationOf(o.Version) }),
		texts("team", func(o *metrics.ObservationRow) string { return o.Team }),
		fewTexts("metric", func(o *metrics.ObservationRow) string { return string(o.Metric) }),
		texts("service", func(o *metrics.ObservationRow) string { return o.Service }),
		instants("at", func(o *metrics.ObservationRow) timeline.Millis { return o.At }),
		texts("entity", func(o *metrics.ObservationRow) string { return string(o.Entity) }),
		texts("item", func(o *metrics.ObservationRow) string { return o.Item }),
		constants("outcome", outcomeKind, func(o *metrics.ObservationRow) int8 { return int8(o.Outcome) }),
		fewTexts("reason", func(o *metrics.ObservationRow) string { return string(o.Reason) }),

		maybeInstants("start", func(o *metrics.ObservationRow) (timeline.Millis, bool) { return known(o.Start) }),
		int64s("value", func(o *metrics.ObservationRow) int64 { return o.Value }),
		bools("hit", func(o *metrics.ObservationRow) bool { return o.Hit }),
		ids("person", func(o *metrics.ObservationRow) [16]byte { return o.Person }),
		bools("is_primary", func(o *metrics.ObservationRow) bool { return o.Primary }),
		uint8s("class", func(o *metrics.ObservationRow) uint8 { return uint8(o.Class) }),
		uint8s("zone_known", func(o *metrics.ObservationRow) uint8 { return uint8(o.Known) }),
		fewTexts("basis", func(o *metrics.ObservationRow) string { return o.Basis }),
		texts("url", func(o *metrics.ObservationRow) string { return o.URL }),
		texts("label", func(o *metrics.ObservationRow) string { return o.Label }),
		uint64s("version", func(o *metrics.ObservationRow) uint64 { return uint64(o.Version) }),
		uint8s("is_deleted", func(o *metrics.ObservationRow) uint8 { return bit(o.Deleted) }),
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
	pages, err := ask(ctx, r, &r.evidence, q.Generation, question[evidencePage]{
		key:   fmt.Sprintf("%#v %q %d", q, cursor, limit),
		stale: true,
		all: func(ctx context.Context, p place) ([]evidencePage, error) {
			var page evidencePage
			err := r.queryIn(ctx, p, "observations", "observations", args, func(rows driver.Rows) error {
				o, err := scanObservation(rows)
				page.rows = append(page.rows, o)
				return err
			})
			return []evidencePage{page}, err
		},
		news: func(ctx context.Context, p keptOf, now, was mark) (stale []evidencePage, ok bool, err error) {
			if q.From < now.clock-newsReach {
				return nil, false, nil
			}
			rows, ok, err := r.observationNews.since(ctx, p, now, was)
			teams, names := setOf(q.Teams), setOf(args["metrics"].([]string))
			if slices.ContainsFunc(rows, func(o metrics.ObservationRow) bool {
				return (args["all_metrics"].(bool) || names[string(o.Metric)]) && (teams == nil || teams[o.Team]) && o.At >= q.From && o.At < q.To
			}) {
				stale = []evidencePage{{}}
			}
			return stale, ok, err
		},
	})
	if err != nil {
		return nil, "", err
	}
	list = slices.Clone(pages[0].rows)
	if len(list) <= limit {
		return list, "", nil
	}
	list = list[:limit]
	last := list[limit-1]
	return list, encodeCursor(observationCursor{
		At: int64(last.At), Team: last.Team, Metric: string(last.Metric), Service: last.Service, Entity: string(last.Entity),
		Item: last.Item, Outcome: outcomeNames[last.Outcome], Reason: string(last.Reason),
	}), nil
}

// evidencePage are the rows of one page of evidence.
type evidencePage struct{ rows []metrics.ObservationRow }

func scanObservation(rows driver.Rows, more ...any) (o metrics.ObservationRow, err error) {
	var metric, entity, outcome, reason, person string
	var at time.Time
	var start *time.Time
	var class, known uint8
	var version uint64
	into := append([]any{
		&o.Team, &metric, &o.Service, &at, &entity, &o.Item, &outcome, &reason, &start, &o.Value, &o.Hit, &person,
		&o.Primary, &class, &known, &o.Basis, &o.URL, &o.Label, &version,
	}, more...)
	if err := rows.Scan(into...); err != nil {
		return o, err
	}
	o.Metric, o.Entity, o.Reason = metrics.Name(metric), event.EntityID(entity), metrics.Reason(reason)
	o.Outcome = metrics.Outcome(max(0, slices.Index(outcomeNames[:], outcome)))
	o.At, o.Start, o.Version = timeline.FromTime(at), millis(start), streaming.Version(version)
	o.Class, o.Known = timeline.Class(class), event.ZoneSource(known)
	copy(o.Person[:], person)
	return o, nil
}
