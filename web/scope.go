package web

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"meridian/streaming/timeline"
)

// Scope is whose numbers are asked for.
type Scope struct {
	Label   string // as points carry it: the team's name, group:shop, org
	Teams   []string
	Several bool // a group or the organisation: its teams' days are merged
	Zone    *timeline.Zone
}

// teamScope is one team, also one that no catalog lists.
func (g *Guard) teamScope(name string) Scope {
	return Scope{Label: name, Teams: []string{name}, Zone: zoneOf(g.directory.Team(name))}
}

// organisation is all teams that there are.
func (g *Guard) organisation(teams []string) Scope {
	return Scope{Label: "org", Teams: teams, Several: true, Zone: g.directory.Zone()}
}

// scope reads scope=team:web, group:shop or org. all are the names of the
// teams that exist.
func (g *Guard) scope(ctx context.Context, text string, all []string) (Scope, error) {
	kind, name, _ := strings.Cut(text, ":")
	switch {
	case text == "org":
		if !ReaderOf(ctx).AllowsAll() {
			return Scope{}, &Error{Status: http.StatusForbidden, Title: "Not for you to see", Detail: "The organisation is all teams, and you may see some. Ask for scope=team:NAME, or for none: then each of yours is answered."}
		}
		return g.organisation(all), nil
	case kind == "team" && name != "":
		return g.teamScope(name), nil
	case kind == "group" && name != "":
		s := Scope{Label: text, Several: true, Zone: g.directory.Zone()}
		for _, t := range g.directory.Teams() {
			if t.Group == name {
				s.Teams = append(s.Teams, t.Name)
			}
		}
		if s.Teams == nil {
			return Scope{}, notFound("No team is in a group named %q.", name)
		}
		return s, nil
	}
	return Scope{}, badRequest("scope %q: write team:NAME, group:NAME or org.", text)
}

func zoneOf(t Team) *timeline.Zone {
	if t.Zone == nil {
		return timeline.UTC()
	}
	return t.Zone
}

// order puts the teams of the directory first, as its file has them, and then
// those that only have rows.
func order(directory []Team, withRows []string) []string {
	var names []string
	for _, t := range directory {
		names = append(names, t.Name)
	}
	for _, name := range withRows {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
