package web

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
)

// Guard stands in front of Results, and everything that leaves the server has
// come through it. Work metrics pass. Person metrics (docs/access.md)
//
//   - need MinPeople distinct people active in a window, else the point is there
//     without a value, its reason below_min_people. That nobody was active is
//     withheld too: it says the same of each of them;
//   - are not shown below a day on a shared server;
//   - are not shown where they could be subtracted from others that are, so that
//     fewer people are left (blocks.go), and of no other run than readers see;
//   - have counts by class and day for evidence, and that for those alone who may
//     look at people (evidence_people.go).
//
// Merged windows are merged first and judged after: a month may have enough
// people though none of its days has.
//
// It also holds readers to their teams.
type Guard struct {
	results     Results
	directory   Directory
	definitions []*metrics.Definition
	minPeople   int
	shared      bool
	known       func(event.PersonID) bool
	primary     func(event.PersonID, timeline.Millis) string
	cuts        cuts
	rewritten   func() int64 // how often results that are over were changed; nil: they never are
	fingerprint string       // of what answers depend on beside the numbers
}

func newGuard(results Results, directory Directory, c Config) *Guard {
	g := &Guard{
		results: results, directory: directory, definitions: c.Definitions,
		minPeople: c.MinPeople, shared: c.Shared, known: c.Known, primary: c.Primary,
	}
	if r, ok := results.(interface{ Rewritten() int64 }); ok {
		g.rewritten = r.Rewritten
	}
	names := []any{c.MinPeople, c.Shared, metrics.LogicVersion}
	for _, d := range c.Definitions {
		names = append(names, d.Name)
	}
	g.fingerprint = fingerprint(names...)
	return g
}

// definition returns the metric of that name, or nil.
func (g *Guard) definition(name string) *metrics.Definition {
	for _, d := range g.definitions {
		if string(d.Name) == name {
			return d
		}
	}
	return nil
}

// tooFine says why a metric may not be shown at a grain, or "".
func (g *Guard) tooFine(d *metrics.Definition, grain metrics.Grain) string {
	if d.Sensitivity == metrics.PersonData && grain == metrics.Hour && g.shared {
		return "A number about people is never shown by the hour on a shared server: an hour belongs to one or two of them. Choose days."
	}
	return ""
}

// AsOf returns the generation that readers see and its clock. One look-up per
// request: it is passed on, so that a page is of one computation.
func (g *Guard) AsOf(ctx context.Context) (metrics.AsOf, error) {
	as, err := g.results.AsOf(ctx)
	as.Clock = max(as.Clock, 0) // before the first tick there is none
	return as, readError(err)
}

// Teams returns the teams of the directory and those that only have rows, of
// which the reader may see.
func (g *Guard) Teams(ctx context.Context) ([]string, error) {
	names, err := g.allTeams(ctx)
	reader := ReaderOf(ctx)
	return slices.DeleteFunc(names, func(team string) bool { return !reader.Allows(team) }), err
}

func (g *Guard) allTeams(ctx context.Context) ([]string, error) {
	names, err := g.results.Teams(ctx)
	return order(g.directory.Teams(), names), readError(err)
}

// allow refuses what is about a team that the reader may not see. Every read that
// names teams asks it, whatever the handler has asked before.
func (g *Guard) allow(ctx context.Context, teams ...string) error {
	reader := ReaderOf(ctx)
	for _, t := range teams {
		if !reader.Allows(t) {
			return &Error{Status: http.StatusForbidden, Title: "Not for you to see", Detail: "This is about teams whose numbers you may not see. Ask whoever runs this server."}
		}
	}
	return nil
}

// Services returns the services of a team that have rows.
func (g *Guard) Services(ctx context.Context, team string) ([]string, error) {
	if err := g.allow(ctx, team); err != nil {
		return nil, err
	}
	names, err := g.results.Services(ctx, team)
	return names, readError(err)
}

// Evidence returns the observations of a work metric that are dated in a range;
// of a person metric, counts of them.
func (g *Guard) Evidence(ctx context.Context, as metrics.AsOf, d *metrics.Definition, teams []string, service string, w timeline.Window, cursor string, limit int) ([]metrics.ObservationRow, string, error) {
	if d.Sensitivity == metrics.PersonData {
		return g.peopleEvidence(ctx, as, d, teams, w, cursor, limit)
	}
	if err := g.allow(ctx, teams...); err != nil {
		return nil, "", err
	}
	if len(teams) == 0 {
		return nil, "", nil // and not those of all
	}
	q := metrics.Query{Generation: as.Generation, Metric: d.Name, Teams: teams, Service: service, From: w.Start, To: w.End}
	if isGauge(d) {
		rows, next, err := g.gaugeEvidence(ctx, q, cursor, limit)
		return rows, next, readError(err)
	}
	rows, next, err := g.results.Observations(ctx, q, cursor, limit)
	return rows, next, readError(err)
}

// Heard returns the last receipt of each source that the numbers hold, of any
// team.
func (g *Guard) Heard(ctx context.Context) (map[event.Source]timeline.Millis, error) {
	rows, err := g.results.Coverage(ctx)
	last := map[event.Source]timeline.Millis{}
	for _, r := range rows {
		last[r.Source] = max(last[r.Source], r.From, r.Last)
	}
	return last, readError(err)
}

// Quality returns the verdict counts of cells that start in [from, to), of the
// reader's teams. What belongs to no team is of those who see all.
func (g *Guard) Quality(ctx context.Context, w timeline.Window) ([]metrics.QualityRow, error) {
	rows, err := g.results.Quality(ctx, w.Start, w.End)
	reader := ReaderOf(ctx)
	return slices.DeleteFunc(rows, func(r metrics.QualityRow) bool { return !reader.allowsRow(r.Team) }), readError(err)
}

// Rejects returns events that were not accepted, newest receipt first, of the
// reader's teams: fewer than asked for, where others' lie between.
func (g *Guard) Rejects(ctx context.Context, cursor string, limit int) ([]metrics.RejectRow, string, error) {
	rows, next, err := g.results.Rejects(ctx, cursor, limit)
	reader := ReaderOf(ctx)
	return slices.DeleteFunc(rows, func(r metrics.RejectRow) bool { return !reader.allowsRow(r.Team) }), next, readError(err)
}

// readError turns a failed read into an answer.
func readError(err error) error {
	var known *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err // of a run that cannot be read
	case errors.Is(err, metrics.ErrCursor):
		return badRequest("The cursor was not made by this server. Begin again without one.")
	}
	return unavailable(err)
}
