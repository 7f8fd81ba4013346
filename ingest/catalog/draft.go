package catalog

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Hints are what other systems say of who works with whom: GitHub's teams, and
// CODEOWNERS files. They are a starting point and no more: a team of GitHub is
// often a set of permissions.
type Hints struct {
	Teams []HintedTeam
}

// HintedTeam is a team as another system has it.
type HintedTeam struct {
	Name         string
	Why          string   // "team web of acme on GitHub", "CODEOWNERS of acme/web"
	Members      []string // logins
	Repositories []string // full names
}

// Draft writes a catalog to start from: everything that was seen and that known
// does not place. Each guess is marked as one, in a comment that says what speaks
// for it. schema is the address that editors read the schema from, "" for none.
func (s *Survey) Draft(known *Catalog, hints Hints, schema string) []byte {
	d := &draft{survey: s, known: known, teamOf: map[string]string{}, why: map[string]string{}}
	d.teams(hints)
	d.accounts(hints)
	if schema != "" {
		d.line("# yaml-language-server: $schema=%s", schema)
	}
	d.line("# A catalog to start from, made of %d events that Meridian has seen. What says \"guess\" was not said by", s.events)
	d.line("# anybody: look at it, mend it, and take the comment away. `meridian catalog check FILE` finds mistakes.")
	d.organization()
	d.writeTeams()
	d.writePeople()
	d.writeServices()
	return d.out.Bytes()
}

type draft struct {
	survey *Survey
	known  *Catalog
	out    bytes.Buffer

	names    []string                  // of teams, in order
	members  map[string][]string       // of hinted teams: logins
	owns     map[string][]string       // repositories and projects by team
	projects map[string]bool           // which of these are projects
	services map[string][]string       // by team
	why      map[string]string         // of a team
	teamOf   map[string]string         // of a repository or project
	people   []*draftPerson            // in order of their names
	bots     map[string]string         // why
	zones    map[string]int            // of people, by zone
	byTeam   map[string]map[string]int // zones of a team's people
}

type draftPerson struct {
	name         string
	github, jira []string
	acts         int64
	places       map[string]int64
	offsets      map[clockShown]*shown
	profile      map[string]int64
	zone         zoneGuess
	team         string
	notes        []string // guesses, as sentences
}

func (d *draft) line(format string, args ...any) { fmt.Fprintf(&d.out, format+"\n", args...) }

// scalar writes a text so that YAML reads it back as that text.
func scalar(s string) string {
	n := yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	b, err := yaml.Marshal([]*yaml.Node{&n})
	if err != nil || strings.ContainsAny(s, ",[]{}#\n") {
		return fmt.Sprintf("%q", s)
	}
	return strings.TrimPrefix(strings.TrimSpace(string(b)), "- ")
}

func scalars(list []string) string {
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = scalar(s)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// comment is a text that cannot end a comment.
func comment(s string) string { return strings.Join(strings.Fields(s), " ") }

// teams decides who owns what: what the hints say, else each repository and
// project is a team of its own.
func (d *draft) teams(hints Hints) {
	d.members, d.owns, d.projects, d.services = map[string][]string{}, map[string][]string{}, map[string]bool{}, map[string][]string{}
	team := func(name, why string) {
		if !slices.Contains(d.names, name) {
			d.names = append(d.names, name)
			d.why[name] = why
		}
	}
	for _, h := range hints.Teams {
		team(h.Name, "guess: "+h.Why)
		d.members[h.Name] = append(d.members[h.Name], h.Members...)
		for _, r := range h.Repositories {
			if d.teamOf[r] == "" { // the first that names it owns it, as in the catalog
				d.teamOf[r] = h.Name
				d.owns[h.Name] = append(d.owns[h.Name], r)
			}
		}
	}
	for _, r := range slices.Sorted(maps.Keys(d.survey.repositories)) {
		if d.teamOf[r] != "" || d.known.repositoryOwner(r, 0) != "" || d.known.repositoryOwner(r, endless-1) != "" {
			continue
		}
		name := d.free(path.Base(r), r)
		team(name, fmt.Sprintf("guess: a repository is a team of its own (%d events); join those that one team looks after", d.survey.repositories[r].n))
		d.teamOf[r] = name
		d.owns[name] = append(d.owns[name], r)
	}
	for _, p := range slices.Sorted(maps.Keys(d.survey.projects)) {
		if d.teamOf[p] != "" || d.known.projectOwner(p, 0) != "" || d.known.projectOwner(p, endless-1) != "" {
			continue
		}
		d.projects[p] = true
		name := strings.ToLower(p)
		if !slices.Contains(d.names, name) {
			name = d.free(p, p)
			team(name, fmt.Sprintf("guess: a Jira project is a team of its own (%d events); put its key under the team that works by it", d.survey.projects[p].n))
		} else {
			d.why[name] += "; project " + p + " has its name"
		}
		d.teamOf[p] = name
		d.owns[name] = append(d.owns[name], p)
	}
	for _, name := range slices.Sorted(maps.Keys(d.survey.services)) {
		repository, _ := most(d.survey.services[name].repositories)
		if owner := d.teamOf[repository]; owner != "" && d.known.serviceOwner(name, name, 0) == "" {
			d.services[owner] = append(d.services[owner], name)
		}
	}
}

// free is a name that no other team has.
func (d *draft) free(short, whole string) string {
	taken := func(name string) bool { return slices.Contains(d.names, name) || d.known.teams[name] != nil }
	if !taken(short) {
		return short
	}
	return whole
}

// accounts joins accounts that share an address to people, and leaves those out
// that the catalog knows and those that look like programs.
func (d *draft) accounts(hints Hints) {
	d.bots, d.zones, d.byTeam = map[string]string{}, map[string]int{}, map[string]map[string]int{}
	byEmail, byKey := map[string]*draftPerson{}, map[string]*draftPerson{}
	keys := slices.Sorted(maps.Keys(d.survey.accounts))
	slices.SortStableFunc(keys, func(a, b string) int { // accounts with a name first: they give it to the person
		return cmp.Compare(rank(d.survey.accounts[a]), rank(d.survey.accounts[b]))
	})
	for _, key := range keys {
		a := d.survey.accounts[key]
		switch {
		case a.bot || strings.HasSuffix(strings.ToLower(a.name), "[bot]") || d.known.content.bots.match(a.name):
			continue // known without this
		case looksLikeBot(a.name):
			d.bots[a.name] = "by its name"
			continue
		case d.known.accounts[key] != nil || d.known.accounts[accountKey("email", a.email)] != nil:
			continue
		}
		p := byEmail[a.email]
		switch {
		case a.email != "" && p != nil:
			if a.name != "" {
				p.notes = append(p.notes, a.provider+" "+comment(a.name)+" has the same e-mail address")
			}
		case a.name == "" || a.provider != "github" && a.provider != "jira":
			continue // an address alone cannot be listed, and a deploy system's names are somebody else's
		default:
			p = &draftPerson{name: a.name, places: map[string]int64{}, offsets: map[clockShown]*shown{}, profile: map[string]int64{}}
			d.people = append(d.people, p)
		}
		if a.email != "" {
			byEmail[a.email] = p
		}
		byKey[key] = p
		p.take(a)
	}
	for _, p := range d.people {
		d.guess(p)
	}
	slices.SortFunc(d.people, func(a, b *draftPerson) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.name), strings.ToLower(b.name)), cmp.Compare(a.name, b.name))
	})
}

