package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"meridian/streaming/timeline"
)

// hash writes everything that can change an answer in one canonical form. Its
// first line is raised when that form changes, so that a catalog is not taken
// for another.
func (c *content) hash() string {
	var b strings.Builder
	b.WriteString("catalog 2\n")
	for _, part := range c.organizationTexts() {
		b.WriteString(part.text)
	}
	for _, t := range c.teams { // the order matters
		b.WriteString(t.text())
	}
	for _, p := range sortedBy(c.people, func(p *person) string { return p.name }) {
		b.WriteString(p.text())
	}
	for _, s := range c.services {
		b.WriteString(s.text())
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])
}

// part is something that the organisation says, in its canonical form.
type part struct{ name, text string }

func (c *content) organizationTexts() []part {
	var parts []part
	add := func(name string, write func(*strings.Builder)) {
		var b strings.Builder
		write(&b)
		parts = append(parts, part{name, b.String()})
	}
	add("zone", func(b *strings.Builder) { writeDated(b, "zone", c.zone, (*timeline.Zone).Name) })
	add("hours", func(b *strings.Builder) { writeLevel(b, level{hours: c.hours}) })
	add("weekend", func(b *strings.Builder) { writeLevel(b, level{weekend: c.weekend}) })
	add("holidays", func(b *strings.Builder) {
		if o := c.organization(); o != nil {
			fmt.Fprintf(b, "organization %q\n", o.name)
		}
		for _, h := range sortedBy(c.holidays, func(h *calendar) string { return h.name }) {
			fmt.Fprintf(b, "holidays %q %q %v\n", h.name, h.code, h.sortedDates())
		}
	})
	add("production", func(b *strings.Builder) {
		fmt.Fprintf(b, "production %v\n", c.hasProduction)
		writeList(b, "production", c.production)
	})
	add("bots", func(b *strings.Builder) { fmt.Fprintf(b, "bots %q\n", sortedTexts(c.bots)) })
	add("incidents", func(b *strings.Builder) {
		_, linked := c.said["link_window"]
		i := c.incidents
		fmt.Fprintf(b, "incidents %q %q %q %v %d\n", sortedTexts(i.types), sortedTexts(i.labels), sortedTexts(i.resolved), linked, i.link)
	})
	add("statuses", func(b *strings.Builder) {
		for _, s := range sortedBy(c.statuses, func(s statusRule) string { return s.name }) {
			fmt.Fprintf(b, "status %q %d\n", s.name, s.category)
		}
	})
	return parts
}

func (t *team) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "team %q\n", t.name)
	writeDated(&b, "group", t.group, func(s string) string { return fmt.Sprintf("%q", s) })
	writeDated(&b, "zone", t.zone, (*timeline.Zone).Name)
	writeLevel(&b, levelOf(t))
	writeList(&b, "repositories", t.repositories)
	writeList(&b, "jira", t.jira)
	writeList(&b, "services", t.services)
	targetsText(&b, t.targets)
	return b.String()
}

func (p *person) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "person %q\n", p.name)
	writeDated(&b, "zone", p.zone, (*timeline.Zone).Name)
	writeLevel(&b, level{p.hours, p.weekend, p.holidays})
	for _, accounts := range [][]named{p.github, p.jira, p.emails} {
		var names []string
		for _, n := range accounts {
			names = append(names, fold(n.name))
		}
		fmt.Fprintf(&b, "accounts %q\n", sortedTexts(names))
	}
	for _, m := range p.teams { // the first is the primary one
		fmt.Fprintf(&b, "member %q %d %d\n", m.value.name, m.from, m.to)
	}
	return b.String()
}

func (s *service) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "service %q\n", s.name)
	writeList(&b, "repositories", s.repositories)
	writeList(&b, "paths", s.paths)
	writeList(&b, "deploys", s.deploys)
	fmt.Fprintf(&b, "incidents %q %q\n", s.project, sortedTexts(s.components))
	return b.String()
}

func writeLevel(b *strings.Builder, l level) {
	writeDated(b, "hours", l.hours, hours.String)
	writeDated(b, "weekend", l.weekend, func(w [7]bool) string { return fmt.Sprint(w) })
	writeDated(b, "holidays", l.holidays, func(n named) string { return fmt.Sprintf("%q", n.name) })
}

func writeDated[T any](b *strings.Builder, what string, ds dated[T], text func(T) string) {
	ds = slices.Clone(ds)
	slices.SortFunc(ds, func(x, y entry[T]) int { return int(int64(x.from) - int64(y.from)) })
	for _, e := range ds {
		fmt.Fprintf(b, "%s %s %d %d\n", what, text(e.value), e.from, e.to)
	}
}

// writeList writes patterns, whose order does not matter.
func writeList(b *strings.Builder, what string, list []entry[string]) {
	var lines []string
	for _, e := range list {
		lines = append(lines, fmt.Sprintf("%s %q %d %d\n", what, e.value, e.from, e.to))
	}
	b.WriteString(strings.Join(sortedTexts(lines), ""))
}

// String is the hours in one canonical form.
func (h hours) String() string {
	if h.days == nil {
		return "every " + timeline.FormatSpans(h.every)
	}
	var b strings.Builder
	for day := time.Sunday; day <= time.Saturday; day++ {
		if h.days[day].named {
			fmt.Fprintf(&b, "%s %s; ", day, timeline.FormatSpans(h.days[day].spans))
		}
	}
	return b.String()
}

func sortedTexts(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

func sortedBy[T any](list []T, key func(T) string) []T {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b T) int { return strings.Compare(key(a), key(b)) })
	return list
}
