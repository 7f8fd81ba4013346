package web

import (
	"context"
	"fmt"
	"net/http"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

// headlines are the metrics that the overview shows, in its order.
var headlines = [...]metrics.Name{
	"pr_pickup_time", "pr_review_time", "pr_time_to_merge", "pr_merged", "deploy_frequency", "issue_cycle_time", "after_hours",
}

// minuteLags is how far the organisation's numbers may be behind the clock that their
// page names: an instance where nothing happens ticks every five minutes.
const minuteLags = 6 * timeline.Minute

// slidingDays is how many earlier windows of 30 days a headline looks back on:
// the first of them ends where the running one begins.
const slidingDays = 30

func (s *Server) overview(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	as, err := s.guard.AsOf(ctx)
	if err != nil {
		return err
	}
	say := language.Of(ctx)
	p := newParams(r.URL.Query(), "to")
	until := p.until(s.directory.Zone(), as.Clock)
	if p.err != nil {
		return p.err
	}
	page := s.page(r, say.Common.AllTeams, "overview", as)
	teams, err := s.guard.Teams(ctx)
	if err != nil {
		return err
	}
	v := views.Overview{Page: page}
	if as.Clock <= 0 || len(teams) == 0 {
		if v.Importing = importing(s.status.Engine(), as); v.Importing != nil {
			v.Page.Title, v.Page.Poll, v.Page.Notices = say.Overview.ImportingPage, true, nil
			return s.render(w, r, http.StatusOK, v.Render())
		}
		heard, err := s.guard.Heard(ctx)
		if err != nil {
			return err
		}
		v.Connect = s.connect(say, heard)
		v.Page.Title = say.Overview.ConnectTitle
		return s.render(w, r, http.StatusOK, v.Render())
	}
	defs := s.headlines()
	latest, err := s.latest(ctx, as, teams, defs, until)
	if err != nil {
		return err
	}
	for _, d := range defs {
		v.Columns = append(v.Columns, views.Column{Title: d.Passport.Title, Question: d.Passport.Question})
	}
	for _, name := range teams {
		t := s.directory.Team(name)
		row := views.TeamRow{Name: name, Href: page.Site.Path("teams", name), Group: t.Group, Zone: zoneOf(t).Name()}
		for _, d := range defs {
			row.Stats = append(row.Stats, stat(say, d, latest[name][d.Name], page.Site.Path("teams", name, string(d.Name))))
		}
		v.Teams = append(v.Teams, row)
	}
	v.Compared, v.Moves = true, s.changed(say, page.Site, teams, defs, latest)
	whole := s.guard.organisation(teams)
	v.Period = periodText(whole.Zone, until.days(whole.Zone, as.Clock, 30), as.Clock)
	v.Title, v.UpTo = say.Overview.Title, s.upTo(until, page.Site.Path(), nil, whole.Zone, as)
	if until.chosen {
		v.Title = say.Number.DaysTo(dayText(until.date, whole.Zone.Date(as.Clock)))
	}
	v.Exports = s.overviewExports(say, until, as)
	if len(teams) > 1 {
		v.Caption = say.Overview.Caption(len(teams))
		v.Whole, err = lately(ctx, s.minute, as, "whole "+say.Tag+until.key()+ReaderOf(ctx).teams(), func(ctx context.Context) ([]views.Stat, error) { return s.whole(ctx, as, whole, defs, until) })
		if err != nil {
			return err
		}
	}
	return s.render(w, r, http.StatusOK, v.Render())
}

// latest are the last windows of some metrics of the reader's teams.
func (s *Server) latest(ctx context.Context, as metrics.AsOf, teams []string, defs []*metrics.Definition, until until) (map[string]map[metrics.Name][]*metrics.Point, error) {
	key := "latest" + until.key()
	for _, d := range defs {
		key += string(d.Name) + " "
	}
	return remember(&s.memo, as, key+ReaderOf(ctx).teams(), func() (map[string]map[metrics.Name][]*metrics.Point, error) {
		return s.guard.Latest(ctx, as, teams, defs, slidingDays, until)
	})
}

// importing says how far history is that no page can show yet, or nil where
// there is none. Nothing tells of rows meanwhile, so the page asks by itself.
func importing(e EngineStatus, as metrics.AsOf) *views.Importing {
	v := &views.Importing{Text: e.Importing}
	if v.Text != "" {
		if n, _ := fmt.Sscanf(v.Text, "%d of %d", &v.Done, &v.Of); n != 2 || v.Done > v.Of {
			v.Done, v.Of = 0, 0
		}
		return v
	}
	if e.History && uint32(as.Generation) != e.Generation {
		return v // all of it is on the log, and its numbers are being computed
	}
	return nil
}

// whole are the organisation's headlines. Its windows are merged from days, so
// its line has a point for every third day and not for each.
func (s *Server) whole(ctx context.Context, as metrics.AsOf, scope Scope, defs []*metrics.Definition, until until) (out []views.Stat, err error) {
	today := until.in(scope.Zone, as.Clock)
	for _, d := range defs {
		q := SeriesQuery{
			Generation: as.Generation, Clock: as.Clock, Definition: d, Scope: scope, Grain: metrics.Day30,
			From: scope.Zone.Midnight(today - 29 - slidingDays), To: scope.Zone.Midnight(today-29) + 1,
		}
		points, err := s.guard.Sparse(ctx, q, 3)
		if err != nil {
			return nil, err
		}
		out = append(out, stat(language.Of(ctx), d, points, ""))
	}
	return out, nil
}

// headlines are the overview's metrics that are not disabled; where all are,
// the first that there are.
func (s *Server) headlines() (defs []*metrics.Definition) {
	for _, name := range headlines {
		if d := s.guard.definition(string(name)); d != nil {
			defs = append(defs, d)
		}
	}
	if defs == nil {
		defs = s.guard.definitions[:min(len(headlines), len(s.guard.definitions))]
	}
	return defs
}

// lastDays are the n local days that end with the clock's.
func lastDays(z *timeline.Zone, clock timeline.Millis, n int) timeline.Window {
	today := z.Date(clock)
	return timeline.Window{Start: z.Midnight(today.AddDays(1 - n)), End: z.Midnight(today + 1)}
}
