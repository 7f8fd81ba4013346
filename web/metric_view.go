package web

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// spans are the ranges that a metric page offers for each grain, in days; the
// first is where it begins.
var spans = map[metrics.Grain][]int{
	metrics.Hour:  {7, 1, 3, 14},
	metrics.Day:   {30, 14, 60, 90},
	metrics.Day30: {90, 30, 180, 365},
}

// mostWindows is how many windows a page shows at most.
const mostWindows = 400

// view is what a metric page's address says.
type view struct {
	grain   metrics.Grain
	days    int // 0: from and to
	window  timeline.Window
	service string
	cursor  string

	compare string               // "", previous, team:NAME, run:N
	run     streaming.Generation // 0: the live one
	sort    string               // of the evidence, one of orders
	show    string               // of the evidence, one of shown
	find    string               // words that an item's label has
}

// Orders and kinds of evidence; the first stands for nothing.
var (
	orders = []string{"newest", "oldest", "longest", "shortest"}
	shown  = []string{"all", "counted", "left-out"}
)

// readView reads a metric page's address. What is left out has a default, and
// what cannot be shown is an error that says so.
func readView(values url.Values, z *timeline.Zone, clock timeline.Millis) (v view, err error) {
	p := newParams(values, "grain", "range", "from", "to", "service", "cursor", "compare", "since", "run", "sort", "show", "find")
	v.grain = p.grain(metrics.Day, metrics.Hour, metrics.Day, metrics.Day30)
	v.service, v.cursor = p.text("service"), p.text("cursor")
	v.compare, v.run, v.find = p.text("compare"), p.run(), strings.TrimSpace(p.text("find"))
	if since := p.text("since"); since != "" { // the form has a field of its own for it
		v.compare = "since:" + since
	}
	v.sort, v.show = p.oneOf("sort", orders...), p.oneOf("show", shown...)
	offered := spans[v.grain]
	if p.err != nil {
		return v, p.err
	}
	if p.text("from") != "" || p.text("to") != "" {
		v.window = p.window(z, lastDays(z, clock, offered[0]))
	} else {
		var names []string
		for _, n := range offered {
			names = append(names, fmt.Sprintf("%dd", n))
		}
		chosen := p.oneOf("range", names...)
		v.days = offered[max(0, slices.Index(names, chosen))]
		v.window = lastDays(z, clock, v.days)
	}
	if p.err != nil {
		return v, p.err
	}
	width := timeline.Day
	if v.grain == metrics.Hour {
		width = timeline.Hour
	}
	if v.window.Length()/width > mostWindows {
		return v, badRequest("This range has more than %d windows. Choose a shorter one, or a wider grain.", mostWindows)
	}
	return v, nil
}

// query is the address of a view; what is the default stays out of it.
func (v view) query() url.Values {
	q := url.Values{}
	if v.grain != metrics.Day {
		q.Set("grain", string(v.grain))
	}
	if v.service != "" {
		q.Set("service", v.service)
	}
	switch {
	case v.days == 0:
		q.Set("from", v.window.Start.String())
		q.Set("to", v.window.End.String())
	case v.days != spans[v.grain][0]:
		q.Set("range", fmt.Sprintf("%dd", v.days))
	}
	set := func(name, value, fallback string) {
		if value != "" && value != fallback {
			q.Set(name, value)
		}
	}
	set("compare", v.compare, "")
	if v.run != 0 {
		q.Set("run", fmt.Sprint(v.run))
	}
	set("sort", v.sort, orders[0])
	set("show", v.show, shown[0])
	set("find", v.find, "")
	set("cursor", v.cursor, "")
	return q
}

func (v view) href(here string) string {
	if q := v.query().Encode(); q != "" {
		return here + "?" + q
	}
	return here
}

// apiQuery is the call of the API that gives the same points.
func apiQuery(q SeriesQuery, run streaming.Generation) url.Values {
	values := url.Values{
		"metric": {string(q.Definition.Name)}, "team": {q.Scope.Label}, "grain": {string(q.Grain)},
		"from": {q.From.String()}, "to": {q.To.String()},
	}
	if q.Service != "" {
		values.Set("service", q.Service)
	}
	if run != 0 {
		values.Set("run", fmt.Sprint(run))
	}
	return values
}
