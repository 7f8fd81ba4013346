package web

import (
	"cmp"
	"context"
	"slices"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

// gaps are the times in which deliveries may be missing, by team and source, that
// lie in a range. They end when a backfill has read what was missed.
func (s *Server) gaps(ctx context.Context, win timeline.Window, now timeline.Millis) (out []views.Gap, err error) {
	teams, err := s.guard.Teams(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.guard.covered(ctx)
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(c metrics.CoverageRow) bool { return c.Team != "" && !slices.Contains(teams, c.Team) })
	slices.SortFunc(rows, func(a, b metrics.CoverageRow) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Team, b.Team))
	})
	z := s.directory.Zone()
	for _, c := range rows {
		for _, g := range c.Gaps {
			if g.Start >= win.End || g.End <= win.Start {
				continue
			}
			out = append(out, views.Gap{
				Source: sourceTitle(language.Of(ctx), c.Source), Team: c.Team, From: instant(z, g.Start, now), To: instant(z, g.End, now),
				Length: views.Duration(float64(g.Length()) / 1000),
			})
		}
	}
	return out, nil
}
