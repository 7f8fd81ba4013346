package storage

import "encoding/binary"

// columnHead is a column: its name, its type as the schema has it, and how its
// values lie.
type columnHead struct {
	name, kind string
	form       form
	width      int // of a value, in bytes; 0: its length stands in front
}

// form is how the values of a column lie in ClickHouse's Native format.
type form uint8

const (
	plain    form = iota // one behind the other
	nullable             // which of them are null, then all
	words                // LowCardinality: their numbers in a dictionary, and this
	spanSets             // arrays of two instants: where each array ends, all first ones, all second ones
)

// column is the values of a column in one block. Bytes are those of the Native
// format in its revision 0, which is the one that inserts over HTTP are read in.
type column struct {
	data  []byte     // values; of words their numbers, of sets where they end
	nulls []byte     // of a nullable: 1 for each that is null, else 0
	dict  dictionary // of words
	ends  uint64     // of the last set
	first []byte     // instants of sets
	last  []byte

	scratch []byte
	wrong   error // a value that the table cannot hold
}

func (c *column) reset() {
	c.data, c.nulls, c.first, c.last = c.data[:0], c.nulls[:0], c.first[:0], c.last[:0]
	c.ends, c.wrong = 0, nil
	c.dict.reset()
}

// dictionary numbers the words of a column, from 0.
type dictionary struct {
	numbers map[string]uint16
	texts   []byte // by number, as a String column
	last    string // nearly always the next one too
	number  uint16 // of last
}

func (d *dictionary) reset() {
	clear(d.numbers)
	d.texts, d.last = d.texts[:0], ""
}

func (d *dictionary) of(word string) uint16 {
	if word == d.last && len(d.texts) > 0 {
		return d.number
	}
	n, ok := d.numbers[word]
	if !ok {
		if d.numbers == nil {
			d.numbers = map[string]uint16{}
		}
		n = uint16(len(d.numbers)) // a block has fewer rows than there are numbers
		d.numbers[word] = n
		d.texts = appendText(d.texts, word)
	}
	d.last, d.number = word, n
	return n
}

// Of a LowCardinality column in the Native format.
const (
	wordsVersion = 1                   // of the layout
	wordsFlags   = 1<<9 | 1<<10 | 0x01 // its own dictionary, which is new, and numbers of 16 bits
)

// appendTo appends the pieces that make the column.
func (c *column) appendTo(pieces [][]byte, h *columnHead, rows int) [][]byte {
	switch h.form {
	case nullable:
		return append(pieces, c.nulls, c.data)
	case words:
		head := binary.LittleEndian.AppendUint64(nil, wordsVersion)
		head = binary.LittleEndian.AppendUint64(head, wordsFlags)
		head = binary.LittleEndian.AppendUint64(head, uint64(len(c.dict.numbers)))
		return append(pieces, head, c.dict.texts, binary.LittleEndian.AppendUint64(nil, uint64(rows)), c.data)
	case spanSets:
		return append(pieces, c.data, c.first, c.last)
	}
	return append(pieces, c.data)
}

// leave takes rows out, whose places are sorted.
func (c *column) leave(h *columnHead, gone []int) {
	switch h.form {
	case nullable:
		c.nulls = leaveValues(c.nulls, 1, gone)
	case spanSets:
		c.leaveSets(gone)
		return
	}
	c.data = leaveValues(c.data, h.width, gone)
}

// leaveValues keeps the other values, in the memory of all. width 0: lengths stand
// in front.
func leaveValues(all []byte, width int, gone []int) []byte {
	kept := all[:0]
	for row := 0; len(all) > 0; row++ {
		n := width
		if n == 0 {
			length, k := binary.Uvarint(all)
			n = k + int(length)
		}
		if len(gone) > 0 && gone[0] == row {
			gone = gone[1:]
		} else {
			kept = append(kept, all[:n]...)
		}
		all = all[n:]
	}
	return kept
}

func (c *column) leaveSets(gone []int) {
	ends, first, last, before := c.data, c.first, c.last, uint64(0)
	c.data, c.first, c.last, c.ends = c.data[:0], c.first[:0], c.last[:0], 0
	for row := 0; len(ends) > 0; row++ {
		end := binary.LittleEndian.Uint64(ends)
		if len(gone) > 0 && gone[0] == row {
			gone = gone[1:]
		} else {
			c.first, c.last = append(c.first, first[8*before:8*end]...), append(c.last, last[8*before:8*end]...)
			c.ends += end - before
			c.data = binary.LittleEndian.AppendUint64(c.data, c.ends)
		}
		ends, before = ends[8:], end
	}
}
