package web

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
)

// countBasis marks evidence that is a count of acts and not an act.
const countBasis = "count"

// peopleEvidence is the evidence of a person metric: how many acts of each class a
// day holds, where the day may be shown, the newest first. It is for those with
// the role, and still nobody's acts.
func (g *Guard) peopleEvidence(ctx context.Context, as metrics.AsOf, d *metrics.Definition, teams []string, w timeline.Window, cursor string, limit int) ([]metrics.ObservationRow, string, error) {
	if !ReaderOf(ctx).May(People) {
		return nil, "", withheld("The items behind a number about people would show what one person did and when. Who has the role people sees counts by class and day, and everybody their own.")
	}
	points, err := g.EachTeam(ctx, SeriesQuery{
		Generation: as.Generation, Clock: as.Clock, Definition: d, Grain: metrics.Day, From: w.Start, To: w.End,
	}, teams)
	if err != nil {
		return nil, "", err
	}
	var rows []metrics.ObservationRow
	for _, p := range points {
		if p.Missing != "" || p.Aggregate == nil {
			continue
		}
		put := func(class string, n int64) {
			if n == 0 {
				return
			}
			z, err := timeline.ParseZone(p.Zone)
			if err != nil {
				z = timeline.UTC()
			}
			day := z.Date(p.Start).String()
			rows = append(rows, metrics.ObservationRow{Team: p.Team, Observation: metrics.Observation{
				Metric: d.Name, Entity: event.EntityID(day), Item: class, Start: p.Start, At: p.End, Value: n, Outcome: metrics.Observed,
				Basis: countBasis, Label: strings.TrimSuffix(fmt.Sprintf("%s, %s", day, class), ", "),
			}})
		}
		if !d.Zones { // not by when in the day it was
			put("", p.Aggregate.All.N)
			continue
		}
		for class, n := range p.Aggregate.All.Classes {
			put(timeline.Class(class).String(), n)
		}
	}
	slices.SortStableFunc(rows, func(a, b metrics.ObservationRow) int { return int((b.Start - a.Start) / timeline.Hour) })
	return pageOf(rows, cursor, limit)
}

// pageOf is a page of a list whose cursors are places in it.
func pageOf(rows []metrics.ObservationRow, cursor string, limit int) ([]metrics.ObservationRow, string, error) {
	from := 0
	if cursor != "" {
		n, err := strconv.Atoi(cursor)
		if err != nil || n < 0 || n > len(rows) {
			return nil, "", badRequest("The cursor was not made by this server. Begin again without one.")
		}
		from = n
	}
	if rows = rows[from:]; len(rows) > limit {
		return rows[:limit], strconv.Itoa(from + limit), nil
	}
	return rows, "", nil
}

// ownMost bounds how many observations of others are passed over to find one's own.
const ownMost = 50_000

// ownEvidence lists the reader's own observations, which are theirs to see.
func (g *Guard) ownEvidence(ctx context.Context, as metrics.AsOf, d *metrics.Definition, teams []string, w timeline.Window, cursor string, limit int) ([]metrics.ObservationRow, string, error) {
	me := ReaderOf(ctx).Person
	if me == (event.PersonID{}) {
		return nil, "", withheld("The catalog does not know who you are: it finds people by the e-mail address with which they sign in.")
	}
	if err := g.allow(ctx, teams...); err != nil || len(teams) == 0 {
		return nil, "", err
	}
	q := metrics.Query{Generation: as.Generation, Metric: d.Name, Teams: teams, From: w.Start, To: w.End}
	var own []metrics.ObservationRow
	next := ""
	for read := 0; read < ownMost; {
		rows, after, err := g.results.Observations(ctx, q, next, 1000)
		if err != nil {
			return nil, "", readError(err)
		}
		for _, o := range rows {
			if o.Person == me {
				own = append(own, o)
			}
		}
		if read, next = read+len(rows), after; next == "" || len(rows) == 0 {
			break
		}
	}
	return pageOf(own, cursor, limit)
}
