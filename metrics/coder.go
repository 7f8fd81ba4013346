package metrics

import (
	"encoding/binary"
	"fmt"
	"slices"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// coder writes state, or reads what it wrote. A type says its fields once, in
// one method, for both directions: so what is read cannot drift from what is
// written. Equal values have equal bytes.
//
// Numbers are varints and instants differences to the last one; names and people
// stand in tables in the order of their first use. A field that holds nothing
// takes a byte. So a pull request takes a third of what a general encoding needs
// for it, and a sixth of the time.
//
// Strings that are read are slices of what they are read from.
type coder struct {
	w       packer   // what is written; or
	r       unpacker // what is read
	reading bool
	at      timeline.Millis // the last instant
	people  []event.PersonID
	raws    []string // in the order in which they came
	told    []string // scratch of said
}

// write begins to write; what was written before must have been copied.
func (c *coder) write() {
	c.reading, c.at, c.people, c.raws = false, 0, append(c.people[:0], event.PersonID{}), c.raws[:0]
	c.w.begin()
}

// read begins to read what write made.
func (c *coder) read(s string) {
	c.reading, c.at, c.people, c.raws = true, 0, append(c.people[:0], event.PersonID{}), c.raws[:0]
	c.r.begin(s)
}

// readSection begins to read a section, whose first byte is its format.
func (c *coder) readSection(data []byte, format byte) error {
	if len(data) == 0 || data[0] != format {
		return fmt.Errorf("it is of format %q, not %d", data[:min(len(data), 1)], format)
	}
	c.read(frozen(data)[1:])
	return nil
}

// end says whether everything was read, and could be.
func (c *coder) end() error {
	if c.r.err == nil && len(c.r.s) > 0 {
		c.r.fail()
	}
	err := c.r.err
	c.r.s = ""
	return err
}

// said returns the strings of what was written or read last: the same, in the same
// order, of both. They are only lent, until the next call.
func (c *coder) said() []string {
	texts := c.w.texts
	if c.reading {
		texts = c.r.texts
	}
	c.told = append(c.told[:0], texts[min(1, len(texts)):]...)
	c.told = append(c.told, c.raws...)
	return c.told
}

// code is a number that is seldom large, and never negative.
func code[T ~int | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](c *coder, v *T) {
	if c.reading {
		*v = T(c.r.number())
	} else {
		c.w.number(uint64(*v))
	}
}

// signed is a number that may be negative.
func (c *coder) signed(v *int64) {
	if c.reading {
		*v = c.r.signed()
	} else {
		c.w.signed(*v)
	}
}

// fixed is a number all of whose bits say something, such as a hash.
func (c *coder) fixed(v *uint64) {
	if !c.reading {
		c.w.b = binary.LittleEndian.AppendUint64(c.w.b, *v)
	} else if s := c.r.take(8); s != "" {
		*v = binary.LittleEndian.Uint64([]byte(s))
	}
}

// flags are up to eight things that are so or not.
func (c *coder) flags(vs ...*bool) {
	var bits byte
	if c.reading {
		if s := c.r.take(1); s != "" {
			bits = s[0]
		}
		for i, v := range vs {
			*v = bits>>i&1 != 0
		}
		return
	}
	for i, v := range vs {
		if *v {
			bits |= 1 << i
		}
	}
	c.w.b = append(c.w.b, bits)
}

// instant is a time near the one before it, or 0. The numbers of differences that
// would lead to 0 and above are moved by one, so that every instant has a number.
func (c *coder) instant(v *timeline.Millis) {
	none := zigzag(-int64(c.at))
	if c.reading {
		n := c.r.number()
		switch {
		case n == 0:
			*v = 0
			return
		case n <= none:
			n--
		}
		*v = c.at + timeline.Millis(unzigzag(n))
		c.at = *v
		return
	}
	if *v == 0 {
		c.w.number(0)
		return
	}
	n := zigzag(int64(*v - c.at))
	if n < none {
		n++
	}
	c.w.number(n)
	c.at = *v
}

func zigzag(v int64) uint64   { return uint64(v)<<1 ^ uint64(v>>63) }
func unzigzag(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }

// text is a string that may come again: a name, an address.
func text[T ~string](c *coder, v *T) {
	if c.reading {
		*v = T(c.r.text())
	} else {
		c.w.text(string(*v))
	}
}

// raw is a string that does not come again.
func raw[T ~string](c *coder, v *T) {
	if c.reading {
		*v = T(c.r.spelt())
	} else {
		c.w.spell(string(*v))
	}
	c.raws = append(c.raws, string(*v))
}

// person is a pseudonym.
func (c *coder) person(v *event.PersonID) {
	if c.reading {
		place := c.r.number()
		if place == uint64(len(c.people)) {
			var id event.PersonID
			copy(id[:], c.r.take(uint64(len(id))))
			c.people = append(c.people, id)
		}
		if place >= uint64(len(c.people)) {
			c.r.fail()
			return
		}
		*v = c.people[place]
		return
	}
	place := slices.Index(c.people, *v) // of a fold there are a few
	if place >= 0 {
		c.w.number(uint64(place))
		return
	}
	c.w.number(uint64(len(c.people)))
	c.people = append(c.people, *v)
	c.w.b = append(c.w.b, v[:]...)
}

// codeList is a list; each says its fields with one.
func codeList[T any](c *coder, list *[]T, one func(*T, *coder)) {
	if !c.reading {
		c.w.number(uint64(len(*list)))
		for i := range *list {
			one(&(*list)[i], c)
		}
		return
	}
	n := c.r.count()
	if n == 0 {
		*list = nil
		return
	}
	*list = make([]T, n)
	for i := range *list {
		if c.r.err != nil {
			return
		}
		one(&(*list)[i], c)
	}
}

// codeInstants is a list of instants.
func codeInstants(c *coder, list *[]timeline.Millis) {
	codeList(c, list, func(t *timeline.Millis, c *coder) { c.instant(t) })
}

// codeTexts is a list of strings that may come again.
func codeTexts[T ~string](c *coder, list *[]T) {
	codeList(c, list, func(s *T, c *coder) { text(c, s) })
}

const hexBytes = 16

// hexTail reads the run of 32 hexadecimal digits that ends s, as it ends what is
// named by a natural id; ok is false where there is none.
func hexTail(s string) (id [hexBytes]byte, ok bool) {
	from := len(s) - 2*hexBytes
	if from < 0 {
		return id, false
	}
	digits := s[from:]
	for i := range id {
		high, low := hexDigits[digits[2*i]], hexDigits[digits[2*i+1]]
		if high|low > 15 {
			return id, false
		}
		id[i] = high<<4 | low
	}
	return id, true
}

// hexDigits is what a letter stands for, or above 15.
var hexDigits = func() (values [256]byte) {
	for i := range values {
		values[i] = 0xff
	}
	for i, c := range "0123456789abcdef" {
		values[c] = byte(i)
	}
	return values
}()
