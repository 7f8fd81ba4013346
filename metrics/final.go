package metrics

import (
	"iter"
	"slices"
	"strings"
)

// Final returns every point that has a row, as it stands after the last tick and
// with that tick's version, in order of team, metric, service, grain and start. Which
// version its row was given is not kept: it would be 8 bytes of each window.
func (e *Engine) Final() iter.Seq[*Point] {
	return func(yield func(*Point) bool) {
		for _, t := range e.sorted() {
			for _, s := range t.ordered {
				for g := range s.windows {
					for _, w := range s.windows[g] {
						if !yield(e.point(new(madePoint), s, grainIndex(g), w.key(), s.team.calendar.window(grainIndex(g), w.key()), w.said())) {
							return
						}
					}
				}
			}
		}
	}
}

func (e *Engine) sorted() []*team {
	teams := make([]*team, 0, len(e.teams))
	for _, t := range e.teams {
		teams = append(teams, t)
	}
	slices.SortFunc(teams, func(a, b *team) int { return strings.Compare(a.name, b.name) })
	return teams
}
