package catalog

import "slices"

// check looks for what needs all files: names that something else must have.
func (c *content) check(problems *collector) {
	teams := make([]string, len(c.teams))
	for i, t := range c.teams {
		teams[i] = t.name
	}
	var calendars []string
	for _, h := range c.holidays {
		calendars = append(calendars, h.name)
	}
	holidays := func(ds dated[named]) {
		for _, e := range ds {
			if c.calendar(e.value.name) == nil && !c.adopt(e.value) {
				problems.add(e.value.place, "there are no holidays %q; %s", e.value.name, orWrite(e.value.name, calendars, "holidays: {"+e.value.name+": [2026-01-01]}"))
			}
		}
	}
	for _, t := range c.teams {
		holidays(t.holidays)
	}
	for _, p := range c.people {
		holidays(p.holidays)
		for _, m := range p.teams {
			if !slices.Contains(teams, m.value.name) {
				problems.add(m.value.place, "there is no team %q; %s", m.value.name, orWrite(m.value.name, teams, "teams: [{name: "+m.value.name+"}]"))
			}
		}
	}
}

// adopt makes a calendar of the library that is named without being declared, so
// that `holidays: de` says enough.
func (c *content) adopt(n named) bool {
	made := &calendar{name: n.name, place: n.place, adopted: true}
	if !made.takeOver(n.name) {
		return false
	}
	c.holidays = append(c.holidays, made)
	return true
}

func orWrite(got string, names []string, declaration string) string {
	if best := Nearest(got, names); best != "" {
		return "did you mean " + best + "?"
	}
	return "write it down as " + declaration
}
