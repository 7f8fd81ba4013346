package metrics

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// packed is a list of what an entity, or a part of one, was given: in memory as
// in a snapshot. It would else be the largest part of both, since an act is
// observed by several metrics and a pull request by twenty; and nobody looks at it
// until the entity is touched. Numbers are varints, times differences; strings,
// people and what only evidence shows stand in tables of the list's own, in the
// order of their first use, so that equal lists are equal strings. An observation
// takes about 10 bytes for 72, and the collector has nothing to follow. It is a
// string, which never changes, so that items can be slices of it.
type packed string

// What an observation in a list holds beside its metric, flags and time.
const (
	packedRefused = 1 << iota
	packedShown
	packedStart
	packedSpan // its value is the time from its start, and is left out
	packedItem
	packedNames // service, reason and basis
	packedPerson
	packedHeat
)

// packedAgain stands for observations that are those of the metric before, one after the
// other, but for the metric: an act is observed by several alike. Nothing else has
// these bits.
const packedAgain = packedSpan

// packer makes packed lists, and is what a coder writes with.
type packer struct {
	y      *symbols
	b      []byte
	texts  []string
	index  map[string]int // of texts, once there are many
	last   int            // place of the text that was written last
	people []uint32       // symbols
	shown  []uint64
}

const fewTexts = 24

func (p *packer) begin() { p.b, p.texts, p.last = p.b[:0], append(p.texts[:0], ""), 0 }

// bits says what of an observation has to be written.
func (g *given) bits() (bits byte) {
	set := func(is bool, bit byte) {
		if is {
			bits |= bit
		}
	}
	set(g.refused, packedRefused)
	set(g.shown != 0, packedShown)
	set(g.start != 0, packedStart)
	set(g.start != 0 && g.value == int64(g.at-g.start), packedSpan)
	set(g.item != "", packedItem)
	set(g.service|g.reason|g.basis != 0, packedNames)
	set(g.person != 0, packedPerson)
	set(g.heat != 0, packedHeat)
	return bits
}

// pack returns list as it is kept; where it is the same as before, before itself.
func (e *Engine) pack(list []given, before packed) packed {
	b := e.packing(list, nil)
	if string(b) == string(before) {
		return before
	}
	return packed(b)
}

// packing is pack of bytes that are only lent, until the next call. What whoever
// unpacks it knows already stands at the beginning of its table of texts: for one that
// rests beside its fold, what the fold says, since most items are named there.
func (e *Engine) packing(list []given, known []string) []byte {
	if len(list) == 0 {
		return nil
	}
	p := &e.packer
	p.begin()
	p.know(known)
	p.y, p.people, p.shown = e.symbols, append(p.people[:0], 0), p.shown[:0]
	p.number(uint64(len(list)))
	var at timeline.Millis
	from := 0 // where the metric before begins
	for i, begins := 0, 0; i < len(list); i++ {
		g := &list[i]
		if i > 0 && g.metric != list[i-1].metric {
			from, begins = begins, i
			if n := again(list[i:], list[from:i]); n > 0 && !e.foldsBefore {
				p.b = append(p.b, packedAgain, 0)
				p.number(uint64(g.metric))
				p.number(uint64(i - from))
				p.number(uint64(n))
				i += n - 1
				at = list[i].at
				continue
			}
		}
		bits := g.bits()
		p.b = append(p.b, bits, byte(g.flags))
		p.number(uint64(g.metric))
		p.signed(int64(g.at - at))
		at = g.at
		if bits&packedStart != 0 {
			p.signed(int64(g.at - g.start))
		}
		if bits&packedSpan == 0 {
			p.signed(g.value)
		}
		if bits&packedItem != 0 {
			p.text(g.item)
		}
		if bits&packedNames != 0 {
			p.text(p.y.names[g.service])
			p.text(p.y.names[g.reason])
			p.text(p.y.names[g.basis])
		}
		if bits&packedPerson != 0 {
			p.person(g.person)
		}
		if bits&packedHeat != 0 {
			p.b = append(p.b, g.heat)
		}
		if bits&packedShown != 0 {
			p.show(g.shown)
		}
	}
	return p.b
}

