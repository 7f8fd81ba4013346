package catalog

import (
	"slices"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// Options are what a catalog depends on besides its file.
type Options struct {
	Key  []byte         // the instance's key, under which people and addresses become pseudonyms
	Zone *timeline.Zone // the instance's zone, where nothing better is known; nil is UTC
}

// Catalog is immutable and safe for concurrent use. What it returns belongs to
// it: callers do not change slices and schedules.
type Catalog struct {
	key     []byte
	zone    *timeline.Zone // the instance's
	content *content
	hash    string

	teams    map[string]*placed
	order    []*placed // in file order
	services map[string]*located
	located  []*located // in file order
	names    []string   // of all services
	statuses map[string]event.StatusCategory
	byID     map[event.PersonID]*person
	accounts map[string]*person // see accountKeys

	production    []owned
	datedServices bool // some service has dates, so its answers depend on when

	organization *calendar // the holidays of those who have none of their own
	orgZones     runs[zoned]
	orgSchedule  *schedule

	// What is asked for every event is computed once for each name.
	persons      memo[event.Account, event.Person]
	owners       memo[string, []owner] // by repository
	projects     memo[string, []owner]
	deployers    memo[[2]string, []owner] // by service and what the payload calls it
	serviceNames memo[serviceQuestion, string]
	inRepository memo[string, []*located]
	inProject    memo[string, incidentServices]
	environments memo[string, []timeline.Window]
	profiles     memo[string, *timeline.Zone]
	schedules    memo[worker, *schedule]
}

// TeamInfo describes a team that the file names.
type TeamInfo struct {
	Name  string
	Group string         // the latest
	Zone  *timeline.Zone // the latest: the team's, else the organisation's, else the instance's
}

// placed is a team with all that is made of its dates.
type placed struct {
	*team
	zones        runs[zoned]
	schedule     *schedule
	repositories []owned
	jira         []owned
	services     []owned
}

// Empty is the catalog of an instance that has no catalog file.
func Empty(o Options) *Catalog { return build(&content{}, o) }

func build(content *content, o Options) *Catalog {
	if o.Zone == nil {
		o.Zone = timeline.UTC()
	}
	c := &Catalog{
		key:      slices.Clone(o.Key),
		zone:     o.Zone,
		content:  content,
		hash:     content.hash(),
		teams:    map[string]*placed{},
		services: map[string]*located{},
		statuses: map[string]event.StatusCategory{},
		byID:     map[event.PersonID]*person{},
		accounts: map[string]*person{},
	}
	for _, rule := range content.statuses {
		c.statuses[rule.name] = rule.category
	}
	c.locate()
	c.names = content.serviceNames()
	c.organization = content.organization()
	c.orgZones = c.zoneRuns(content.zone)
	c.orgSchedule = c.newSchedule()
	for _, t := range content.teams {
		p := &placed{team: t, zones: c.zoneRuns(t.zone, content.zone)}
		p.schedule = c.newSchedule(levelOf(t))
		zoneOn := c.zoneOn(t.zone, content.zone)
		p.repositories = ownedBy(t.repositories, zoneOn)
		p.jira = ownedBy(t.jira, zoneOn)
		p.services = ownedBy(lower(slices.Clone(t.services)), zoneOn)
		c.teams[t.name] = p
		c.order = append(c.order, p)
	}
	for _, p := range content.people {
		p.id = c.personID(p.name)
		c.byID[p.id] = p
		c.placePerson(p)
	}
	return c
}

// locate makes instants of the dates of services and environments, in the
// organisation's zone.
func (c *Catalog) locate() {
	zoneOn := c.zoneOn(c.content.zone)
	c.production = ownedBy(c.content.production, zoneOn)
	for _, s := range c.content.services {
		l := &located{s, ownedBy(s.repositories, zoneOn), ownedBy(s.paths, zoneOn), ownedBy(s.deploys, zoneOn)}
		for _, list := range [][]owned{l.repositories, l.paths, l.deploys} {
			c.datedServices = c.datedServices || slices.ContainsFunc(list, func(o owned) bool { return o.window != allTime })
		}
		c.services[s.name] = l
		c.located = append(c.located, l)
	}
}

// Hash is the SHA-256 of what the catalog says, in hex. Layout, comments, quoting
// and the order of people do not change it; the order of teams and services does,
// because the first that matches owns.
func (c *Catalog) Hash() string { return c.hash }

// TeamList gives the teams of the file, in its order.
func (c *Catalog) TeamList() []TeamInfo {
	list := make([]TeamInfo, len(c.order))
	for i, t := range c.order {
		group, _ := t.group.last()
		list[i] = TeamInfo{t.name, group, t.zones[len(t.zones)-1].value.zone}
	}
	return list
}

// HasTeams reports whether the file lists any.
func (c *Catalog) HasTeams() bool { return len(c.order) > 0 }

// TeamNamed is the entry of TeamList of that name.
func (c *Catalog) TeamNamed(name string) (TeamInfo, bool) {
	t, ok := c.teams[name]
	if !ok {
		return TeamInfo{}, false
	}
	group, _ := t.group.last()
	return TeamInfo{t.name, group, t.zones[len(t.zones)-1].value.zone}, true
}

// Services gives the names of the services of the file, in its order: those
// described first, then those that only a team names.
func (c *Catalog) Services() []string { return slices.Clone(c.names) }

func (c *content) serviceNames() []string {
	var names []string
	for _, s := range c.services {
		names = append(names, s.name)
	}
	for _, t := range c.teams {
		for _, e := range t.services {
			if literal(e.value) && !slices.Contains(names, e.value) {
				names = append(names, e.value)
			}
		}
	}
	return names
}
