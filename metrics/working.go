package metrics

import (
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// idle is how long a schedule has to be without any hour to be one without
// hours: longer than anybody's holidays.
const idle = 28 * timeline.Day

// working is the working-hours clock of a person at work for the team: how much
// of w they worked, and how their zone is known. Where they have no working
// hours at all it is the team's clock, and false where the team has none either.
func (v View) working(p event.PersonID, w timeline.Window) (int64, event.ZoneSource, bool) {
	zone, known := v.Catalog.TeamZone(v.Team, w.End), event.ZoneAssumed
	own, ok := v.Catalog.PersonZone(p, w.End)
	if ok {
		known = event.ZoneConfigured
	} else {
		own = zone
	}
	if worked, runs := workingTime(own, v.Catalog.PersonSchedule(p, v.Team), w); runs {
		return int64(worked), known, true
	}
	worked, runs := workingTime(zone, v.Catalog.TeamSchedule(v.Team), w)
	return int64(worked), event.ZoneAssumed, runs
}

// workingTime also reports whether the clock runs at all: nothing worked may
// mean that it was night, or that the schedule has no hours.
func workingTime(z *timeline.Zone, s timeline.Schedule, w timeline.Window) (timeline.Millis, bool) {
	if worked := timeline.WorkingTime(z, s, w); worked > 0 {
		return worked, true
	}
	return 0, timeline.WorkingTime(z, s, timeline.Window{Start: w.End - idle, End: w.End + idle}) > 0
}
