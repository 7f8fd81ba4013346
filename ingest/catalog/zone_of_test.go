package catalog

import (
	"testing"

	"meridian/streaming/timeline"
)

func TestZoneOf(t *testing.T) {
	before, after := timeline.MakeDate(2026, 3, 1), timeline.MakeDate(2026, 3, 2)
	none := mustParse(t, "teams: [{name: web}]\n")
	some := mustParse(t, "zone: [{value: Europe/Berlin, from: 2026-03-02}]\nteams: [{name: web, zone: Asia/Ho_Chi_Minh}, {name: ops}]\n")
	for _, c := range []struct {
		c    *Catalog
		team string
		on   timeline.Date
		want ZoneOf
	}{
		{none, "web", after, InstanceZone}, {some, "web", before, TeamZone}, {some, "ops", after, OrganizationZone},
		{some, "ops", before, InstanceZone}, {some, "acme/x", after, OrganizationZone}, {some, "acme/x", before, InstanceZone},
	} {
		if got := c.c.ZoneOf(c.team, c.on); got != c.want {
			t.Errorf("%s on %s: %d, want %d", c.team, c.on, got, c.want)
		}
	}
}
