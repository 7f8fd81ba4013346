package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

const rejectsPage = 50

func (s *Server) qualityPage(w http.ResponseWriter, r *http.Request) error {
	p := newParams(r.URL.Query(), "range", "cursor")
	span := p.oneOf("range", "7d", "1d", "30d", "90d")
	cursor := p.text("cursor")
	if p.err != nil {
		return p.err
	}
	as, err := s.guard.AsOf(r.Context())
	if err != nil {
		return err
	}
	say := language.Of(r.Context())
	z := s.directory.Zone()
	days := map[string]int{"1d": 1, "7d": 7, "30d": 30, "90d": 90}
	v := views.Quality{Page: s.page(r, say.Common.Quality, "quality", as)}
	here := v.Page.Site.Path("quality")
	for _, name := range []string{"1d", "7d", "30d", "90d"} {
		text := say.Common.Days(days[name])
		if name == "1d" {
			text = say.Common.Today
		}
		v.Ranges = append(v.Ranges, views.Link{ID: "range-" + name, Text: text, Href: here + "?range=" + name, Current: name == span})
	}
	win := lastDays(z, as.Clock, days[span])
	v.Period = periodText(z, win, as.Clock) + ", " + z.Name()
	counts, err := s.guard.Quality(r.Context(), win)
	if err != nil {
		return err
	}
	v.Rows = verdicts(say, counts)
	call := v.Page.Site.Path("api", "v1", "quality") + "?" + url.Values{"from": {win.Start.String()}, "to": {win.End.String()}}.Encode()
	v.Exports = exported(say, "verdicts", call, say.Quality.CSV)
	v.RejectExports = exported(say, "rejects", v.Page.Site.Path("api", "v1", "rejects")+"?limit=1000", say.Quality.RejectsCSV)
	rejects, next, err := s.guard.Rejects(r.Context(), cursor, rejectsPage)
	if err != nil {
		return err
	}
	// They come newest receipt first, so the range ends the list.
	if i := slices.IndexFunc(rejects, func(x metrics.RejectRow) bool { return x.Received < win.Start }); i >= 0 {
		rejects, next, v.Earlier = rejects[:i], "", true
	}
	for _, x := range rejects {
		v.Rejects = append(v.Rejects, views.Reject{
			Verdict: verdictWord(say, x.Verdict.String()), Reason: verdictWord(say, spaced(x.Reason)), Detail: s.local(x.Detail),
			Source: x.Source.String(), Kind: spaced(x.Kind.String()), Entity: string(x.Entity), Team: x.Team,
			Time: instant(z, x.Time, as.Clock), Received: instant(z, x.Received, as.Clock),
		})
	}
	v.Unread, v.Late = s.unread(say), late(say, counts, z, win)
	v.Bounds, v.Measured = s.bounds(say), s.config.Bounds != nil
	if v.Gaps, err = s.gaps(r.Context(), win, as.Clock); err != nil {
		return err
	}
	var unreadable int64
	for _, src := range s.sources.Sources() {
		unreadable += src.Undecoded
	}
	if unreadable > 0 {
		v.Unreadable = say.Quality.Unreadable(unreadable, views.Int(unreadable))
	}
	if err := s.asides(r, &v, as.Clock); err != nil {
		return err
	}
	if cursor != "" {
		v.Newest = here + "?range=" + span
	}
	if next != "" {
		v.Older = here + "?" + url.Values{"range": {span}, "cursor": {next}}.Encode()
	}
	return s.render(w, r, http.StatusOK, v.Render())
}

// unread are the deliveries that no event could be made of, by source.
func (s *Server) unread(say *language.Words) (out []views.Unread) {
	for _, src := range s.sources.Sources() {
		if src.Undecoded == 0 {
			continue
		}
		out = append(out, views.Unread{Source: nameOf(say, src.Provider), Name: src.Name, N: views.Int(src.Undecoded), Why: src.Why, At: s.moment(src.Trouble)})
	}
	return out
}

// verdictWord keeps two things apart that differ for the numbers: late is in
// them, and too late is not.
func verdictWord(say *language.Words, name string) string {
	if name == event.Late.String() {
		return say.Quality.TooLateWord
	}
	return name
}

// verdicts sums the counts by source and kind, and over all at the end.
func verdicts(say *language.Words, rows []metrics.QualityRow) (out []views.Verdicts) {
	sums := sumQuality(rows)
	if len(sums) == 0 {
		return nil
	}
	var total metrics.QualityRow
	for _, q := range sums {
		addQuality(&total, &q)
		out = append(out, verdictRow(q, sourceTitle(say, q.Source), spaced(q.Kind.String())))
	}
	last := verdictRow(total, say.Quality.All, "")
	last.Total = true
	return append(out, last)
}

// sourceTitle is what people call a family of systems.
func sourceTitle(say *language.Words, s event.Source) string {
	switch s {
	case event.GitHub:
		return "GitHub"
	case event.Jira:
		return "Jira"
	case event.Deploy:
		return say.Quality.Deployments
	}
	return s.String()
}

func verdictRow(q metrics.QualityRow, source, kind string) views.Verdicts {
	return views.Verdicts{
		Source: source, Kind: kind, Decoded: views.Int(q.Decoded), Accepted: views.Int(q.Accepted), Late: zeroIsDash(q.LateAccepted),
		Backfilled: zeroIsDash(q.Backfilled), Duplicates: zeroIsDash(q.Duplicates), Dropped: zeroIsDash(q.Late), Refused: zeroIsDash(q.Quarantined),
	}
}

// sumQuality adds rows up by source and kind, in that order.
func sumQuality(rows []metrics.QualityRow) []metrics.QualityRow {
	type key struct {
		source event.Source
		kind   event.Kind
	}
	sums := map[key]*metrics.QualityRow{}
	for i := range rows {
		k := key{rows[i].Source, rows[i].Kind}
		if sums[k] == nil {
			sums[k] = &metrics.QualityRow{Source: k.source, Kind: k.kind}
		}
		addQuality(sums[k], &rows[i])
	}
	out := make([]metrics.QualityRow, 0, len(sums))
	for _, q := range sums {
		out = append(out, *q)
	}
	slices.SortFunc(out, func(a, b metrics.QualityRow) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Kind, b.Kind))
	})
	return out
}

func addQuality(sum, q *metrics.QualityRow) {
	sum.Decoded += q.Decoded
	sum.Accepted += q.Accepted
	sum.LateAccepted += q.LateAccepted
	sum.Backfilled += q.Backfilled
	sum.Healed += q.Healed
	sum.Late += q.Late
	sum.Duplicates += q.Duplicates
	sum.Quarantined += q.Quarantined
}

func timeOrNull(t timeline.Millis) *string {
	if t <= 0 {
		return nil
	}
	text := t.String()
	return &text
}
