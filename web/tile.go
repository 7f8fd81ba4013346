package web

import (
	"context"
	"math"
	"slices"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

// A team is compared with its own past and with nobody else's: the band behind
// each line is where eight in ten of its earlier windows were.
const (
	pastDays  = 60                // before the 30 that a line shows
	pastHours = 14 * timeline.Day // before the 48 hours that it shows
	pastLeast = 8                 // windows that a band needs
)

// teamNote says what the numbers of a team's page are at a grain.
func teamNote(say *language.Words, g metrics.Grain) string {
	switch g {
	case metrics.Day:
		return say.Team.NoteDay
	case metrics.Hour:
		return say.Team.NoteHour
	}
	return say.Team.NoteDay30
}

// shownWindows is how many windows the line of a tile has.
var shownWindows = map[metrics.Grain]int{metrics.Day30: slidingDays + 1, metrics.Day: 30, metrics.Hour: 48}

// tileOf is a metric as a team's page shows it: its points with their past.
func tileOf(say *language.Words, d *metrics.Definition, grain metrics.Grain, z *timeline.Zone, points []*metrics.Point, usual usual, now timeline.Millis, href string) views.Stat {
	shown := points[max(0, len(points)-shownWindows[grain]):]
	st := stat(say, d, shown, href)
	last := len(shown) - 1
	if grain != metrics.Day30 {
		for last > 0 && (shown[last].Missing != "" || shown[last].N() == 0) {
			last--
		}
		if last < 0 || shown[last].N() == 0 {
			last = len(shown) - 1
		}
		if last >= 0 {
			p := shown[last]
			st.Value, st.N, st.Status, st.Change = valueOf(p), nText(say, p), string(p.Status), views.Change{}
			st.Few = st.Value.Reason == "" && p.N() < fewBelow && (distribution(d) || d.Statistic == metrics.Share)
			st.Detail = windowText(say, z, grain, timeline.Window{Start: p.Start, End: p.End}, now)
		}
	} else if last >= 0 {
		last = newestShown(d, shown)
		st.Detail = detail(say, shown[last])
	}
	low, high := usual.low, usual.high
	if !usual.known || low == high || len(shown) == 0 || st.Value.Reason != "" {
		return st
	}
	values := make([]float64, len(shown))
	for i, p := range shown {
		values[i] = nanWithout(p.Value())
	}
	unit := shown[last].Unit()
	st.Spark = views.NewSparkBand(st.Spark.Label, values, low, high)
	st.Usual = say.Number.Usual(views.Number(low, unit), views.Number(high, unit))
	return st
}

// usual is where eight in ten of a metric's earlier values were.
type usual struct {
	low, high float64
	known     bool
}

func band(points []*metrics.Point) (u usual) {
	var values []float64
	for _, p := range points {
		if v := nanWithout(p.Value()); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	if len(values) < pastLeast {
		return u
	}
	slices.Sort(values)
	n := len(values)
	return usual{values[n/10], values[n-1-n/10], true}
}

// pastEvery is how often a band is worked out anew: it is of months, and reading
// them with every refresh would cost ten times what the page shows.
const pastEvery = 10 * timeline.Minute

// coarse is a computation as of the last multiple of pastEvery.
func coarse(as metrics.AsOf) metrics.AsOf { return within(as, pastEvery) }

// within is a computation as of the last multiple of a length: what is of many
// teams costs too much to be worked out at each tick.
func within(as metrics.AsOf, length timeline.Millis) metrics.AsOf {
	as.Clock -= as.Clock % length
	return as
}

// usuals are the bands of a team's metrics by hours or days.
func (s *Server) usuals(ctx context.Context, as metrics.AsOf, team string, grain metrics.Grain, until until) (map[metrics.Name]usual, error) {
	return lately(ctx, s.past, as, "usual "+string(grain)+until.key()+team, func(ctx context.Context) (map[metrics.Name]usual, error) {
		all, err := s.guard.Recent(ctx, coarse(as), team, grain, until, true)
		return bands(all, grain), err
	})
}

// bands are those of the windows before the ones that a line shows.
func bands(all map[metrics.Name][]*metrics.Point, grain metrics.Grain) map[metrics.Name]usual {
	out := make(map[metrics.Name]usual, len(all))
	for name, points := range all {
		out[name] = band(points[:max(0, len(points)-shownWindows[grain])])
	}
	return out
}
