package web

import (
	"strings"

	"meridian/metrics"
	"meridian/web/language"
	"meridian/web/views"
)

// stageMetrics are the stages of a change in their order, as the bar names them.
var stageMetrics = []struct {
	name  metrics.Name
	title func(*language.TeamWords) string
}{
	{"pr_coding_time", func(w *language.TeamWords) string { return w.Coding }},
	{"pr_pickup_time", func(w *language.TeamWords) string { return w.Pickup }},
	{"pr_review_time", func(w *language.TeamWords) string { return w.Review }},
	{"pr_deploy_time", func(w *language.TeamWords) string { return w.Deploy }},
}

// stages is the bar of a team's last 30 days, or nil where none of its stages
// is computed or has a value. The medians of stages need not add up to the
// median of their sum; for one pull request the four do, to the millisecond.
func (s *Server) stages(say *language.Words, site views.Site, team string, latest map[metrics.Name][]*metrics.Point) *views.Stages {
	v := &views.Stages{
		ID: "stages", Title: say.Team.Stages, Note: say.Team.StagesNote,
	}
	var parts []string
	any := false
	for _, m := range stageMetrics {
		points := latest[m.name]
		if s.guard.definition(string(m.name)) == nil || len(points) == 0 {
			continue
		}
		last := points[len(points)-1]
		part := views.StagePart{Name: m.title(&say.Team), Href: site.Path("teams", team, string(m.name)), Value: valueOf(last)}
		if value, ok := last.Value(); ok {
			part.Seconds, any = float64(value), true
			parts = append(parts, part.Name+" "+part.Value.Text)
		}
		v.Parts = append(v.Parts, part)
	}
	if !any {
		return nil
	}
	v.Label = say.Team.StagesLabel(strings.Join(parts, ", "))
	if points := latest["lead_time"]; len(points) > 0 && s.guard.definition("lead_time") != nil {
		v.Total = views.StageTotal{Name: say.Team.LeadTime, Href: site.Path("teams", team, "lead_time"), Value: valueOf(points[len(points)-1])}
	}
	return v
}
