package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// params reads a query string. It keeps the first thing that is wrong, so that
// a handler reads all it needs and asks once.
type params struct {
	values url.Values
	err    error
}

func newParams(values url.Values, known ...string) *params {
	p := &params{values: values}
	for name := range values {
		if !slices.Contains(known, name) {
			slices.Sort(known)
			p.fail("There is no parameter %q; there are %s.", name, strings.Join(known, ", "))
		}
	}
	return p
}

func (p *params) fail(format string, args ...any) {
	if p.err == nil {
		p.err = badRequest(format, args...)
	}
}

// text returns a parameter, which may stand once.
func (p *params) text(name string) string {
	v := p.values[name]
	if len(v) > 1 {
		p.fail("Parameter %s stands %d times.", name, len(v))
	}
	if len(v) == 0 {
		return ""
	}
	return v[0]
}

// oneOf returns a parameter that is one of a list, of which the first stands
// for nothing.
func (p *params) oneOf(name string, list ...string) string {
	v := p.text(name)
	if v == "" {
		return list[0]
	}
	if !slices.Contains(list, v) {
		p.fail("%s=%q: write one of %s.", name, v, strings.Join(list, ", "))
	}
	return v
}

func (p *params) grain(fallback metrics.Grain, list ...metrics.Grain) metrics.Grain {
	names := make([]string, 0, len(list)+1)
	names = append(names, string(fallback))
	for _, g := range list {
		if g != fallback {
			names = append(names, string(g))
		}
	}
	return metrics.Grain(p.oneOf("grain", names...))
}

// limit returns a number between 1 and most.
func (p *params) limit(fallback, most int) int {
	v := p.text("limit")
	if v == "" {
		return fallback
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > most {
		p.fail("limit=%q: write a number from 1 to %d.", v, most)
		return fallback
	}
	return n
}

// run returns the generation that run=live|N names; 0 is the live one.
func (p *params) run() streaming.Generation {
	v := p.text("run")
	if v == "" || v == "live" {
		return 0
	}
	n, err := strconv.ParseUint(v, 10, 24)
	if err != nil || n == 0 {
		p.fail("run=%q: write live, or the number of a generation.", v)
	}
	return streaming.Generation(n)
}

// Instants of an answer lie between these: enough for any log, and a zone's
// rules can be applied to them.
const (
	earliest                 = -timeline.Day // 1970-01-01 in any zone
	latest   timeline.Millis = 4102444800000 // 2100
)

// instant reads RFC 3339, or a date, which is its first instant in z; as an
// end, the first after it.
func (p *params) instant(name string, z *timeline.Zone, end bool, fallback timeline.Millis) timeline.Millis {
	v := p.text(name)
	if v == "" {
		return fallback
	}
	t, err := timeline.ParseInstant(v)
	if err != nil {
		var d timeline.Date
		if d, err = timeline.ParseDate(v); err == nil {
			if end {
				d++
			}
			t = z.Midnight(d)
		}
	}
	if err != nil {
		p.fail("%s=%q: write an instant such as 2026-03-02T11:00:00Z, or a date such as 2026-03-02.", name, v)
		return fallback
	}
	if t < earliest || t > latest {
		p.fail("%s=%q lies outside 1970 to 2100.", name, v)
		return fallback
	}
	return t
}

// window reads from and to.
func (p *params) window(z *timeline.Zone, fallback timeline.Window) timeline.Window {
	w := timeline.Window{Start: p.instant("from", z, false, fallback.Start), End: p.instant("to", z, true, fallback.End)}
	if p.err == nil && w.Empty() && p.text("to") == "" { // from lies ahead of the clock: nothing has begun there yet
		w.End = w.Start + 1
	}
	if p.err == nil && w.Empty() {
		p.fail("from (%s) must be before to (%s).", w.Start, w.End)
	}
	return w
}

// escape makes a name one segment of a path.
func escape(name string) string { return url.PathEscape(name) }
