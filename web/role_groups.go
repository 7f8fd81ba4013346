package web

import (
	"errors"
	"fmt"
	"path"
	"slices"
)

// Group gives roles and teams to those whom the sign-in says to be in it. Who is
// in several has all that these give; who is in none has nothing.
type Group struct {
	Name    string   // as the identity provider or the proxy names it; "*": everybody who is signed in
	Members []string // more who are in it: subjects of the issuer, or names that the proxy sends
	Roles   Roles
	Teams   []string // names, with * for any part; nil: every team
}

func (g *Group) has(subject string, groups []string) bool {
	return g.Name == "*" || g.Name != "" && slices.Contains(groups, g.Name) || subject != "" && slices.Contains(g.Members, subject)
}

// everyTeam reports whether a group is about teams that are not there yet, too.
func (g *Group) everyTeam() bool { return g.Teams == nil || slices.Contains(g.Teams, "*") }

// grant gives a reader what their groups give. Patterns are kept as such, so
// that a team that comes later is seen too.
func (c *Config) grant(r *Reader, subject string, groups []string) {
	for i := range c.Groups {
		g := &c.Groups[i]
		if !g.has(subject, groups) {
			continue
		}
		r.Roles |= g.Roles | Viewer
		if g.everyTeam() {
			r.Every = true
			continue
		}
		for _, t := range g.Teams {
			if !slices.Contains(r.Teams, t) {
				r.Teams = append(r.Teams, t)
			}
		}
	}
}

func matchesTeam(patterns []string, team string) bool {
	for _, p := range patterns {
		if ok, err := path.Match(p, team); p == team || err == nil && ok {
			return true
		}
	}
	return false
}

func (c *Config) validateGroups() (problems []error) {
	for i := range c.Groups {
		g := &c.Groups[i]
		if g.Name == "" && len(g.Members) == 0 {
			problems = append(problems, errors.New("web: a group has neither a name nor members"))
		}
		for _, t := range g.Teams {
			if _, err := path.Match(t, ""); err != nil {
				problems = append(problems, fmt.Errorf("web: group %q: teams %q is no pattern: %w", g.Name, t, err))
			}
		}
	}
	return problems
}
