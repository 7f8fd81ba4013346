package web

import (
	"net/url"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

// until is the day with which a page's 30 days end: what to= says, in each team's own
// zone, else the one that runs there.
type until struct {
	date   timeline.Date
	chosen bool
}

// until reads to=. A day that is still to come is today: an address that somebody
// has made up for tomorrow's meeting works.
func (p *params) until(z *timeline.Zone, clock timeline.Millis) (u until) {
	text := p.text("to")
	if text == "" {
		return u
	}
	d, err := timeline.ParseDate(text)
	switch today := z.Date(clock); {
	case err != nil:
		p.fail("to=%q: write a date such as 2026-03-02.", text)
	case z.Midnight(d) < earliest+90*timeline.Day || z.Midnight(d) > latest:
		p.fail("to=%q lies outside 1970 to 2100.", text)
	case d < today:
		return until{d, true}
	}
	return u
}

// in is the last day in a zone.
func (u until) in(z *timeline.Zone, clock timeline.Millis) timeline.Date {
	if today := z.Date(clock); !u.chosen || u.date > today {
		return today
	}
	return u.date
}

// days are the n local days that end with it.
func (u until) days(z *timeline.Zone, clock timeline.Millis, n int) timeline.Window {
	last := u.in(z, clock)
	return timeline.Window{Start: z.Midnight(last.AddDays(1 - n)), End: z.Midnight(last + 1)}
}

// end is the instant behind what it shows in a zone.
func (u until) end(z *timeline.Zone, clock timeline.Millis) timeline.Millis {
	return min(clock+1, z.Midnight(u.in(z, clock)+1))
}

// key is a part of the names of what is kept of answers.
func (u until) key() string {
	if !u.chosen {
		return " "
	}
	return " to " + u.date.String() + " "
}

// upTo are the ways from one 30 days to others. rest is what else the address says.
func (s *Server) upTo(u until, here string, rest url.Values, z *timeline.Zone, as metrics.AsOf) views.UpTo {
	today, last := z.Date(as.Clock), u.in(z, as.Clock)
	to := func(d timeline.Date) string {
		q := url.Values{}
		for name, values := range rest {
			q[name] = values
		}
		if d < today {
			q.Set("to", d.String())
		}
		if len(q) == 0 {
			return here
		}
		return here + "?" + q.Encode()
	}
	v := views.UpTo{Action: here, Date: last.String(), Latest: today.String(), Earlier: to(last.AddDays(-30))}
	for name, values := range rest {
		v.Rest = append(v.Rest, views.Option{Text: name, Value: values[0]})
	}
	if last < today {
		v.Later, v.Newest = to(min(last.AddDays(30), today)), to(today)
	}
	return v
}

// exported are the ways in which an answer of the API can be taken along.
func exported(say *language.Words, id, call, csv string) []views.Link {
	join := "?"
	if u, err := url.Parse(call); err == nil && u.RawQuery != "" {
		join = "&"
	}
	text := say.Common.JSON
	if csv == say.Common.CSV { // of one of several on a page
		text = say.Common.ShortJSON
	}
	return []views.Link{
		{ID: id + "-csv", Text: csv, Href: call + join + "format=csv"},
		{ID: id + "-json", Text: text, Href: call},
	}
}

// overviewExports is the call that gives what the overview shows: of each team the
// windows of its lines. Midnights lie between 14 hours before UTC's and 12 after it.
func (s *Server) overviewExports(say *language.Words, u until, as metrics.AsOf) []views.Link {
	utc, z := timeline.UTC(), s.directory.Zone()
	last := u.in(z, as.Clock)
	call := s.base + "/api/v1/points?" + url.Values{
		"grain": {string(metrics.Day30)},
		"from":  {max(utc.Midnight(last.AddDays(-29-slidingDays))-14*timeline.Hour, 0).String()},
		"to":    {(utc.Midnight(last-29) + 12*timeline.Hour).String()},
	}.Encode()
	return exported(say, "overview", call, say.Overview.CSV)
}
