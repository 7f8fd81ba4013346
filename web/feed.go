package web

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

// Atom's elements, as far as a feed of summaries needs them.
type (
	atomFeed struct {
		XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
		Title   string      `xml:"title"`
		ID      string      `xml:"id"`
		Updated string      `xml:"updated"`
		Links   []atomLink  `xml:"link"`
		Author  string      `xml:"author>name"`
		Entries []atomEntry `xml:"entry"`
	}
	atomLink struct {
		Rel  string `xml:"rel,attr,omitempty"`
		Href string `xml:"href,attr"`
	}
	atomEntry struct {
		Title   string   `xml:"title"`
		ID      string   `xml:"id"`
		Updated string   `xml:"updated"`
		Link    atomLink `xml:"link"`
		Content struct {
			Type string `xml:"type,attr"`
			Text string `xml:",chardata"`
		} `xml:"content"`
	}
)

// feedWeeks is how many weeks a feed has: one that a reader looks at once a month
// must not miss one.
const feedWeeks = 8

// feed has an entry for each whole week of a team, from Monday to Sunday in its
// zone: its headline numbers beside those of the week before. An entry appears
// when its week is over and does not change its id; a revised number changes its
// text.
func (s *Server) feed(w http.ResponseWriter, r *http.Request) error {
	p := newParams(r.URL.Query(), "token")
	if p.err != nil {
		return p.err
	}
	team := r.PathValue("team")
	if err := s.exists(r, team); err != nil {
		return err
	}
	as, err := s.guard.AsOf(r.Context())
	if err != nil {
		return err
	}
	if s.unchanged(w, r, as) {
		return nil
	}
	scope := s.guard.teamScope(team)
	site := strings.TrimRight(s.config.BaseURL, "/")
	say := language.Of(r.Context())
	f := atomFeed{
		Title: say.Team.FeedTitle(team), Author: "Meridian", Updated: as.Clock.String(),
		ID:    site + "/teams/" + url.PathEscape(team) + "/feed.atom",
		Links: []atomLink{{"self", site + "/teams/" + url.PathEscape(team) + "/feed.atom"}, {"alternate", site + "/teams/" + url.PathEscape(team)}},
	}
	weeks, lines, err := s.weeks(r, as, scope)
	if err != nil {
		return err
	}
	for i := len(weeks) - 1; i > 0; i-- { // the first is there to compare with
		week := weeks[i]
		if week.End > as.Clock {
			continue
		}
		first := scope.Zone.Date(week.Start)
		e := atomEntry{
			Title: team + ", " + periodText(scope.Zone, week, as.Clock), Updated: week.End.String(), ID: f.ID + "#" + first.String(),
			Link: atomLink{"alternate", site + "/teams/" + url.PathEscape(team)},
		}
		e.Content.Type, e.Content.Text = "text", strings.Join(lines[i], "\n")
		if len(lines[i]) == 0 {
			e.Content.Text = say.Team.FeedEmpty
		}
		f.Entries = append(f.Entries, e)
	}
	b, err := xml.MarshalIndent(f, "", " ")
	if err != nil {
		return fmt.Errorf("web: write a feed: %w", err)
	}
	w.Header().Set("Content-Type", "application/atom+xml; charset=utf-8")
	_, _ = w.Write(append([]byte(xml.Header), b...)) // an error means that the reader has gone
	return nil
}

// weeks returns whole weeks, the oldest first, with a line for each headline.
func (s *Server) weeks(r *http.Request, as metrics.AsOf, scope Scope) (weeks []timeline.Window, lines [][]string, err error) {
	if as.Clock <= 0 {
		return nil, nil, nil
	}
	z := scope.Zone
	monday := beginning(metrics.Week, z.Date(as.Clock))
	from, to := z.Midnight(monday.AddDays(-7*(feedWeeks+1))), z.Midnight(monday)
	for w := range windows(z, metrics.Week, from, to) {
		weeks = append(weeks, w)
	}
	lines = make([][]string, len(weeks))
	for _, d := range s.headlines() {
		points, err := s.guard.Series(r.Context(), SeriesQuery{
			Generation: as.Generation, Clock: as.Clock, Definition: d, Scope: scope, Grain: metrics.Week, From: from, To: to,
		})
		if err != nil {
			return nil, nil, err
		}
		at := map[timeline.Millis]*metrics.Point{}
		for _, p := range points {
			at[p.Start] = p
		}
		for i := 1; i < len(weeks); i++ {
			now, before := at[weeks[i].Start], at[weeks[i-1].Start]
			if now == nil {
				continue
			}
			v := valueOf(now)
			if v.Text == "" {
				continue
			}
			line := d.Passport.Title + ": " + v.Text
			if before != nil {
				if old := valueOf(before); old.Text != "" {
					line += language.Of(r.Context()).Team.FeedBefore(old.Text)
				}
			}
			lines[i] = append(lines[i], plainSpaces(line+", n = "+views.Int(now.N())))
		}
	}
	return weeks, lines, nil
}

// plainSpaces takes narrow spaces out, which feed readers often cannot show.
func plainSpaces(text string) string {
	return strings.NewReplacer("\u202f", " ", "\u00a0", " ").Replace(text)
}
