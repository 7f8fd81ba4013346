package web

import (
	"fmt"
	"net/http"
	"net/url"

	"meridian/metrics"
	"meridian/web/language"
	"meridian/web/views"
)

// evidencePage is how many items stand on one page.
const evidencePage = 50

// evidence lists the items behind a page's numbers; of a person metric it is
// counts, and nil for who may not see them.
func (s *Server) evidence(r *http.Request, d *metrics.Definition, as metrics.AsOf, scope Scope, v view, here string) (*views.Evidence, error) {
	people := d.Sensitivity == metrics.PersonData
	if people && !ReaderOf(r.Context()).May(People) {
		return nil, nil
	}
	sorted := !people && (v.sort != orders[0] || v.show != shown[0] || v.find != "")
	var list []metrics.ObservationRow
	var next string
	var most bool
	var err error
	if sorted {
		list, next, most, err = s.searchEvidence(r.Context(), as, d, scope, v)
	} else {
		list, next, err = s.guard.Evidence(r.Context(), as, d, scope.Teams, v.service, v.window, v.cursor, evidencePage)
	}
	if err == nil {
		err = s.looked(r.Context(), d, scope, false)
	}
	if err != nil {
		return nil, err
	}
	say := language.Of(r.Context())
	e := &views.Evidence{Lengths: distribution(d) || isGauge(d), Action: here, Find: v.find, Rest: v.hidden("find", "sort", "show", "cursor")}
	for _, name := range orders {
		if e.Lengths || name == "newest" || name == "oldest" {
			e.Orders = append(e.Orders, views.Option{Value: name, Text: say.Metric.Ordered(name), Current: name == v.sort})
		}
	}
	for _, name := range shown {
		e.Shown = append(e.Shown, views.Option{Value: name, Text: say.Metric.Shown(name), Current: name == v.show})
	}
	e.Note = say.Metric.Ordered(v.sort)
	if most {
		e.Note += say.Metric.OfNewest(views.Int(evidenceMost))
	}
	call := url.Values{"metric": {string(d.Name)}, "team": {scope.Label}, "from": {v.window.Start.String()}, "to": {v.window.End.String()}, "limit": {"1000"}}
	if v.service != "" {
		call.Set("service", v.service)
	}
	if v.run != 0 {
		call.Set("run", fmt.Sprint(v.run))
	}
	e.API = s.base + "/api/v1/evidence?" + call.Encode()
	e.CSV = e.API + "&format=csv"
	if len(list) == 0 {
		e.Reason = say.Metric.NoItem
		if sorted {
			e.Reason = say.Metric.NoSuchItem
		}
	}
	for i, o := range list {
		item := views.Item{
			ID: fmt.Sprintf("item-%d", i), Label: o.Label, URL: webAddress(o.URL), Basis: spaced(o.Basis),
			From: instant(scope.Zone, o.Start, as.Clock), At: instant(scope.Zone, o.At, as.Clock),
		}
		if item.Label == "" {
			item.Label = string(o.Entity)
		}
		if isGauge(d) { // its At is where it begins
			item.At = views.Time{}
			if !o.Interval().Open() {
				item.At = instant(scope.Zone, o.Interval().End, as.Clock)
			}
		}
		switch {
		case o.Outcome == metrics.Observed:
			item.Value = itemValue(say, d, o.Observation)
		case o.Outcome == metrics.Ignored:
			item.Outcome = say.Metric.IgnoredItem(o.Reason.Sentence())
		default:
			item.Outcome = say.Metric.LeftOutItem(o.Reason.Sentence())
		}
		e.Items = append(e.Items, item)
	}
	if v.cursor != "" {
		first := v
		first.cursor = ""
		e.Newer = first.href(here)
	}
	if next != "" {
		more := v
		more.cursor = next
		e.Older = more.href(here)
	}
	return e, nil
}

func itemValue(say *language.Words, d *metrics.Definition, o metrics.Observation) views.Value {
	if o.Basis == countBasis {
		return count(o.Value)
	}
	switch d.Statistic {
	case metrics.MedianDuration:
		return number(float64(o.Value)/1000, "seconds")
	case metrics.MedianLines:
		return number(float64(o.Value), "lines")
	case metrics.Gauge:
		if o.Value == metrics.StillOpen {
			return views.Value{Text: say.Metric.StillOpen}
		}
		return number(float64(o.Value)/1000, "seconds")
	}
	return views.Value{}
}

// webAddress lets only addresses of the web through: payloads state them.
func webAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return address
}
