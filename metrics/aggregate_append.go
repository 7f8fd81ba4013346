package metrics

import "encoding/binary"

// The state of a point is CBOR, and written by hand: there is one for each row, and
// theCodec, which asks each value for its type, takes as long for it as all else
// that is done to a row. A test holds the two against each other. Map keys are the
// numbers in the fields' tags, in their order, as core deterministic CBOR wants them.

// AppendBytes appends what [Aggregate.Bytes] returns.
func (a *Aggregate) AppendBytes(b []byte) []byte {
	b = cborHead(b, cborMap, 1+ones(a.Primary != nil, len(a.People) > 0, len(a.Quantiles) > 0))
	b = a.All.appendBytes(cborHead(b, cborUint, 1))
	if a.Primary != nil {
		b = a.Primary.appendBytes(cborHead(b, cborUint, 2))
	}
	if len(a.People) > 0 {
		b = cborHead(cborHead(b, cborUint, 3), cborArray, uint64(len(a.People)))
		for i := range a.People {
			b = a.People[i].appendBytes(b)
		}
	}
	return cborInts(b, 4, a.Quantiles)
}

func (p *Part) appendBytes(b []byte) []byte {
	b = cborHead(b, cborMap, ones(p.N != 0, p.Sum != 0, p.Hits != 0, len(p.Values) > 0, len(p.Excluded) > 0, len(p.Ignored) > 0, len(p.Basis) > 0,
		p.Classes != [4]int64{}, len(p.Heat) > 0))
	for i, n := range [...]int64{p.N, p.Sum, p.Hits} {
		if n != 0 {
			b = cborInt(cborHead(b, cborUint, uint64(i+1)), n)
		}
	}
	b = cborInts(b, 4, p.Values)
	for i, t := range [...]Tally{p.Excluded, p.Ignored, p.Basis} {
		if len(t) > 0 {
			b = t.appendBytes(cborHead(b, cborUint, uint64(i+5)))
		}
	}
	if p.Classes != [4]int64{} {
		b = cborInts(b, 8, p.Classes[:])
	}
	if len(p.Heat) > 0 {
		b = cborHead(cborHead(b, cborUint, 9), cborArray, uint64(len(p.Heat)))
		for _, c := range p.Heat {
			b = cborInt(cborHead(cborHead(b, cborArray, 2), cborUint, uint64(c.Slot)), c.N)
		}
	}
	return b
}

func (t Tally) appendBytes(b []byte) []byte {
	b = cborHead(b, cborArray, uint64(len(t)))
	for i := range t {
		b = cborHead(cborHead(b, cborArray, 2), cborText, uint64(len(t[i].Name)))
		b = cborInt(append(b, t[i].Name...), t[i].N)
	}
	return b
}

func (p *PersonCount) appendBytes(b []byte) []byte {
	b = cborHead(cborHead(b, cborArray, 3), cborBytes, uint64(len(p.ID)))
	b = cborInt(append(b, p.ID[:]...), p.N)
	b = cborHead(b, cborArray, uint64(len(p.Known)))
	for _, n := range p.Known {
		b = cborInt(b, n)
	}
	return b
}

// Major types of CBOR.
const (
	cborUint     = 0 << 5
	cborNegative = 1 << 5
	cborBytes    = 2 << 5
	cborText     = 3 << 5
	cborArray    = 4 << 5
	cborMap      = 5 << 5
)

// cborHead appends a type with its number, in as few bytes as it takes.
func cborHead(b []byte, major byte, n uint64) []byte {
	switch {
	case n < 24:
		return append(b, major|byte(n))
	case n < 1<<8:
		return append(b, major|24, byte(n))
	case n < 1<<16:
		return binary.BigEndian.AppendUint16(append(b, major|25), uint16(n))
	case n < 1<<32:
		return binary.BigEndian.AppendUint32(append(b, major|26), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(b, major|27), n)
}

func cborInt(b []byte, n int64) []byte {
	if n < 0 {
		return cborHead(b, cborNegative, uint64(-(n + 1)))
	}
	return cborHead(b, cborUint, uint64(n))
}

// cborInts appends a list under its key; an empty one is left out.
func cborInts(b []byte, key uint64, list []int64) []byte {
	if len(list) == 0 {
		return b
	}
	b = cborHead(cborHead(b, cborUint, key), cborArray, uint64(len(list)))
	for _, n := range list {
		b = cborInt(b, n)
	}
	return b
}

// ones counts what is so.
func ones(list ...bool) (n uint64) {
	for _, is := range list {
		if is {
			n++
		}
	}
	return n
}
