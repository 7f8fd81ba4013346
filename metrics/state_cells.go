package metrics

import (
	"fmt"
	"slices"

	"meridian/ingest/event"
)

// cellRef is the cells of a series in a day.
type cellRef struct {
	series *series
	place  int // among the series' chunks
}

func (r cellRef) chunk() *chunk { return &r.series.chunks[r.place] }

// cellSections is the first byte of a section of cells.
const cellSections = 1

// cellHead is what a section of cells begins with: the names and people that its
// entries mean by place. They are sorted, so that its bytes depend on nothing else.
type cellHead struct {
	names  []string
	people []event.PersonID
}

func (h *cellHead) code(c *coder) {
	codeList(c, &h.names, func(s *string, c *coder) { raw(c, s) })
	codeList(c, &h.people, func(p *event.PersonID, c *coder) { c.person(p) })
}

// changedCells returns the chunks of those sections that have changed since they
// were last saved.
func (e *Engine) changedCells(teams []*team) map[daySection][]cellRef {
	days := map[daySection][]cellRef{}
	for _, t := range teams {
		if e.kept.idle(keptCells, t) {
			continue
		}
		for _, s := range t.ordered {
			for i := range s.chunks {
				if day := s.chunks[i].day; !e.kept.unchanged(keptCells, t, day) {
					section := daySection{day, t.bucket}
					days[section] = append(days[section], cellRef{s, i})
				}
			}
		}
	}
	return days
}

// saveCells writes a section, and lets its chunks rest in it.
func (e *Engine) saveCells(at daySection, refs []cellRef) []byte {
	y := e.symbols
	lists := make([][]entry, len(refs))
	table := &cellTable{names: []uint32{0}, people: []uint32{0}}
	for i, r := range refs {
		lists[i] = slices.Clone(r.series.team.entriesOf(r.chunk()))
		slices.SortFunc(lists[i], y.compareSaved)
		for j := range lists[i] {
			en := &lists[i][j]
			table.people = append(table.people, en.person)
			table.names = append(table.names, en.reason, en.basis)
		}
	}
	person := placesOf(&table.people, &e.places[0], comparePersons(y))
	name := placesOf(&table.names, &e.places[1], compareNames(y))
	var head cellHead
	for _, s := range table.names[1:] {
		head.names = append(head.names, y.names[s])
	}
	for _, s := range table.people[1:] {
		head.people = append(head.people, y.people[s])
	}
	c, places := &e.heads, make([][2]int, len(refs))
	c.write()
	c.w.b = append(c.w.b, cellSections)
	head.code(c)
	c.w.number(uint64(len(refs)))
	for i, r := range refs {
		saved := seriesHead{r.series.team.name, r.series.metric, r.series.service}
		saved.code(c)
		e.bytes = packCells(e.bytes[:0], lists[i], person, name)
		c.w.number(uint64(len(e.bytes)))
		places[i] = [2]int{len(c.w.b), len(c.w.b) + len(e.bytes)}
		c.w.b = append(c.w.b, e.bytes...)
	}
	data := slices.Clone(c.w.b)
	section := frozen(data)
	for i, r := range refs {
		*r.chunk() = chunk{day: at.day, rest: section[places[i][0]:places[i][1]]}
	}
	e.kept.table(at, table)
	return data
}

// placesOf makes a table of symbols, each once and in the order of what they stand
// for, and returns the place of each. scratch has a place for each symbol.
func placesOf(table *[]uint32, scratch *[]uint32, compare func(a, b uint32) int) func(symbol uint32) uint64 {
	slices.Sort(*table)
	*table = slices.Clip(slices.Compact(*table))
	slices.SortFunc((*table)[1:], compare) // symbol 0 is nothing
	if last := int(slices.Max(*table)); last >= len(*scratch) {
		*scratch = make([]uint32, last+64)
	}
	places := *scratch
	for i, s := range *table {
		places[s] = uint32(i)
	}
	return func(symbol uint32) uint64 { return uint64(places[symbol]) }
}

// seriesHead names a series in a section.
type seriesHead struct {
	team    string
	metric  uint16
	service string
}

func (h *seriesHead) code(c *coder) {
	text(c, &h.team)
	code(c, &h.metric)
	text(c, &h.service)
}

// loadCells reads a section. Its chunks rest in it.
func (e *Engine) loadCells(at daySection, data []byte) error {
	y, c := e.symbols, &e.heads
	if err := c.readSection(data, cellSections); err != nil {
		return err
	}
	var head cellHead
	head.code(c)
	table := &cellTable{names: []uint32{0}, people: []uint32{0}}
	for _, n := range head.names {
		table.names = append(table.names, y.id(n))
	}
	for _, p := range head.people {
		table.people = append(table.people, y.person(p))
	}
	e.kept.table(at, table)
	for n := c.r.count(); n > 0 && c.r.err == nil; n-- {
		var saved seriesHead
		saved.code(c)
		rest := c.r.take(c.r.count())
		if c.r.err != nil || rest == "" {
			c.r.fail()
			break
		}
		s, err := e.savedSeries(&saved)
		if err != nil {
			return err
		}
		i, _ := s.chunks.find(at.day)
		s.chunks = slices.Insert(s.chunks, i, chunk{day: at.day, rest: rest})
	}
	return c.end()
}

func (e *Engine) savedSeries(h *seriesHead) (*series, error) {
	t, err := e.team(h.team)
	if err != nil {
		return nil, err
	}
	if int(h.metric) >= len(e.definitions) {
		return nil, fmt.Errorf("%w: it holds metric number %d, of %d", ErrState, h.metric, len(e.definitions))
	}
	return t.of(h.metric, h.service), nil
}