// again returns how many observations of the metric that list begins with are those of
// the one before.
func again(list, before []given) (n int) {
	for n < min(len(list), len(before)) && list[n].metric == list[0].metric {
		was := before[n]
		if was.metric = list[n].metric; was != list[n] {
			break
		}
		n++
	}
	return n
}

func (p *packer) number(n uint64) { p.b = binary.AppendUvarint(p.b, n) }
func (p *packer) signed(n int64)  { p.b = binary.AppendVarint(p.b, n) }

// text writes the place of a string in the table, and the string where it is new.
func (p *packer) text(s string) {
	if s == "" {
		p.number(0)
		return
	}
	place, found := p.find(s)
	p.number(uint64(place))
	if !found {
		p.texts = append(p.texts, s)
		switch n := len(p.texts); {
		case n > fewTexts+1:
			p.index[s] = place
		case n == fewTexts+1:
			p.lookUp()
		}
		p.spell(s)
	}
	p.last = place
}

// know begins the table with texts that need not be written.
func (p *packer) know(texts []string) {
	p.texts = append(p.texts, texts...)
	if len(p.texts) > fewTexts {
		p.lookUp()
	}
}

// lookUp makes the index of texts.
func (p *packer) lookUp() {
	if p.index == nil {
		p.index = map[string]int{}
	}
	clear(p.index)
	for i, t := range p.texts {
		p.index[t] = i
	}
}

// spell writes a string: its length, shifted, and the string. Where it ends as a
// natural id does, those digits are 16 bytes behind it, and the lowest bit says so.
func (p *packer) spell(s string) {
	id, ok := hexTail(s)
	if !ok {
		p.number(uint64(len(s)) << 1)
		p.b = append(p.b, s...)
		return
	}
	tail := len(s) - 2*hexBytes
	p.number(uint64(tail)<<1 | 1)
	p.b = append(append(p.b, s[:tail]...), id[:]...)
}

func (p *packer) find(s string) (place int, found bool) {
	if next := p.last + 1; next < len(p.texts) && p.texts[next] == s {
		return next, true // each metric names the same items, in one order
	}
	if len(p.texts) > fewTexts {
		if place, found = p.index[s]; found {
			return place, true
		}
		return len(p.texts), false
	}
	if place = slices.Index(p.texts, s); place >= 0 {
		return place, true
	}
	return len(p.texts), false
}

func (p *packer) person(symbol uint32) {
	place := slices.Index(p.people, symbol) // one or two of them
	if place >= 0 {
		p.number(uint64(place))
		return
	}
	p.number(uint64(len(p.people)))
	p.people = append(p.people, symbol)
	p.b = append(p.b, p.y.people[symbol][:]...)
}

// show writes the place of a hash of what evidence shows, and itself where it is new.
func (p *packer) show(hash uint64) {
	place := slices.Index(p.shown, hash) // of one entity one, nearly always
	if place >= 0 {
		p.number(uint64(place))
		return
	}
	p.number(uint64(len(p.shown)))
	p.shown = append(p.shown, hash)
	p.b = binary.LittleEndian.AppendUint64(p.b, hash)
}

var errPacked = errors.New("it cannot be read")

// unpacker reads packed lists, and is what a coder reads with. After an error it
// reads nothing more.
type unpacker struct {
	s      string
	texts  []string
	people []uint32
	shown  []uint64
	own    bool // texts are copies, and no slices of s
	err    error
}

func (u *unpacker) begin(s string) { u.s, u.err, u.texts = s, nil, append(u.texts[:0], "") }

// len returns how many observations a list holds.
func (p packed) len() int {
	u := unpacker{s: string(p)}
	if p == "" {
		return 0
	}
	return int(u.number())
}

