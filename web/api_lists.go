package web

import (
	"net/http"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// EvidenceJSON is one observation of a work metric, or a count of a person metric's.
type EvidenceJSON struct {
	Metric  string   `json:"metric"`
	Team    string   `json:"team"`
	Service string   `json:"service"`
	Entity  string   `json:"entity"`
	Item    string   `json:"item"`
	Label   string   `json:"label"`
	URL     string   `json:"url"`
	Start   *string  `json:"start"`
	At      *string  `json:"at"`
	Value   *float64 `json:"value"` // in the metric's unit, of a gauge the seconds that it was open; null where it does not count or is open still
	Outcome string   `json:"outcome"`
	Reason  string   `json:"reason"`
	Basis   string   `json:"basis"`
}

var outcomes = map[metrics.Outcome]string{metrics.Observed: "observed", metrics.Excluded: "excluded", metrics.Ignored: "ignored"}

func (s *Server) apiEvidence(w http.ResponseWriter, r *http.Request) error {
	p := newParams(r.URL.Query(), "metric", "scope", "team", "from", "to", "service", "person", "run", "limit", "cursor", "format")
	p.format()
	own := p.text("person") == "me"
	if !own && p.text("person") != "" {
		p.fail("Parameter person is `me` or left out: nobody may look at another person.")
	}
	if p.text("metric") == "" {
		p.fail("Parameter metric is needed.")
	}
	defs := s.readMetrics(p)
	limit, run := p.limit(100, 1000), p.run()
	scope, teams, each, err := s.readScope(r, p)
	if err != nil {
		return err
	}
	as, err := s.guard.AsOf(r.Context())
	if err != nil {
		return err
	}
	win := p.window(scope.Zone, lastThirty(scope.Zone, as, metrics.Day))
	if p.err != nil {
		return p.err
	}
	if run != 0 {
		as.Generation = run
	}
	if !each {
		teams = scope.Teams
	}
	if s.unchanged(w, r, as) {
		return nil
	}
	d := defs[0]
	var rows []metrics.ObservationRow
	var next string
	if own {
		rows, next, err = s.guard.ownEvidence(r.Context(), as, d, teams, win, p.text("cursor"), limit)
	} else {
		rows, next, err = s.guard.Evidence(r.Context(), as, d, teams, p.text("service"), win, p.text("cursor"), limit)
	}
	if err != nil {
		return err
	}
	if !own {
		if err := s.looked(r.Context(), d, scope, each); err != nil {
			return err
		}
	}
	var items []EvidenceJSON
	for _, o := range rows {
		e := EvidenceJSON{
			Metric: string(o.Metric), Team: o.Team, Service: o.Service, Entity: string(o.Entity), Item: o.Item, Label: o.Label, URL: webAddress(o.URL),
			Start: timeOrNull(o.Start), At: timeOrNull(o.At), Outcome: outcomes[o.Outcome], Reason: string(o.Reason), Basis: o.Basis,
		}
		if o.Outcome == metrics.Observed && (!isGauge(d) || o.Value != metrics.StillOpen) {
			v := float64(o.Value)
			if o.Basis != countBasis && (d.Statistic == metrics.MedianDuration || isGauge(d)) {
				v /= 1000
			}
			e.Value = &v
		}
		items = append(items, e)
	}
	return writeList(w, r, items, as, next)
}

// QualityJSON counts the verdicts of one team, source and kind in the range.
type QualityJSON struct {
	Team         string `json:"team"`
	Source       string `json:"source"`
	Kind         string `json:"kind"`
	Decoded      int64  `json:"decoded"`
	Accepted     int64  `json:"accepted"`
	LateAccepted int64  `json:"late_accepted"`
	Backfilled   int64  `json:"backfilled"`
	Healed       int64  `json:"healed"`
	LateDropped  int64  `json:"late_dropped"`
	Duplicates   int64  `json:"duplicates"`
	Quarantined  int64  `json:"quarantined"`
}

func (s *Server) apiQuality(w http.ResponseWriter, r *http.Request) error {
	p := newParams(r.URL.Query(), "from", "to", "format")
	p.format()
	as, err := s.guard.AsOf(r.Context())
	if err != nil {
		return err
	}
	z := s.directory.Zone()
	win := p.window(z, lastThirty(z, as, metrics.Day))
	if p.err != nil {
		return p.err
	}
	if s.unchanged(w, r, as) {
		return nil
	}
	rows, err := s.guard.Quality(r.Context(), win)
	if err != nil {
		return err
	}
	byTeam, names := map[string][]metrics.QualityRow{}, []string{}
	for _, q := range rows {
		if byTeam[q.Team] == nil {
			names = append(names, q.Team)
		}
		byTeam[q.Team] = append(byTeam[q.Team], q)
	}
	var items []QualityJSON
	for _, name := range order(nil, names) {
		for _, q := range sumQuality(byTeam[name]) {
			items = append(items, QualityJSON{
				name, q.Source.String(), q.Kind.String(),
				q.Decoded, q.Accepted, q.LateAccepted, q.Backfilled, q.Healed, q.Late, q.Duplicates, q.Quarantined,
			})
		}
	}
	return writeList(w, r, items, as, "")
}

// RejectJSON is an event that was not accepted.
type RejectJSON struct {
	Verdict  string  `json:"verdict"`
	Reason   string  `json:"reason"`
	Detail   string  `json:"detail"`
	Team     string  `json:"team"`
	Source   string  `json:"source"`
	Kind     string  `json:"kind"`
	Entity   string  `json:"entity"`
	Time     *string `json:"time"`
	Received *string `json:"received"`
	Clock    *string `json:"clock"`
}

func (s *Server) apiRejects(w http.ResponseWriter, r *http.Request) error {
	p := newParams(r.URL.Query(), "limit", "cursor", "format")
	p.format()
	limit, cursor := p.limit(100, 1000), p.text("cursor")
	if p.err != nil {
		return p.err
	}
	as, err := s.guard.AsOf(r.Context())
	if err != nil {
		return err
	}
	if s.unchanged(w, r, as) {
		return nil
	}
	rows, next, err := s.guard.Rejects(r.Context(), cursor, limit)
	if err != nil {
		return err
	}
	var items []RejectJSON
	for _, x := range rows {
		items = append(items, RejectJSON{
			x.Verdict.String(), x.Reason, x.Detail, x.Team, x.Source.String(), x.Kind.String(), string(x.Entity),
			timeOrNull(x.Time), timeOrNull(x.Received), timeOrNull(x.Clock),
		})
	}
	return writeList(w, r, items, as, next)
}

// SourceJSON is one endpoint. It never holds a secret.
type SourceJSON struct {
	Provider   string        `json:"provider"`
	Name       string        `json:"name"`
	Path       string        `json:"path"`
	Verify     string        `json:"verify"`
	Last       *string       `json:"last_delivery"`
	LastType   string        `json:"last_type"`
	Accepted   int64         `json:"accepted"`
	Ignored    int64         `json:"ignored"`
	Pings      int64         `json:"pings"`
	Undecoded  int64         `json:"undecodable"`
	Refused    map[int]int64 `json:"refused"`
	PerMinute  []int64       `json:"per_minute"`
	LastError  string        `json:"last_error"`
	LastFailed *string       `json:"last_failed"`

	IgnoredTypes map[string]int64 `json:"ignored_types"` // of Ignored, by the source's name of the type
	Gaps         []GapJSON        `json:"gaps"`
}

// GapJSON is a time of which deliveries may be missing.
type GapJSON struct {
	From *string `json:"from"`
	To   *string `json:"to"`
}

func (s *Server) apiSources(w http.ResponseWriter, r *http.Request) error {
	p := newParams(r.URL.Query(), "format")
	if p.format(); p.err != nil {
		return p.err
	}
	as, err := s.guard.AsOf(r.Context())
	if err != nil {
		return err
	}
	var items []SourceJSON
	for _, src := range s.sources.Sources() {
		j := SourceJSON{
			src.Provider, src.Name, src.Path, src.Verify, timeOrNull(src.Last), src.LastType, src.Accepted, src.Ignored, src.Pings, src.Undecoded,
			src.Refused, src.PerMinute, src.LastError, timeOrNull(src.LastFailed), src.Unread, []GapJSON{},
		}
		for _, g := range src.Gaps {
			j.Gaps = append(j.Gaps, GapJSON{timeOrNull(g.Start), timeOrNull(g.End)})
		}
		if j.Refused == nil {
			j.Refused = map[int]int64{}
		}
		if j.IgnoredTypes == nil {
			j.IgnoredTypes = map[string]int64{}
		}
		if j.PerMinute == nil {
			j.PerMinute = []int64{}
		}
		items = append(items, j)
	}
	return writeList(w, r, items, as, "")
}

// StatusJSON says whether the parts work and how far the numbers are.
type StatusJSON struct {
	OK     bool       `json:"ok"`
	Parts  []PartJSON `json:"parts"`
	Engine EngineJSON `json:"engine"`
	AsOf   AsOfJSON   `json:"as_of"`
}

// PartJSON is one part's health.
type PartJSON struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// EngineJSON says how far the engine is.
type EngineJSON struct {
	Generation uint32  `json:"generation"`
	Logic      string  `json:"logic"`
	Catalog    string  `json:"catalog"`
	Zones      string  `json:"zones"`
	Clock      *string `json:"clock"`
	Importing  string  `json:"importing"`
}

func (s *Server) apiStatus(w http.ResponseWriter, r *http.Request) error {
	if p := newParams(r.URL.Query()); p.err != nil {
		return p.err
	}
	as, err := s.guard.AsOf(r.Context())
	answer := StatusJSON{OK: err == nil, Parts: []PartJSON{}, AsOf: asOfJSON(as)}
	for _, h := range s.status.Health(r.Context()) {
		answer.Parts = append(answer.Parts, PartJSON(h))
		answer.OK = answer.OK && h.OK
	}
	if err != nil {
		answer.Parts = append(answer.Parts, PartJSON{"results", false, "The store of results does not answer."})
	}
	e := s.status.Engine()
	answer.Engine = EngineJSON{e.Generation, e.Logic, e.Catalog, e.Zones, timeOrNull(timeline.Millis(e.Clock)), e.Importing}
	return writeJSON(w, answer)
}
