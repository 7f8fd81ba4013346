package web

import (
	"context"

	"meridian/metrics"
)

// covered is since when each team's sources are covered, for the many series of one
// page: most of them have the same sources. It is no good for two goroutines.
type covered struct {
	rows  map[string][]metrics.CoverageRow // by team
	known map[string]metrics.Coverage      // of one team, by team and sources
}

func newCovered(rows []metrics.CoverageRow) *covered {
	c := &covered{rows: map[string][]metrics.CoverageRow{}, known: map[string]metrics.Coverage{}}
	for _, r := range rows {
		c.rows[r.Team] = append(c.rows[r.Team], r)
	}
	return c
}

// coverage reads since when each team's sources are covered.
func (g *Guard) coverage(ctx context.Context) (*covered, error) {
	rows, err := g.results.Coverage(ctx)
	return newCovered(rows), readError(err)
}

// of is since when any of some teams has data of a metric.
func (c *covered) of(d *metrics.Definition, teams []string) metrics.Coverage {
	if len(teams) != 1 {
		var rows []metrics.CoverageRow
		for _, t := range teams {
			rows = append(rows, c.rows[t]...)
		}
		return metrics.CoverageOf(d, rows)
	}
	key := make([]byte, 0, 40)
	for _, s := range d.Sources {
		key = append(key, byte(s))
	}
	key = append(append(key, 0, byte(d.Subject)), teams[0]...)
	found, ok := c.known[string(key)]
	if !ok {
		found = metrics.CoverageOf(d, c.rows[teams[0]])
		c.known[string(key)] = found
	}
	return found
}
