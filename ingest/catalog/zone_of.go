package catalog

import "meridian/streaming/timeline"

// ZoneOf says whose zone a team works in.
type ZoneOf uint8

// Who may say it, the nearest first.
const (
	TeamZone ZoneOf = iota
	OrganizationZone
	InstanceZone // nobody else does
)

// ZoneOf returns who says in which zone a team works on a date. Any name is a team.
func (c *Catalog) ZoneOf(team string, d timeline.Date) ZoneOf {
	if t, ok := c.teams[team]; ok {
		return ZoneOf(c.zonedOn(d, []dated[*timeline.Zone]{t.zone, c.content.zone}).level)
	}
	return ZoneOf(c.zonedOn(d, []dated[*timeline.Zone]{nil, c.content.zone}).level)
}
