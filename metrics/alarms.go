package metrics

import (
	"cmp"
	"strings"

	"meridian/streaming"
)

// never is a clock that no tick reaches.
const never = streaming.Never

// alarm is an event-time timer of the engine: a window that waits for its final
// row, or, without a series, the midnight at which a team's running day of day30
// ends. Alarms of one time go off in the order of names, as rows come out.
type alarm struct {
	team   *team
	series *series
	grain  grainIndex
	key    int64 // of the window; else the midnight
}

func compareAlarms(a, b alarm) int {
	if a.team != b.team {
		return strings.Compare(a.team.name, b.team.name)
	}
	if a.series != b.series {
		switch {
		case a.series == nil:
			return -1
		case b.series == nil:
			return 1
		}
		return compareSeries(a.series, b.series)
	}
	return cmp.Or(cmp.Compare(a.grain, b.grain), cmp.Compare(a.key, b.key))
}

// waits reports whether somebody still waits for the alarm. A window that was
// revised while it was open will have no final row; a team may have got another
// midnight.
func (a alarm) waits() bool {
	if a.series == nil {
		return int64(a.team.midnight) == a.key
	}
	return a.series.windows[a.grain].said(a.key) == saidProvisional
}

// ring collects the windows that this tick closes and the teams whose running
// day it ends. A window of a series ends after those with lower keys, so that
// what is due of one grain comes in order.
func (t *tick) ring() {
	t.alarms.Fire(t.clock, func(_ streaming.Clock, a alarm) {
		switch {
		case !a.waits():
			return // after a restore there would be no such alarm, and its team would sleep on
		case a.series != nil:
			a.series.due[a.grain] = append(a.series.due[a.grain], a.key)
			a.series.active = true
		default:
			a.team.midnight = never
		}
		t.activate(a.team)
	})
}