func rank(a *seenAccount) int {
	switch {
	case a.name != "" && a.provider == "github":
		return 0
	case a.name != "" && a.provider == "jira":
		return 1
	}
	return 2
}

func looksLikeBot(name string) bool {
	name = strings.ToLower(name)
	for _, end := range []string{"-bot", "_bot", "-ci", "-robot", "-automation", "-deploy", "-deployer"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return slices.Contains([]string{"jenkins", "renovate", "dependabot", "web-flow", "ci", "bot"}, name)
}

func (p *draftPerson) take(a *seenAccount) {
	switch {
	case a.provider == "github" && a.name != "":
		p.github = append(p.github, a.name)
	case a.provider == "jira" && a.name != "":
		p.jira = append(p.jira, a.name)
	}
	p.acts += a.acts
	for place, n := range a.places {
		p.places[place] += n
	}
	for k, o := range a.offsets {
		have := p.offsets[k]
		if have == nil {
			have = &shown{at: o.at}
			p.offsets[k] = have
		}
		have.n += o.n
		have.at = min(have.at, o.at)
	}
	for z, n := range a.profile {
		p.profile[z] += n
	}
}

// guess finds somebody's team and zone.
func (d *draft) guess(p *draftPerson) {
	for _, name := range d.names {
		if slices.ContainsFunc(d.members[name], func(login string) bool {
			return slices.ContainsFunc(p.github, func(mine string) bool { return strings.EqualFold(mine, login) })
		}) {
			p.team = name
			p.notes = append(p.notes, "a member of "+strings.TrimPrefix(d.why[name], "guess: "))
			break
		}
	}
	if p.team == "" {
		acts := map[string]int64{}
		for place, n := range p.places {
			team := d.teamOf[place]
			if team == "" {
				if team = d.known.repositoryOwner(place, endless-1); team == "" {
					team = d.known.projectOwner(place, endless-1)
				}
			}
			if team != "" {
				acts[team] += n
			}
		}
		if team, n := most(acts); team != "" {
			p.team = team
			p.notes = append(p.notes, fmt.Sprintf("%d of %d acts are in %s's", n, p.acts, team))
		}
	}
	preferred := slices.SortedFunc(maps.Keys(d.zones), func(a, b string) int { return cmp.Or(d.zones[b]-d.zones[a], cmp.Compare(a, b)) })
	preferred = append(preferred, d.known.TeamZone("", endless-1).Name())
	if z, ok := guessZone(p.offsets, p.profile, preferred); ok {
		p.zone = z
		p.notes = append(p.notes, z.why)
		d.zones[z.zone]++
		if d.byTeam[p.team] == nil {
			d.byTeam[p.team] = map[string]int{}
		}
		d.byTeam[p.team][z.zone]++
	}
}
