package main

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

// Kinds of facts. Metrics 1 to 8 count them.
const (
	opened = iota + 1
	reviewed
	merged
	deployed
	committed
)

// event is a fact with numbers for names, which the decoder of its partition
// gives out: a shard holds many, and the collector need not look into them.
type event struct {
	id     [2]uint64
	time   int64
	team   int32
	entity int32
	actor  int32
	offset int32 // minutes east
	kind   uint8
}

// names numbers what comes over and over.
type names struct {
	numbers map[string]int32
	list    []string
}

func (n *names) number(name []byte) int32 {
	i, ok := n.numbers[string(name)]
	if !ok {
		if n.numbers == nil {
			n.numbers = map[string]int32{}
		}
		i = int32(len(n.list))
		s := string(name)
		n.list, n.numbers[s] = append(n.list, s), i
	}
	return i
}

// decoder reads the records of one partition.
type decoder struct{ teams, entities, actors names }

var errMalformed = errors.New("flinkbench: a record is malformed")

// decode reads a record; one without an id is a tick of its time.
func (d *decoder) decode(b []byte) (e event, tick bool, err error) {
	tick = true
	var entity, actor []byte
	for len(b) > 0 {
		// All field numbers are below 16, so a tag is one byte.
		tag := b[0]
		if tag&7 == byte(protowire.VarintType) {
			v, n := protowire.ConsumeVarint(b[1:])
			if n < 0 {
				return e, false, errMalformed
			}
			b = b[1+n:]
			switch tag >> 3 {
			case 3:
				e.kind = uint8(v)
			case 4:
				e.time = int64(v)
			case 9:
				e.offset = int32(protowire.DecodeZigZag(v))
			}
			continue
		}
		v, n := protowire.ConsumeBytes(b[1:])
		if tag&7 != byte(protowire.BytesType) || n < 0 {
			return e, false, errMalformed
		}
		b = b[1+n:]
		switch tag >> 3 {
		case 1:
			tick = false
			e.id = parseID(v)
		case 5:
			e.team = d.teams.number(v)
		case 7:
			entity = v
		case 8:
			actor = v
		}
	}
	if e.kind <= merged && !tick {
		e.entity, e.actor = d.entities.number(entity), d.actors.number(actor) // nobody asks for others
	}
	return e, tick, nil
}

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

var digits = func() (d [256]byte) {
	for i := range crockford {
		d[crockford[i]] = byte(i)
	}
	return d
}()

// parseID reads a ULID: 26 digits of 5 bits.
func parseID(s []byte) (id [2]uint64) {
	for _, c := range s {
		id[0] = id[0]<<5 | id[1]>>59
		id[1] = id[1]<<5 | uint64(digits[c])
	}
	return id
}

func formatID(id [2]uint64) string {
	var s [26]byte
	for i := len(s) - 1; i >= 0; i-- {
		s[i] = crockford[id[1]&31]
		id[1] = id[1]>>5 | id[0]<<59
		id[0] >>= 5
	}
	return string(s[:])
}

func appendText(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func appendNumber(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}
