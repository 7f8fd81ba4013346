package catalog

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/rickar/cal/v2"
	"go.yaml.in/yaml/v3"

	"meridian/streaming/timeline"
)

// calendar is a set of holidays: own dates, those of a country, or both.
type calendar struct {
	name    string
	place   place
	dates   map[timeline.Date]bool
	adopted bool   // named by somebody and declared by nobody
	code    string // of the library's calendar, ""
	country country
}

func (c *calendar) holds(d timeline.Date) bool {
	return c != nil && (c.dates[d] || c.code != "" && c.country.holds(d))
}

// sortedDates are the own dates.
func (c *calendar) sortedDates() []timeline.Date {
	var list []timeline.Date
	for d := range c.dates {
		list = append(list, d)
	}
	slices.Sort(list)
	return list
}

// country is a calendar of the holiday library. It computes a year when it is
// asked for a date of it, and keeps the years that people live in.
type country struct {
	holidays []*cal.Holiday
	dates    func(year int) []timeline.Date // of those that are not in the library
	years    [keptYears]atomic.Pointer[[367]bool]
}

const firstYear, keptYears = 1990, 111 // up to 2100

func (c *country) holds(d timeline.Date) bool {
	year, _, _ := d.Civil()
	day := d - timeline.MakeDate(year, 1, 1)
	i := year - firstYear
	if i < 0 || i >= keptYears {
		return c.year(year)[day]
	}
	days := c.years[i].Load()
	if days == nil {
		days = c.year(year) // perhaps by two at once, with one result
		c.years[i].Store(days)
	}
	return days[day]
}

// year has both the day of a holiday and the one on which it is observed: one of
// them is a weekend anyway. A holiday may be observed in the year beside it.
func (c *country) year(year int) *[367]bool {
	days := new([367]bool)
	first := timeline.MakeDate(year, 1, 1)
	add := func(d timeline.Date) {
		if i := int(d - first); i >= 0 && d < timeline.MakeDate(year+1, 1, 1) {
			days[i] = true
		}
	}
	for y := year - 1; y <= year+1; y++ {
		for _, h := range c.holidays {
			actual, observed := h.Calc(y)
			if !actual.IsZero() {
				add(timeline.MakeDate(actual.Date()))
				add(timeline.MakeDate(observed.Date()))
			}
		}
	}
	if c.dates != nil {
		for _, d := range c.dates(year) {
			add(d)
		}
	}
	return days
}

// calendar reads own dates, {calendar: de}, or a list of both.
func (r *reader) calendar(name string, n *yaml.Node) *calendar {
	c := &calendar{name: name, place: r.at(n), dates: map[timeline.Date]bool{}}
	for _, element := range r.elements(n) {
		element = real(element)
		if element.Kind != yaml.MappingNode {
			var d timeline.Date
			before := len(r.problems)
			if r.date(element, &d); len(r.problems) == before {
				c.dates[d] = true
			}
			continue
		}
		r.mapping(element, "a calendar", field{"calendar", func(n *yaml.Node) {
			code, ok := r.text(n, "the code of a calendar")
			if !ok {
				return
			}
			if c.code != "" {
				r.problem(n, "holidays %s take over two calendars, %s and %s; keep one and write the other's dates down", name, c.code, code)
				return
			}
			if !c.takeOver(code) {
				r.problem(n, "there is no calendar %q; there are those of %s, some with their states as in de-by; or write the dates down", code, strings.Join(countryCodes(), ", "))
			}
		}})
	}
	return c
}

// takeOver fills c from the library; false where that has no such calendar.
func (c *calendar) takeOver(code string) bool {
	code = strings.ToLower(code)
	if code == vietnamCode {
		c.code, c.country.dates = code, vietnam
		return true
	}
	holidays, ok := libraryCalendars()[code]
	if ok {
		c.code, c.country.holidays = code, holidays
	}
	return ok
}
