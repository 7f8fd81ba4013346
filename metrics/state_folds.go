package metrics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// foldBuckets is how many sections folds are spread over by their hash. An
// entity that is touched has its section written anew: so many that a quiet
// minute writes a hundredth of a large state, and few enough to be files.
const foldBuckets = 2048

// foldSections is the first byte of a section of folds. Those of the version before say
// again in what an entity was given what its fold says.
const (
	foldSections = 2
	foldsBefore  = 1
)

func foldSection(bucket int) string { return fmt.Sprintf("folds/%04d", bucket) }

// saveFolds returns which buckets have a section.
func (e *Engine) saveFolds(put func(string, []byte)) (there []uint16) {
	for b := range e.members {
		if e.kept.folds[b] == nil {
			if len(e.members[b]) == 0 {
				continue
			}
			e.kept.folds[b] = e.saveFoldSection(e.members[b])
		}
		put(foldSection(b), e.kept.folds[b])
		there = append(there, uint16(b))
	}
	return there
}

// foldHead is what a section holds of an entity before its bytes.
type foldHead struct {
	team    string
	subject Subject
	id      event.EntityID
	oldest  timeline.Millis // of lines
	fold    int             // length
	given   int

	touched, caused bool
	judge           streaming.Clock
	cause           cause
}

func (h *foldHead) code(c *coder, en *entity) {
	text(c, &h.team)
	code(c, &h.subject)
	raw(c, &h.id)
	c.instant(&en.last)
	aged := h.oldest != never
	c.flags(&en.open, &h.touched, &h.caused, &aged)
	if aged {
		c.instant(&h.oldest)
	} else {
		h.oldest = never
	}
	if h.touched {
		c.instant(&h.judge)
	}
	if h.caused {
		h.cause.code(c)
	}
	code(c, &h.fold)
	code(c, &h.given)
}

func (v *cause) code(c *coder) {
	code(c, &v.Origin.Partition)
	c.signed(&v.Origin.Offset)
	code(c, &v.Origin.Ordinal)
	code(c, &v.Source)
	code(c, &v.Kind)
	id := string(v.ID[:])
	raw(c, &id)
	copy(v.ID[:], id)
	raw(c, &v.Entity)
	c.instant(&v.Time)
	c.instant(&v.Received)
	c.instant(&v.Clock)
}

// saveFoldSection writes a section, and lets its entities rest in it.
func (e *Engine) saveFoldSection(members []entityRef) []byte {
	members = slices.SortedFunc(slices.Values(members), func(x, y entityRef) int {
		if x.team != y.team {
			return strings.Compare(x.team.name, y.team.name)
		}
		if x.entity.kind != y.entity.kind {
			return cmp.Compare(e.kinds[x.entity.kind].Subject, e.kinds[y.entity.kind].Subject)
		}
		return cmp.Compare(x.entity.id, y.entity.id)
	})
	c, places := &e.heads, make([]foldPlace, len(members))
	c.write()
	format := byte(foldSections)
	if e.foldsBefore {
		format = foldsBefore
	}
	c.w.b = append(c.w.b, format)
	c.w.number(uint64(len(members)))
	for i, m := range members {
		var given int
		e.bytes, given = e.resting(e.bytes[:0], m.entity)
		h := foldHead{
			team: m.team.name, subject: e.kinds[m.entity.kind].Subject, id: m.entity.id,
			fold: given, given: len(e.bytes) - given, touched: m.entity.touched != 0, oldest: never,
		}
		if e.kinds[m.entity.kind].line {
			if h.oldest = m.entity.oldest; m.entity.awake != nil {
				h.oldest = oldestOf(m.entity.fold)
			}
		}
		if h.touched {
			at := &m.team.touched[m.entity.touched-1]
			h.judge = at.judge
			if h.caused = at.cause != 0; h.caused {
				h.cause = m.team.causes[at.cause-1]
			}
		}
		h.code(c, m.entity)
		at := len(c.w.b)
		places[i] = foldPlace{at, at + given, at + len(e.bytes), h.oldest}
		c.w.b = append(c.w.b, e.bytes...)
	}
	data := slices.Clone(c.w.b)
	section := frozen(data)
	for i, m := range members {
		if en, p := m.entity, places[i]; en.touched == 0 && !e.kinds[en.kind].wakeful {
			en.sleep(section[p.fold:p.given], packed(section[p.given:p.end]), p.oldest)
		}
	}
	return data
}

// renew packs what an entity of the version before was given as it is packed now.
func (e *Engine) renew(en *entity) {
	e.awakenOf(en, foldsBefore)
	if en.awake == nil { // a stub
		list, err := e.unpack(en.given, nil, nil)
		if err == nil {
			en.given = e.pack(list, "")
		}
		return
	}
	for i := range en.parts {
		if list, err := e.unpack(en.parts[i].given, nil, nil); err == nil {
			en.parts[i].given = e.pack(list, "")
		}
	}
	e.lieDown(en)
}

// foldPlace is where a section holds an entity.
type foldPlace struct {
	fold, given, end int
	oldest           timeline.Millis
}

// loadFolds reads a section. Its entities rest in it: nothing is made of what nobody
// touches. What they are is not looked at, for a snapshot's chunks have been
// compared with their hashes; a section that is cut wrongly is an error.
func (e *Engine) loadFolds(data []byte) error {
	c := &e.heads
	format := byte(foldSections)
	if len(data) > 0 && data[0] == foldsBefore {
		format = foldsBefore
	}
	if err := c.readSection(data, format); err != nil {
		return err
	}
	for n := c.r.count(); n > 0 && c.r.err == nil; n-- {
		var h foldHead
		en := new(entity)
		h.code(c, en)
		fold, given := c.r.take(uint64(h.fold)), c.r.take(uint64(h.given))
		if c.r.err != nil {
			break
		}
		t, err := e.team(h.team)
		if err != nil {
			return err
		}
		kind := slices.IndexFunc(e.kinds, func(k kind) bool { return k.Subject == h.subject })
		if kind < 0 {
			return fmt.Errorf("entity %s is of subject %d, which this generation does not have", h.id, h.subject)
		}
		en.id, en.kind = event.EntityID(strings.Clone(string(h.id))), uint8(kind)
		if e.kinds[kind].wakeful { // its strings outlive the section, and are the smaller part of it
			en.sleep(fold, packed(strings.Clone(given)), h.oldest)
			e.coder.r.own = true
			e.awakenOf(en, format)
			e.coder.r.own = false
		} else {
			en.sleep(fold, packed(given), h.oldest)
		}
		if format == foldsBefore {
			e.renew(en)
		}
		t.join(en)
		if !h.touched {
			e.expire(t, en)
			continue
		}
		at := touch{entity: en, judge: h.judge}
		if h.caused {
			t.causes = append(t.causes, h.cause)
			at.cause = int32(len(t.causes))
		}
		t.touched = append(t.touched, at)
		en.touched = int32(len(t.touched))
		e.activate(t)
	}
	return c.end()
}
