package catalog

import (
	"sort"
	"time"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// level is who may say something about working hours: a person, a team, the
// organisation. The nearest that says it decides, each thing by itself.
type level struct {
	hours    dated[hours]
	weekend  dated[[7]bool]
	holidays dated[named]
}

func levelOf(t *team) level { return level{t.hours, t.weekend, t.holidays} }

// schedule is a weekly plan that changes on some dates.
type schedule struct{ phases []phase }

// phase is one weekly plan, from a date on.
type phase struct {
	from     timeline.Date
	plans    [7]timeline.DayPlan
	holidays *calendar
}

// On is the plan for a date.
func (s *schedule) On(d timeline.Date) timeline.DayPlan {
	p := &s.phases[0]
	if len(s.phases) > 1 {
		p = &s.phases[sort.Search(len(s.phases), func(i int) bool { return s.phases[i].from > d })-1]
	}
	plan := p.plans[d.Weekday()]
	if p.holidays.holds(d) {
		plan.Kind = timeline.Holiday
	}
	return plan
}

// newSchedule makes the schedule of the given levels, the nearest first, before
// the organisation's.
func (c *Catalog) newSchedule(levels ...level) *schedule {
	levels = append(levels, level{hours: c.content.hours, weekend: c.content.weekend})
	var b borders
	for _, l := range levels {
		b = addBorders(b, l.hours)
		b = addBorders(b, l.weekend)
		b = addBorders(b, l.holidays)
	}
	s := &schedule{}
	for _, d := range b.sorted() {
		s.phases = append(s.phases, c.phase(d, levels))
	}
	return s
}

func (c *Catalog) phase(d timeline.Date, levels []level) phase {
	p := phase{from: d, holidays: c.organization}
	weekend := defaultWeekend
	for _, l := range levels {
		if w, ok := l.weekend.on(d); ok {
			weekend = w
			break
		}
	}
	for _, l := range levels {
		if name, ok := l.holidays.on(d); ok {
			p.holidays = c.content.calendar(name.name)
			break
		}
	}
	for day := time.Sunday; day <= time.Saturday; day++ {
		p.plans[day].Spans = spansOn(d, day, weekend[day], levels)
		if weekend[day] {
			p.plans[day].Kind = timeline.Weekend
		}
	}
	return p
}

// spansOn asks each level in turn: a mapping that does not name the day leaves
// it to the next.
func spansOn(d timeline.Date, day time.Weekday, weekend bool, levels []level) []timeline.Span {
	for _, l := range levels {
		if h, ok := l.hours.on(d); ok {
			if spans, ok := h.on(day, weekend); ok {
				return spans
			}
		}
	}
	spans, _ := defaultHours.on(day, weekend)
	return spans
}

// organization is the calendar of those for whom nobody names one: the one that
// is called default, else the first of the file that no person and no team names.
// Who declares holidays and gives them to nobody in particular means everybody.
func (c *content) organization() *calendar {
	if d := c.calendar("default"); d != nil {
		return d
	}
	taken := map[string]bool{}
	take := func(ds dated[named]) {
		for _, e := range ds {
			taken[e.value.name] = true
		}
	}
	for _, t := range c.teams {
		take(t.holidays)
	}
	for _, p := range c.people {
		take(p.holidays)
	}
	for _, h := range c.holidays {
		if !taken[h.name] {
			return h
		}
	}
	return nil
}

// worker is a person at work for a team.
type worker struct {
	person event.PersonID
	team   string
}

// PersonSchedule is when a person works for a team: their own hours, else the
// team's, else the organisation's, else 09:00-18:00 outside the weekend; weekend
// and holidays likewise, each by itself.
func (c *Catalog) PersonSchedule(p event.PersonID, team string) timeline.Schedule {
	known, ok := c.byID[p]
	if !ok {
		return c.TeamSchedule(team)
	}
	if _, ok := c.teams[team]; !ok {
		team = "" // all teams without an entry are alike
	}
	return c.schedules.get(worker{p, team}, func(w worker) *schedule {
		levels := []level{{known.hours, known.weekend, known.holidays}}
		if t, ok := c.teams[w.team]; ok {
			levels = append(levels, levelOf(t.team))
		}
		return c.newSchedule(levels...)
	})
}

// TeamSchedule is when a team works.
func (c *Catalog) TeamSchedule(team string) timeline.Schedule {
	if t, ok := c.teams[team]; ok {
		return t.schedule
	}
	return c.orgSchedule
}
