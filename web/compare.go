package web

import (
	"context"
	"strconv"
	"strings"

	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

// yearOfWeeks is a year as it is compared with: Mondays fall on Mondays.
const yearOfWeeks = 52 * 7

// compared is the query that compare= names, and what pages call it; nil where
// nothing is compared. Windows are laid side by side by their place in the range:
// the first day with the first day.
func (s *Server) compared(ctx context.Context, d *metrics.Definition, as metrics.AsOf, scope Scope, v view) (q *SeriesQuery, text string, err error) {
	say := language.Of(ctx)
	kind, name, _ := strings.Cut(v.compare, ":")
	switch {
	case v.compare == "":
		return nil, "", nil
	case v.compare == "previous", v.compare == "year", kind == "since":
		z := scope.Zone
		first, last := z.Date(v.window.Start), z.Date(v.window.End-1)
		begins := first.AddDays(-int(last-first) - 1)
		switch {
		case v.compare == "year":
			begins = first.AddDays(-yearOfWeeks)
		case kind == "since":
			if begins, err = timeline.ParseDate(name); err != nil {
				return nil, "", badRequest("compare=%q: write since: and a date such as 2026-03-02.", v.compare)
			}
		}
		v.window = timeline.Window{Start: z.Midnight(begins), End: z.Midnight(begins + (last - first) + 1)}
		if v.window.Start < earliest || v.window.End > latest {
			return nil, "", badRequest("compare=%q lies outside 1970 to 2100.", v.compare)
		}
		text = periodText(z, v.window, as.Clock)
	case kind == "team" && name != "":
		if err := s.existsIn(ctx, name); err != nil {
			return nil, "", err
		}
		scope, text = s.guard.teamScope(name), name
		v.service = ""
	case kind == "run" && name == "live":
		as, err = s.guard.AsOf(ctx)
		text = say.Metric.LiveNumbers
	case kind == "run":
		n, wrong := strconv.ParseUint(name, 10, 24)
		if wrong != nil || n == 0 {
			return nil, "", badRequest("compare=%q: write run: and the number of a run, or run:live.", v.compare)
		}
		as.Generation, text = streaming.Generation(n), say.Metric.RunNamed(name)
	default:
		return nil, "", badRequest("compare=%q: write previous, year, since:DATE, team:NAME or run:NUMBER.", v.compare)
	}
	next := seriesOf(d, as, scope, v)
	return &next, text, err
}

// comparisons are what a page offers to compare with, as choices of a form.
func (s *Server) comparisons(ctx context.Context, team string, v view, here string) (c views.Compare, err error) {
	names, err := s.guard.Teams(ctx)
	if err != nil {
		return c, err
	}
	c = views.Compare{Action: here, Rest: v.hidden("compare", "cursor")}
	add := func(value, text string) {
		c.Options = append(c.Options, views.Option{Value: value, Text: text, Current: value == v.compare})
	}
	say := &language.Of(ctx).Metric
	add("", say.Nothing)
	add("previous", say.TimeBefore)
	add("year", say.YearBefore)
	if day, ok := strings.CutPrefix(v.compare, "since:"); ok {
		add(v.compare, say.TimeFrom(day))
		c.Since = day
	}
	if v.run != 0 {
		add("run:live", say.LiveNumbers)
	}
	for _, name := range names {
		if name != team {
			add("team:"+name, name)
		}
	}
	if strings.HasPrefix(v.compare, "run:") && v.compare != "run:live" {
		add(v.compare, say.RunNamed(strings.TrimPrefix(v.compare, "run:")))
	}
	return c, nil
}

// hidden is a view as the fields of a form that changes the others.
func (v view) hidden(but ...string) (fields []views.Option) {
	q := v.query()
	for _, name := range but {
		q.Del(name)
	}
	for _, name := range []string{"grain", "range", "from", "to", "service", "compare", "run", "sort", "show", "find", "cursor"} {
		if value := q.Get(name); value != "" {
			fields = append(fields, views.Option{Value: value, Text: name})
		}
	}
	return fields
}

// suffix is a view as the end of an address.
func suffix(v view) string {
	v.cursor, v.sort, v.show, v.find = "", "", "", ""
	if q := v.query().Encode(); q != "" {
		return "?" + q
	}
	return ""
}
