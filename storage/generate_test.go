package storage

import (
	"slices"

	"pgregory.net/rapid"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// What rows may hold. Names are as odd as any sender's: quotes, tabs, line
// breaks, other alphabets.

var anyName = rapid.OneOf(
	rapid.SampledFrom([]string{"web", "core", "acme/web", "it's", `a\b`, "tab\there", "two\nlines", "Đội", "{x:String}", "@team", "?", ""}),
	rapid.StringN(0, 12, 40),
)

var anyReason = rapid.SampledFrom([]metrics.Reason{metrics.Bot, metrics.Draft, metrics.Self, metrics.Pending})

func anyInstant(t *rapid.T, label string) timeline.Millis {
	return at(0, 0) + timeline.Millis(rapid.Int64Range(-int64(40*timeline.Day), int64(40*timeline.Day)).Draw(t, label))
}

func anyVersion(t *rapid.T) streaming.Version {
	return streaming.NewVersion(1, streaming.Round(rapid.Int64Range(1, 1<<39).Draw(t, "round")))
}

func anyPerson(t *rapid.T) (p event.PersonID) {
	if rapid.Bool().Draw(t, "somebody") {
		p[0], p[15] = rapid.Byte().Draw(t, "person"), 1
	}
	return p
}

func anyObservation(t *rapid.T) metrics.Observation {
	o := metrics.Observation{
		Metric: metrics.Name(anyName.Draw(t, "metric")), Item: anyName.Draw(t, "item"), Entity: event.EntityID(anyName.Draw(t, "entity")),
		Service: anyName.Draw(t, "service"), At: anyInstant(t, "at"), Value: rapid.Int64().Draw(t, "value"),
		Hit: rapid.Bool().Draw(t, "hit"), Outcome: rapid.SampledFrom([]metrics.Outcome{metrics.Observed, metrics.Excluded, metrics.Ignored}).Draw(t, "outcome"),
		Person: anyPerson(t), Primary: rapid.Bool().Draw(t, "primary"),
		Class: timeline.Class(rapid.IntRange(0, 3).Draw(t, "class")), Known: event.ZoneSource(rapid.IntRange(0, 3).Draw(t, "known")),
		Basis: rapid.SampledFrom([]string{"", "measured", "from_open"}).Draw(t, "basis"), URL: anyName.Draw(t, "url"), Label: anyName.Draw(t, "label"),
	}
	if rapid.Bool().Draw(t, "started") {
		o.Start = anyInstant(t, "start")
	}
	if o.Outcome != metrics.Observed {
		o.Reason = anyReason.Draw(t, "reason")
	}
	return o
}

// anyPoint holds an aggregate of any observations, as the engine makes it.
func anyPoint(t *rapid.T) *metrics.Point {
	d := rapid.SampledFrom(metrics.Definitions()).Draw(t, "metric")
	p := &metrics.Point{
		Version: anyVersion(t), Team: anyName.Draw(t, "team"), Metric: d.Name, Definition: d, Service: anyName.Draw(t, "service"),
		Grain: rapid.SampledFrom([]metrics.Grain{metrics.Hour, metrics.Day, metrics.Day30}).Draw(t, "grain"), Start: anyInstant(t, "start"),
		Zone: rapid.SampledFrom([]string{"UTC", "Asia/Ho_Chi_Minh"}).Draw(t, "zone"), CoveredDays: -1,
		Status:    rapid.SampledFrom([]metrics.Status{metrics.Provisional, metrics.Final, metrics.Revised}).Draw(t, "status"),
		Aggregate: new(metrics.Aggregate), LateAccepted: rapid.Int64Range(0, 9).Draw(t, "late"), LateDropped: rapid.Int64Range(0, 9).Draw(t, "dropped"),
		Duplicates: rapid.Int64Range(0, 9).Draw(t, "duplicates"),
	}
	p.End = p.Start + timeline.Hour
	if p.Grain == metrics.Day30 {
		p.CoveredDays = int32(rapid.IntRange(0, 30).Draw(t, "covered"))
	}
	for range rapid.IntRange(0, 8).Draw(t, "observations") {
		o := anyObservation(t)
		o.Value = rapid.Int64Range(0, 1<<40).Draw(t, "length")
		p.Aggregate.Add(d.Statistic, &o)
	}
	if p.N() == 0 {
		p.Missing = metrics.NothingObserved
		p.Withdrawn = rapid.Bool().Draw(t, "withdrawn")
	}
	return p
}

func anyQuality(t *rapid.T) *metrics.QualityRow {
	n := func(label string) int64 { return rapid.Int64Range(0, 1<<50).Draw(t, label) }
	return &metrics.QualityRow{
		Version: anyVersion(t), Team: anyName.Draw(t, "team"), Source: rapid.SampledFrom(event.Sources[:]).Draw(t, "source"),
		Kind: rapid.SampledFrom([]event.Kind{event.PullRequestOpened, event.Pushed, event.CommitDefective}).Draw(t, "kind"), Cell: timeline.CellOf(anyInstant(t, "cell")),
		Decoded: n("decoded"), Accepted: n("accepted"), LateAccepted: n("late_accepted"), Backfilled: n("backfilled"), Healed: n("healed"),
		Late: n("late"), Duplicates: n("duplicates"), Quarantined: n("quarantined"),
	}
}

func anyReject(t *rapid.T) *metrics.RejectRow {
	r := &metrics.RejectRow{
		Version: anyVersion(t), Team: anyName.Draw(t, "team"),
		Origin: streaming.Origin{Partition: rapid.Int32().Draw(t, "partition"), Offset: rapid.Int64().Draw(t, "offset"), Ordinal: rapid.Int32().Draw(t, "ordinal")},
		Source: rapid.SampledFrom(event.Sources[:]).Draw(t, "source"), Kind: event.Pushed, Entity: event.EntityID(anyName.Draw(t, "entity")),
		Time: timeline.Millis(rapid.Int64().Draw(t, "time")), Received: anyInstant(t, "received"), Clock: streaming.NoClock,
		Verdict: rapid.SampledFrom([]event.Verdict{event.Late, event.Quarantined}).Draw(t, "verdict"), Reason: anyName.Draw(t, "reason"), Detail: anyName.Draw(t, "detail"),
	}
	r.ID = event.NewID(anyName.Draw(t, "id"))
	if rapid.Bool().Draw(t, "judged") {
		r.Clock = anyInstant(t, "clock")
	}
	return r
}

func anyCoverage(t *rapid.T) *metrics.CoverageRow {
	c := &metrics.CoverageRow{Version: anyVersion(t), Team: anyName.Draw(t, "team"), Source: rapid.SampledFrom(event.Sources[:]).Draw(t, "source")}
	if rapid.Bool().Draw(t, "covered") {
		c.From, c.Last = anyInstant(t, "from"), anyInstant(t, "last")
	}
	for range rapid.IntRange(0, 2).Draw(t, "spans") {
		c.Covered = append(c.Covered, timeline.Window{Start: anyInstant(t, "start"), End: anyInstant(t, "end")})
		c.Gaps = append(c.Gaps, timeline.Window{Start: anyInstant(t, "lost"), End: anyInstant(t, "found")})
	}
	return c
}

// newest is the oracle of all writing: of each key the row of the highest
// version, of equal versions the last.
func newest[R metrics.Row](rows []R) map[RowKey]R {
	out := map[RowKey]R{}
	for _, r := range rows {
		if old, ok := out[KeyOf(r)]; !ok || VersionOf(r) >= VersionOf(old) {
			out[KeyOf(r)] = r
		}
	}
	return out
}

func asRows[R metrics.Row](list []R) (rows []metrics.Row) {
	for _, r := range list {
		rows = append(rows, r)
	}
	return slices.Clip(rows)
}
