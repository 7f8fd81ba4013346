package catalog

import (
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// ghost is the account that GitHub shows for those that are gone.
const ghost = "ghost"

// Person resolves an account. The catalog knows it by login, key or address; any
// other account is a person of its own. Nobody is the zero Person.
func (c *Catalog) Person(a event.Account) event.Person {
	if a.IsZero() {
		return event.Person{}
	}
	return c.persons.get(a, c.resolve)
}

func (c *Catalog) resolve(a event.Account) event.Person {
	p := event.Person{
		Bot:     a.Bot || strings.HasSuffix(strings.ToLower(a.Login), "[bot]") || a.Login != "" && c.content.bots.match(a.Login),
		Deleted: a.Deleted || isGitHub(a) && strings.EqualFold(a.Login, ghost),
	}
	if erasedAccount(a) {
		return event.Person{Deleted: true, Bot: a.Bot} // nobody in particular any more
	}
	if p.Deleted && (a.Login == "" || strings.EqualFold(a.Login, ghost)) {
		return p // all that are gone share one account, and are nobody in particular
	}
	if known := c.find(a); known != nil {
		p.ID, p.Known = known.id, true
		return p
	}
	p.ID = c.accountID(a)
	return p
}

// find looks an account up by all names that it has, the surest first. Deploy
// systems name people as some other system does.
func (c *Catalog) find(a event.Account) *person {
	if len(c.accounts) == 0 {
		return nil
	}
	var keys []string
	switch {
	case isGitHub(a):
		keys = []string{accountKey("github", a.Login), accountKey("github", a.Key)}
	case a.Provider == "jira":
		keys = []string{accountKey("jira", a.Key), accountKey("jira", a.Login)}
	default:
		keys = []string{accountKey("github", a.Login), accountKey("jira", a.Login), accountKey("name", a.Login), accountKey("email", c.EmailHash(a.Login))}
	}
	for _, key := range append(keys, accountKey("email", a.Email)) {
		if p, ok := c.accounts[key]; ok {
			return p
		}
	}
	return nil
}

// accountKey is "" of nothing, which no map holds.
func accountKey(provider, name string) string {
	if name == "" {
		return ""
	}
	return provider + "\x00" + fold(name)
}

// claimAccounts gives each account to its person; two who claim one are a problem.
func (c *Catalog) claimAccounts(problems *collector) {
	for _, p := range c.content.people {
		claim := func(provider string, list []named, key func(string) string) {
			for _, n := range list {
				k := accountKey(provider, key(n.name))
				if other, ok := c.accounts[k]; ok && other != p {
					problems.add(n.place, "%s belongs to %s already (%s); an account has one person", n.name, other.name, other.place)
					continue
				}
				c.accounts[k] = p
			}
		}
		itself := func(s string) string { return s }
		claim("github", p.github, itself)
		claim("jira", p.jira, itself)
		claim("email", p.emails, c.EmailHash)
		if k := accountKey("name", p.name); c.accounts[k] == nil {
			c.accounts[k] = p
		}
	}
}

// placePerson makes instants of a person's dates. These are local to their own
// zone, else to that of the first team in their list.
func (c *Catalog) placePerson(p *person) {
	levels := []dated[*timeline.Zone]{p.zone}
	if len(p.teams) > 0 {
		if t, ok := c.teams[p.teams[0].value.name]; ok {
			levels = append(levels, t.zone)
		}
	}
	levels = append(levels, c.content.zone)
	p.zones = c.zoneRuns(levels...)

	zoneOn := c.zoneOn(levels...)
	for _, d := range addBorders(nil, p.teams).sorted() {
		start := never
		if d != always {
			start = zoneOn(d).Midnight(d)
		}
		var teams []string
		for _, m := range p.teams {
			if m.holds(d) && !slices.Contains(teams, m.value.name) {
				teams = append(teams, m.value.name)
			}
		}
		p.worksFor = append(p.worksFor, run[[]string]{start, teams})
	}
}

// DisplayName is the name that the catalog has for a person; "" where it has none.
func (c *Catalog) DisplayName(id event.PersonID) string {
	if p, ok := c.byID[id]; ok {
		return p.name
	}
	return ""
}

// Teams are the teams that a person belongs to, the primary one first; nil for
// somebody in none, who then works for the team of what they touch.
func (c *Catalog) Teams(p event.PersonID, at timeline.Millis) []string {
	if known, ok := c.byID[p]; ok {
		return known.worksFor.at(at)
	}
	return nil
}
