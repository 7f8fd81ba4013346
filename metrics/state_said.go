package metrics

import (
	"fmt"
	"slices"

	"meridian/streaming/timeline"
)

// windowSections is the first byte of a section of windows. Sections of the version
// before have no list of what was given.
const (
	windowSections = 2
	windowsBefore  = 1
)

// windowsRef is what has been said of a series' windows of one day: those from
// one place of their list until another.
type windowsRef struct {
	series   *series
	grain    grainIndex
	from, to int
}

// changedWindows returns the windows of those sections that have changed since
// they were last saved.
func (e *Engine) changedWindows(teams []*team) map[daySection][]windowsRef {
	days := map[daySection][]windowsRef{}
	for _, t := range teams {
		if e.kept.idle(keptWindowRows, t) {
			continue
		}
		for _, s := range t.ordered {
			for g := range s.windows {
				list := s.windows[g]
				for from, to := 0, 0; from < len(list); from = to {
					day := grainIndex(g).day(list[from].key())
					for to = from + 1; to < len(list) && grainIndex(g).day(list[to].key()) == day; to++ { // windows of one day follow each other
					}
					if !e.kept.unchanged(keptWindowRows, t, day) {
						section := daySection{day, t.bucket}
						days[section] = append(days[section], windowsRef{s, grainIndex(g), from, to})
					}
				}
			}
		}
	}
	return days
}

// day is the section that a window is saved in.
func (g grainIndex) day(key int64) utcDay {
	if g == hourGrain {
		return utcDayOf(timeline.Millis(key))
	}
	return utcDay(key)
}

// first is what the keys of a section are differences to.
func (g grainIndex) first(day utcDay) int64 {
	if g == hourGrain {
		return int64(day.start())
	}
	return int64(day)
}

// savedWindow is a window: how many cells or days its key is behind the last, where
// it is whole ones, and what was said of it, in one number.
func savedWindow(c *coder, key, last int64, g grainIndex, w *windowState) {
	unit := int64(1)
	if g == hourGrain {
		unit = int64(timeline.CellLength)
	}
	if !c.reading {
		d := key - last
		if d%unit == 0 {
			c.w.number(zigzag(d/unit)<<4 | uint64(w.said()))
		} else {
			c.w.number(8 | uint64(w.said()))
			c.w.signed(d)
		}
		return
	}
	n := c.r.number()
	d := unzigzag(n>>4) * unit
	if n&8 != 0 {
		d = c.r.signed()
	}
	*w = stateOf(last+d, min(said(n&7), saidWithdrawn))
}

func (e *Engine) saveWindows(at daySection, refs []windowsRef) []byte {
	c := &e.heads
	c.write()
	c.w.b = append(c.w.b, windowSections)
	c.w.number(uint64(len(refs)))
	for _, r := range refs {
		s, last := r.series, r.grain.first(at.day)
		head := seriesHead{s.team.name, s.metric, s.service}
		head.code(c)
		code(c, &r.grain)
		c.w.number(uint64(r.to - r.from))
		var frozen, given []int64
		for _, w := range s.windows[r.grain][r.from:r.to] {
			savedWindow(c, w.key(), last, r.grain, &w)
			last = w.key()
			if s.kept[keptWindow{r.grain, last}] != nil {
				frozen = append(frozen, last)
			}
			if _, ok := s.given[keptWindow{r.grain, last}]; ok {
				given = append(given, last)
			}
		}
		c.w.number(uint64(len(frozen)))
		for _, key := range frozen {
			c.signed(&key)
			state := string(s.kept[keptWindow{r.grain, key}].Bytes())
			raw(c, &state)
		}
		c.w.number(uint64(len(given)))
		for _, key := range given {
			g := s.given[keptWindow{r.grain, key}]
			g.code(c, &key)
		}
	}
	return slices.Clone(c.w.b)
}

func (e *Engine) loadWindows(at daySection, data []byte) error {
	c := &e.heads
	format := byte(windowSections)
	if len(data) > 0 && data[0] == windowsBefore {
		format = windowsBefore
	}
	if err := c.readSection(data, format); err != nil {
		return err
	}
	for refs := c.r.count(); refs > 0 && c.r.err == nil; refs-- {
		var head seriesHead
		var g grainIndex
		head.code(c)
		code(c, &g)
		n := c.r.count()
		if c.r.err != nil {
			break
		}
		if g >= grainCount {
			return fmt.Errorf("it holds windows of grain number %d", g)
		}
		s, err := e.savedSeries(&head)
		if err != nil {
			return err
		}
		last := g.first(at.day)
		for ; n > 0 && c.r.err == nil; n-- {
			var w windowState
			savedWindow(c, 0, last, g, &w)
			last = w.key()
			s.windows[g].say(last, w.said())
		}
		for n := c.r.count(); n > 0 && c.r.err == nil; n-- {
			var key int64
			var state string
			c.signed(&key)
			raw(c, &state)
			a, err := DecodeAggregate([]byte(state))
			if err != nil {
				return err
			}
			if s.kept == nil {
				s.kept = map[keptWindow]*Aggregate{}
			}
			s.kept[keptWindow{g, key}] = a
		}
		if format == windowsBefore {
			continue
		}
		for n := c.r.count(); n > 0 && c.r.err == nil; n-- {
			var key int64
			var given Given
			given.code(c, &key)
			if s.given == nil {
				s.given = map[keptWindow]Given{}
			}
			s.given[keptWindow{g, key}] = given
		}
	}
	return c.end()
}
