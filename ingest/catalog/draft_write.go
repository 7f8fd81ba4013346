package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// commonest is the name with the highest count, "" unless it is more than half.
func commonest(counts map[string]int) (name string, n, of int) {
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		of += counts[k]
		if counts[k] > n {
			name, n = k, counts[k]
		}
	}
	if 2*n <= of {
		return "", n, of
	}
	return name, n, of
}

// organization writes what holds for everybody. What an existing catalog says of
// it stays there: this file is to stand beside that one.
func (d *draft) organization() {
	said := d.known.content.said
	if _, ok := said["zone"]; !ok {
		if zone, n, of := commonest(d.zones); zone != "" {
			d.line("\nzone: %s  # guess: %d of %d people are there", zone, n, of)
		} else {
			d.line("\n# zone: Europe/Berlin  # the organisation's; nothing speaks for one")
		}
	}
	if names := d.counted(d.survey.environments); names != "" {
		d.line("\n# Environments that were deployed to: %s.", names)
		if !d.known.content.hasProduction {
			d.line(`# production: ["prod*", production, live]  # unless you say otherwise`)
		}
	}
	if len(d.survey.incidents) > 0 && len(d.known.content.incidents.types) == 0 {
		d.line("\nincidents: {types: %s}  # guess: these types of issues are called so", scalars(slices.Sorted(maps.Keys(d.survey.incidents))))
	}
	if len(d.bots) > 0 {
		d.line("\nbots: %s  # guess: by their names", scalars(slices.Sorted(maps.Keys(d.bots))))
	}
}

func (d *draft) counted(seen map[string]*sighting) string {
	names := slices.SortedFunc(maps.Keys(seen), func(a, b string) int { return cmp.Or(cmp.Compare(seen[b].n, seen[a].n), cmp.Compare(a, b)) })
	var parts []string
	for _, name := range names[:min(len(names), 12)] {
		parts = append(parts, fmt.Sprintf("%s (%d)", comment(name), seen[name].n))
	}
	if len(names) > 12 {
		parts = append(parts, "and others")
	}
	return strings.Join(parts, ", ")
}

func (d *draft) writeTeams() {
	if len(d.names) == 0 {
		return
	}
	d.line("\nteams:")
	for _, name := range d.names {
		d.line("  # %s", comment(d.why[name]))
		d.line("  - name: %s", scalar(name))
		if zone, n, of := commonest(d.byTeam[name]); zone != "" {
			d.line("    zone: %s  # guess: %d of %d of its people", zone, n, of)
		}
		var repositories, projects []string
		for _, what := range d.owns[name] {
			if d.projects[what] {
				projects = append(projects, what)
			} else {
				repositories = append(repositories, what)
			}
		}
		for _, f := range []struct {
			field string
			list  []string
		}{{"repositories", repositories}, {"jira", projects}, {"services", d.services[name]}} {
			if len(f.list) > 0 {
				d.line("    %s: %s", f.field, scalars(f.list))
			}
		}
	}
}

func (d *draft) writePeople() {
	if len(d.people) == 0 {
		return
	}
	d.line("\npeople:")
	names := map[string]bool{}
	for _, p := range d.known.content.people {
		names[p.name] = true
	}
	for _, p := range d.people {
		name := p.name
		for n := 2; names[name]; n++ {
			name = fmt.Sprintf("%s (%d)", p.name, n)
		}
		names[name] = true
		if len(p.notes) > 0 {
			d.line("  # guess: %s", comment(strings.Join(p.notes, "; ")))
		}
		fields := []string{"name: " + scalar(name)}
		if len(p.github) > 0 {
			fields = append(fields, "github: "+scalars(p.github))
		}
		if len(p.jira) > 0 {
			fields = append(fields, "jira: "+scalars(p.jira))
		}
		if p.zone.zone != "" {
			fields = append(fields, "zone: "+scalar(p.zone.zone))
		}
		if p.team != "" {
			fields = append(fields, "teams: "+scalars([]string{p.team}))
		}
		d.line("  - {%s}", strings.Join(fields, ", "))
	}
}

func (d *draft) writeServices() {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(d.survey.services)) {
		s := d.survey.services[name]
		if d.known.knownAs(name, s.last) != "" {
			continue
		}
		repository, n := most(s.repositories)
		switch {
		case repository == "":
			lines = append(lines, fmt.Sprintf("  - {name: %s}  # its deployments (%d) name no repository: write repositories: [...], for lead times", scalar(name), s.n))
		case len(s.repositories) > 1:
			lines = append(lines, fmt.Sprintf("  - {name: %s, repositories: %s}  # guess: %d of %d deployments name it, others another", scalar(name), scalars([]string{repository}), n, s.n))
		default:
			lines = append(lines, fmt.Sprintf("  - {name: %s, repositories: %s}", scalar(name), scalars([]string{repository})))
		}
	}
	if len(lines) > 0 {
		d.line("\nservices:\n%s", strings.Join(lines, "\n"))
	}
}
