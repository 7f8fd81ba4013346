package web

import (
	"net/http"
	"net/url"
	"slices"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

// waitingMost is how many items stand in one list of what is open now.
const waitingMost = 200

// waitingPage lists what is open now: what metrics that are dated by an end
// cannot show, such as the pull request that has waited for 20 days.
func (s *Server) waitingPage(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	p := newParams(r.URL.Query(), "team")
	team := p.text("team")
	if p.err != nil {
		return p.err
	}
	as, err := s.guard.AsOf(ctx)
	if err != nil {
		return err
	}
	teams, err := s.guard.Teams(ctx)
	if err != nil {
		return err
	}
	say := language.Of(ctx)
	page := s.page(r, say.Waiting.WaitingNow, "waiting", as)
	v := views.Waiting{Page: page, Clock: page.Foot.Clock}
	here := page.Site.Path("waiting")
	v.Teams = teamLinks(say, here, nil, teams, team)
	if team != "" {
		if err := s.exists(r, team); err != nil {
			return err
		}
		teams = []string{team}
	}
	covered, err := s.guard.coverage(ctx)
	if err != nil {
		return err
	}
	open, err := s.guard.openNow(ctx, as, teams)
	if err != nil {
		return err
	}
	for _, d := range s.guard.definitions {
		if !isGauge(d) {
			continue
		}
		v.Lists = append(v.Lists, s.waiting(say, as, d, open[d.Name], teams, covered))
	}
	return s.render(w, r, http.StatusOK, v.Render())
}

// teamLinks choose a team of a page, of which "" is all.
func teamLinks(say *language.Words, here string, rest url.Values, teams []string, chosen string) []views.Link {
	to := func(team string) string {
		q := url.Values{}
		for name, values := range rest {
			q[name] = values
		}
		if team != "" {
			q.Set("team", team)
		}
		if len(q) == 0 {
			return here
		}
		return here + "?" + q.Encode()
	}
	links := []views.Link{{ID: "team-all", Text: say.Common.AllTeams, Href: to(""), Current: chosen == ""}}
	for _, name := range teams {
		links = append(links, views.Link{ID: views.ID("team", name), Text: name, Href: to(name), Current: name == chosen})
	}
	return links
}

// waiting lists what is open of one gauge, the oldest first.
func (s *Server) waiting(say *language.Words, as metrics.AsOf, d *metrics.Definition, rows []metrics.ObservationRow, teams []string, covered *covered) views.WaitingList {
	list := views.WaitingList{ID: string(d.Name), Title: d.Passport.Title, Question: d.Passport.Question}
	if len(teams) > 1 { // what two teams have is one thing, as in the organisation's number
		rows = slices.DeleteFunc(rows, func(o metrics.ObservationRow) bool { return !o.Primary })
	}
	list.Count = views.Int(int64(len(rows)))
	if len(rows) == 0 {
		list.Reason = say.Waiting.NothingOpen
		c := covered.of(d, teams)
		if c.From == 0 || c.Silent {
			list.Count, list.Reason = "", metrics.NoSource.Sentence()
		}
		return list
	}
	if len(rows) > waitingMost {
		list.More = say.Waiting.More(views.Int(int64(len(rows) - waitingMost)))
		rows = rows[:waitingMost]
	}
	call := url.Values{"metric": {string(d.Name)}, "from": {as.Clock.String()}, "to": {(as.Clock + 1).String()}, "limit": {"1000"}}
	if len(teams) == 1 {
		call.Set("team", teams[0])
	}
	list.Exports = exported(say, list.ID, s.base+"/api/v1/evidence?"+call.Encode(), say.Common.CSV)
	for _, o := range rows {
		scope := s.guard.teamScope(o.Team)
		item := views.WaitingItem{
			ID: views.ID("open", string(d.Name), string(o.Entity), o.Item), Label: o.Label, URL: webAddress(o.URL),
			Team: views.Link{Text: o.Team, Href: s.base + "/teams/" + escape(o.Team) + "/" + string(d.Name)},
			Age:  number(float64(as.Clock-o.At)/float64(timeline.Second), "seconds"), Since: instant(scope.Zone, o.At, as.Clock),
		}
		if item.Label == "" {
			item.Label = string(o.Entity)
		}
		if item.Since.Text != "" {
			item.Since.Text += " " + scope.Zone.Name()
		}
		list.Items = append(list.Items, item)
	}
	return list
}
