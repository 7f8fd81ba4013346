package catalog

import (
	"strings"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// zoned is a zone and how near to its owner it was said: level 0 is their own.
type zoned struct {
	zone  *timeline.Zone
	level int
}

// zoneOn gives the zone on a date: of the first level that has one, else the
// instance's.
func (c *Catalog) zoneOn(levels ...dated[*timeline.Zone]) func(timeline.Date) *timeline.Zone {
	return func(d timeline.Date) *timeline.Zone { return c.zonedOn(d, levels).zone }
}

func (c *Catalog) zonedOn(d timeline.Date, levels []dated[*timeline.Zone]) zoned {
	for i, ds := range levels {
		if z, ok := ds.on(d); ok {
			return zoned{z, i}
		}
	}
	return zoned{c.zone, len(levels)}
}

// zoneRuns turns dates into instants. A zone begins at the midnight of its first
// date in itself: who moves is in the new zone from that day's beginning there,
// and in the old one until then, so that no instant has two zones or none.
func (c *Catalog) zoneRuns(levels ...dated[*timeline.Zone]) runs[zoned] {
	var b borders
	for _, ds := range levels {
		b = addBorders(b, ds)
	}
	var rs runs[zoned]
	for _, d := range b.sorted() {
		z := c.zonedOn(d, levels)
		start := never
		if d != always {
			start = z.zone.Midnight(d)
		}
		switch n := len(rs); {
		case n > 0 && rs[n-1].value == z:
		case n > 0 && start <= rs[n-1].start:
			rs[n-1].value = z // two moves within the hours between zones
		default:
			rs = append(rs, run[zoned]{start, z})
		}
	}
	return rs
}

// TeamZone is the zone of a team: its own, else the organisation's, else the
// instance's. Any name is a team.
func (c *Catalog) TeamZone(team string, at timeline.Millis) *timeline.Zone {
	if t, ok := c.teams[team]; ok {
		return t.zones.at(at).zone
	}
	return c.orgZones.at(at).zone
}

// TeamZoneAround is TeamZone, and the window around the instant in which it stays:
// for those who ask again and again.
func (c *Catalog) TeamZoneAround(team string, at timeline.Millis) (*timeline.Zone, timeline.Window) {
	zones := c.orgZones
	if t, ok := c.teams[team]; ok {
		zones = t.zones
	}
	z, w := zones.around(at)
	return z.zone, w
}

// PersonZone is the zone that the catalog names for a person; false where it
// names none.
func (c *Catalog) PersonZone(p event.PersonID, at timeline.Millis) (*timeline.Zone, bool) {
	if known, ok := c.byID[p]; ok {
		if z := known.zones.at(at); z.level == 0 {
			return z.zone, true
		}
	}
	return nil, false
}

// ActZone is the zone in which a person did something, and how it is known: from
// the catalog, else from the event's own offset or profile, else it is taken to
// be that of the team. An offset of zero is no evidence (services write in UTC
// whoever acts), nor is a profile that says no more than UTC.
func (c *Catalog) ActZone(p event.PersonID, local event.LocalEvidence, team string, at timeline.Millis) (*timeline.Zone, event.ZoneSource) {
	if z, ok := c.PersonZone(p, at); ok {
		return z, event.ZoneConfigured
	}
	if local.HasOffset && local.Offset != 0 {
		if z, err := timeline.FixedZone(int(local.Offset)); err == nil {
			return z, event.ZoneInferred
		}
	}
	if local.Profile != "" {
		if z := c.profiles.get(local.Profile, profileZone); z != nil {
			return z, event.ZoneInferred
		}
	}
	return c.TeamZone(team, at), event.ZoneAssumed
}

// profileZone is nil where a profile is no evidence, or no zone.
func profileZone(name string) *timeline.Zone {
	switch strings.ToUpper(strings.TrimPrefix(name, "Etc/")) {
	case "UTC", "GMT", "UCT", "ZULU", "UNIVERSAL", "GREENWICH", "GMT0", "GMT+0", "GMT-0":
		return nil
	}
	z, err := timeline.LoadZone(name)
	if err != nil {
		return nil
	}
	return z
}