// unpack appends what a list holds to into; known is what it was packed with. Lists from a snapshot may be
// damaged; those that pack made are not.
func (e *Engine) unpack(p packed, into []given, known []string) ([]given, error) {
	if p == "" {
		return into, nil
	}
	u, y := &e.unpacker, e.symbols
	u.begin(string(p))
	u.texts = append(u.texts, known...)
	u.people, u.shown = append(u.people[:0], 0), u.shown[:0]
	var at timeline.Millis
	first, n := len(into), u.number()
	if n > uint64(len(u.s))*uint64(len(e.definitions)) {
		u.fail()
	}
	for ; n > 0 && u.err == nil; n-- {
		head := u.take(2)
		metric := u.number()
		if head == "" || metric >= uint64(len(e.definitions)) {
			u.fail()
			break
		}
		bits := head[0]
		if bits == packedAgain {
			back, many := u.number(), u.number()
			if many == 0 || many > n || many > back || back > uint64(len(into)-first) {
				u.fail()
				break
			}
			before := into[len(into)-int(back):]
			for _, g := range before[:many] {
				g.metric, at = uint16(metric), g.at
				into = append(into, g)
			}
			n -= many - 1
			continue
		}
		at += timeline.Millis(u.signed())
		g := given{metric: uint16(metric), flags: flags(head[1]), refused: bits&packedRefused != 0, at: at}
		if bits&packedStart != 0 {
			g.start = at - timeline.Millis(u.signed())
		}
		if bits&packedSpan != 0 {
			g.value = int64(at - g.start)
		} else {
			g.value = u.signed()
		}
		if bits&packedItem != 0 {
			g.item = u.text()
		}
		if bits&packedNames != 0 {
			g.service, g.reason, g.basis = y.id(u.text()), y.id(u.text()), y.id(u.text())
		}
		if bits&packedPerson != 0 {
			g.person = u.person(y)
		}
		if bits&packedHeat != 0 {
			if heat := u.take(1); heat != "" {
				g.heat = heat[0]
			}
		}
		if bits&packedShown != 0 {
			g.shown = u.hash()
		}
		into = append(into, g)
	}
	if len(u.s) > 0 {
		u.fail()
	}
	return into, u.err
}

func (u *unpacker) fail() { u.s, u.err = "", errPacked }

func (u *unpacker) number() (n uint64) {
	for i := 0; i < len(u.s) && i < binary.MaxVarintLen64; i++ {
		c := u.s[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			u.s = u.s[i+1:]
			return n
		}
	}
	u.fail()
	return 0
}

func (u *unpacker) signed() int64 {
	n := u.number()
	return unzigzag(n)
}

// count is a number of things that take a byte at least.
func (u *unpacker) count() uint64 {
	n := u.number()
	if n > uint64(len(u.s)) {
		u.fail()
		return 0
	}
	return n
}

func (u *unpacker) take(n uint64) string {
	if n > uint64(len(u.s)) {
		u.fail()
		return ""
	}
	s := u.s[:n]
	u.s = u.s[n:]
	return s
}

func (u *unpacker) text() string {
	place := u.number()
	if place == uint64(len(u.texts)) {
		u.texts = append(u.texts, u.spelt())
	}
	if place >= uint64(len(u.texts)) {
		u.fail()
		return ""
	}
	return u.texts[place]
}

func (u *unpacker) spelt() string {
	n := u.number()
	s := u.take(n >> 1)
	if n&1 == 0 {
		if u.own {
			return strings.Clone(s)
		}
		return s
	}
	b := make([]byte, 0, 64)
	return string(hex.AppendEncode(append(b, s...), []byte(u.take(hexBytes))))
}

func (u *unpacker) hash() uint64 {
	place := u.number()
	if place == uint64(len(u.shown)) {
		if s := u.take(8); s != "" {
			u.shown = append(u.shown, binary.LittleEndian.Uint64([]byte(s)))
		}
	}
	if place >= uint64(len(u.shown)) {
		u.fail()
		return 0
	}
	return u.shown[place]
}

func (u *unpacker) person(y *symbols) uint32 {
	place := u.number()
	if place == uint64(len(u.people)) {
		var id event.PersonID
		copy(id[:], u.take(uint64(len(id))))
		u.people = append(u.people, y.person(id))
	}
	if place >= uint64(len(u.people)) {
		u.fail()
		return 0
	}
	return u.people[place]
}
