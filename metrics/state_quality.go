package metrics

import (
	"slices"

	"meridian/ingest/event"
)

// qualitySections is the first byte of a section of quality.
const qualitySections = 1

// changedQuality returns the teams of those sections that have changed since they
// were last saved.
func (e *Engine) changedQuality(teams []*team) map[daySection][]*team {
	days := map[daySection][]*team{}
	for _, t := range teams {
		if e.kept.idle(keptQuality, t) {
			continue
		}
		for day := range t.quality.days {
			if !e.kept.unchanged(keptQuality, t, day) {
				section := daySection{day, t.bucket}
				days[section] = append(days[section], t) // teams are in order
			}
		}
	}
	return days
}

// codeQuality is the counts of one cell, source and kind. All that was decoded was
// accepted, nearly always.
func codeQuality(c *coder, packed *uint32, n *qualityCounts, last *uint32) {
	plain := !c.reading && n.plain()
	c.flags(&n.dirty, &plain)
	cell := *packed>>16 - *last
	source, kind := uint8(*packed>>8), uint8(*packed)
	code(c, &cell)
	code(c, &source)
	code(c, &kind)
	*last += cell
	*packed = *last<<16 | uint32(source)<<8 | uint32(kind)
	if plain {
		code(c, &n.n[nDecoded])
		n.n[nAccepted] = n.n[nDecoded]
		return
	}
	for i := range n.n {
		code(c, &n.n[i])
	}
}

func (e *Engine) saveQuality(at daySection, teams []*team) []byte {
	c := &e.heads
	c.write()
	c.w.b = append(c.w.b, qualitySections)
	c.w.number(uint64(len(teams)))
	for _, t := range teams {
		d := t.quality.days[at.day]
		text(c, &t.name)
		c.w.number(uint64(len(d.keys)))
		var last uint32
		for i, packed := range d.keys {
			n := d.get(i)
			codeQuality(c, &packed, &n, &last)
		}
	}
	return slices.Clone(c.w.b)
}

func (e *Engine) loadQuality(at daySection, data []byte) error {
	c := &e.heads
	if err := c.readSection(data, qualitySections); err != nil {
		return err
	}
	for teams := c.r.count(); teams > 0 && c.r.err == nil; teams-- {
		var name string
		text(c, &name)
		n := c.r.count()
		if c.r.err != nil {
			break
		}
		t, err := e.team(name)
		if err != nil {
			return err
		}
		var last, packed uint32
		for ; n > 0 && c.r.err == nil; n-- {
			var counts qualityCounts
			if codeQuality(c, &packed, &counts, &last); c.r.err == nil {
				t.loadQuality(at.day, packed, counts)
			}
		}
	}
	return c.end()
}

func (t *team) loadQuality(day utcDay, packed uint32, counts qualityCounts) {
	q, key := &t.quality, keyOf(day, packed)
	key.source = min(key.source, event.Deploy)
	d, i := q.at(key)
	d.set(i, counts)
	if m := counts.mark(); m != (mark{}) {
		q.marks[key.source].add(key.cell, m)
	}
	if counts.dirty {
		q.dirty = append(q.dirty, key)
		t.engine.activate(t)
	}
}

func (q *quality) trim() {
	for _, d := range q.days {
		d.keys, d.counts, d.others = trimmed(d.keys), trimmed(d.counts), trimmed(d.others)
	}
}
