package web

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
	"meridian/web/views"
)

// compared is the query that compare= names, and what pages call it; nil where
// nothing is compared. Windows are laid side by side by their place in the range:
// the first day with the first day.
func (s *Server) compared(ctx context.Context, d *metrics.Definition, as metrics.AsOf, scope Scope, v view) (q *SeriesQuery, text string, err error) {
	kind, name, _ := strings.Cut(v.compare, ":")
	switch {
	case v.compare == "":
		return nil, "", nil
	case v.compare == "previous":
		z := scope.Zone
		first, last := z.Date(v.window.Start), z.Date(v.window.End-1)
		days := int(last-first) + 1
		v.window = timeline.Window{Start: z.Midnight(first.AddDays(-days)), End: z.Midnight(last.AddDays(-days) + 1)}
		text = periodText(z, v.window, as.Clock)
	case kind == "team" && name != "":
		if err := s.existsIn(ctx, name); err != nil {
			return nil, "", err
		}
		scope, text = s.guard.teamScope(name), name
		v.service = ""
	case kind == "run" && name == "live":
		as, err = s.guard.AsOf(ctx)
		text = "the live numbers"
	case kind == "run":
		n, wrong := strconv.ParseUint(name, 10, 24)
		if wrong != nil || n == 0 {
			return nil, "", badRequest("compare=%q: write run: and the number of a run, or run:live.", v.compare)
		}
		as.Generation, text = streaming.Generation(n), fmt.Sprintf("run %d", n)
	default:
		return nil, "", badRequest("compare=%q: write previous, team:NAME or run:NUMBER.", v.compare)
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
	add("", "nothing")
	add("previous", "the time before")
	if v.run != 0 {
		add("run:live", "the live numbers")
	}
	for _, name := range names {
		if name != team {
			add("team:"+name, name)
		}
	}
	if strings.HasPrefix(v.compare, "run:") && v.compare != "run:live" {
		add(v.compare, "run "+strings.TrimPrefix(v.compare, "run:"))
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
