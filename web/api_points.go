package web

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// mostComputed bounds what one request may work out, over all its pages.
const mostComputed = 1_000_000

// pointCursor continues after a point. It holds the range too, whose default
// moves with the clock.
type pointCursor struct {
	From    timeline.Millis `json:"f"`
	To      timeline.Millis `json:"t"`
	Metric  metrics.Name    `json:"m"`
	Team    string          `json:"w"`
	Service string          `json:"s"`
	Start   timeline.Millis `json:"a"`
}

func (c pointCursor) encode() string {
	b, err := json.Marshal(c)
	if err != nil {
		return "" // strings and integers always marshal
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func (p *params) cursor() *pointCursor {
	text := p.text("cursor")
	if text == "" {
		return nil
	}
	c := new(pointCursor)
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(b, c)
	}
	if err != nil || c.From < earliest || c.To > latest || c.From >= c.To {
		p.fail("The cursor was not made by this server. Begin again without one.")
		return nil
	}
	return c
}

func (s *Server) apiPoints(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	p := newParams(r.URL.Query(), "metric", "scope", "team", "grain", "from", "to", "service", "run", "limit", "cursor", "format", "given")
	p.format()
	withGiven := p.oneOf("given", "false", "true") == "true"
	defs := s.readMetrics(p)
	grain := p.grain(metrics.Day, metrics.Hour, metrics.Day, metrics.Day30, metrics.Week, metrics.Month, metrics.Quarter, metrics.Range)
	limit := p.limit(apiMost, apiMost)
	run, cursor, service := p.run(), p.cursor(), p.text("service")
	scope, teams, each, err := s.readScope(r, p)
	if err != nil {
		return err
	}
	as, err := s.guard.AsOf(ctx)
	if err != nil {
		return err
	}
	win := p.window(scope.Zone, lastThirty(scope.Zone, as, grain))
	if cursor != nil {
		win = timeline.Window{Start: cursor.From, End: cursor.To}
	}
	if p.err == nil && scope.Several && grain == metrics.Hour {
		p.fail("Hours belong to teams, which have their own zones; a scope of several begins at grain=day.")
	}
	scopes := 1
	if each {
		scopes = len(teams)
	}
	if p.err == nil && int64(win.Length()/lengthOf(grain)+1)*int64(scopes)*int64(len(defs)) > mostComputed {
		p.fail("This range holds more than %d points. Choose a shorter one, a wider grain, or one team or metric.", mostComputed)
	}
	if p.err != nil {
		return p.err
	}
	if run != 0 {
		as.Generation = run
	}
	if s.unchanged(w, r, as) {
		return nil
	}
	if as.Clock <= 0 { // before the first tick no window has begun
		return writePoints(w, r, nil, withGiven, as, "")
	}
	var points []*metrics.Point
	for _, d := range defs {
		if len(defs) > 1 && s.guard.tooFine(d, grain) != "" {
			continue // asked for by name, it is an error that says why
		}
		q := SeriesQuery{
			Generation: as.Generation, Clock: as.Clock, Definition: d, Scope: scope, Service: service,
			Grain: grain, From: win.Start, To: win.End,
		}
		var more []*metrics.Point
		if each {
			more, err = s.guard.EachTeam(ctx, q, teams)
		} else {
			more, err = s.guard.Series(ctx, q)
		}
		if err != nil {
			return err
		}
		points = append(points, more...)
	}
	if cursor != nil {
		i := slices.IndexFunc(points, func(p *metrics.Point) bool {
			return p.Metric == cursor.Metric && p.Team == cursor.Team && p.Service == cursor.Service && p.Start == cursor.Start
		})
		if i < 0 {
			return badRequest("The cursor is of another question. Begin again without one.")
		}
		points = points[i+1:]
	}
	next := ""
	if len(points) > limit {
		points = points[:limit]
		last := points[limit-1]
		next = pointCursor{win.Start, win.End, last.Metric, last.Team, last.Service, last.Start}.encode()
	}
	return writePoints(w, r, points, withGiven, as, next)
}

// lengthOf is the shortest that a window of a grain can be, roughly.
func lengthOf(g metrics.Grain) timeline.Millis {
	switch g {
	case metrics.Hour:
		return timeline.Hour
	case metrics.Week:
		return 7 * timeline.Day
	case metrics.Month:
		return 28 * timeline.Day
	case metrics.Quarter:
		return 90 * timeline.Day
	}
	return timeline.Day
}

// writePoints writes the answer with the same bytes for each point that
// `replay --print` has. Who asks for it has behind them what a revised one was: lines
// of --print say that themselves, the one before the other.
func writePoints(w http.ResponseWriter, r *http.Request, points []*metrics.Point, withGiven bool, as metrics.AsOf, next string) error {
	nextLink(w, r, next)
	switch {
	case asCSV(r) && withGiven:
		return writeCSV(w, r, givenPoints(points), as)
	case asCSV(r):
		return writeCSV(w, r, csvPoints(points), as)
	}
	tail, err := json.Marshal(struct {
		AsOf AsOfJSON `json:"as_of"`
		Next *string  `json:"next"`
	}{asOfJSON(as), list([]int(nil), as, next).Next})
	if err != nil {
		return err
	}
	b := append(make([]byte, 0, 600*len(points)+200), `{"points":[`...)
	for i, p := range points {
		if i > 0 {
			b = append(b, ',', '\n')
		}
		if b = p.AppendJSON(b); withGiven {
			b = appendGiven(b, p)
		}
	}
	b = append(b, `],`...)
	b = append(b, tail[1:]...)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(b, '\n')) // an error means that the reader has gone
	return nil
}

// GivenJSON is what a revised point said when it was final (given=true); of others
// nothing is there. Tables have columns of these names.
type GivenJSON struct {
	GivenN     *int64          `json:"given_n,omitempty"`
	GivenValue *metrics.Number `json:"given_value,omitempty"`
}

func givenJSON(p *metrics.Point) GivenJSON {
	if p.Given == nil || p.Status != metrics.Revised {
		return GivenJSON{}
	}
	return GivenJSON{&p.Given.N, &p.Given.Value}
}

// appendGiven puts it into the object that b ends with.
func appendGiven(b []byte, p *metrics.Point) []byte {
	g, err := json.Marshal(givenJSON(p))
	if err != nil || len(g) == len("{}") { // integers and finite numbers always marshal
		return b
	}
	b[len(b)-1] = ','
	return append(b, g[1:]...)
}
