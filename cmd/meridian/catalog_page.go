package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"meridian/ingest/catalog"
	"meridian/streaming/timeline"
	"meridian/web"
)

// catalogPages shows the catalog to its page.
type catalogPages struct{ m *machine }

// On implements web.Catalog.
func (p catalogPages) On(d timeline.Date) web.CatalogView {
	c := p.m.currentCatalog()
	v := c.On(d)
	out := web.CatalogView{Hash: c.Hash(), Zone: v.Zone, Production: v.Production}
	for _, t := range v.Teams {
		out.Teams = append(out.Teams, web.CatalogTeam{
			Name: t.Name, Group: t.Group, Zone: t.Zone, Hours: hoursText(t.Hours), Holidays: t.Holidays,
			Repositories: t.Repositories, Jira: t.Jira, Services: t.Services, People: t.People,
		})
	}
	for _, x := range v.People {
		out.People = append(out.People, personOn(c, v, x, d))
	}
	for _, s := range v.Services {
		out.Services = append(out.Services, web.CatalogService{Name: s.Name, Repositories: s.Repositories, Paths: s.Paths, Deploys: s.Deploys})
	}
	return out
}

// personOn is a person with the zone that they work in where their events say none,
// and who says so.
func personOn(c *catalog.Catalog, v catalog.View, x catalog.ViewPerson, d timeline.Date) web.CatalogPerson {
	p := web.CatalogPerson{Name: x.Name, Teams: x.Teams, Accounts: slices.Concat(x.GitHub, x.Jira), Zone: x.Zone}
	if p.ZoneFrom.Own = x.Zone != ""; p.ZoneFrom.Own {
		return p
	}
	of := ""
	p.Zone = v.Zone
	for _, t := range v.Teams {
		if len(x.Teams) > 0 && t.Name == x.Teams[0] { // the primary one
			of, p.Zone = t.Name, t.Zone
		}
	}
	switch c.ZoneOf(of, d) {
	case catalog.TeamZone:
		p.ZoneFrom.Team = of
	case catalog.OrganizationZone:
		p.ZoneFrom.Organisation = true
	}
	return p
}

// hoursText is working hours in a line: one text, or weekdays that differ.
func hoursText(hours any) string {
	days, ok := hours.(map[string]string)
	if !ok {
		if hours == nil {
			return ""
		}
		return fmt.Sprint(hours)
	}
	var parts []string
	for _, day := range slices.Sorted(maps.Keys(days)) {
		parts = append(parts, strings.TrimSpace(day+" "+days[day]))
	}
	return strings.Join(parts, "; ")
}

// Changes implements web.Catalog. What has been seen is left out: a page must not
// read the whole log.
func (p catalogPages) Changes(names bool) (changes []string, pending bool, trouble string) {
	current, next := p.m.currentCatalog(), p.m.coordinator.catalogNow()
	trouble = p.m.coordinator.catalogTrouble()
	if current.Hash() == next.Hash() {
		return nil, false, trouble
	}
	for _, c := range catalog.Diff(current, next, timeline.FromTime(time.Now()), catalog.Seen{}) {
		if names || c.What != "person" {
			changes = append(changes, c.Text)
		}
	}
	return changes, true, trouble
}

// catalogTrouble is what is wrong with the catalog on disk, "" where it is sound.
func (c *coordinator) catalogTrouble() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trouble
}
