package ingest

// idTable finds remembered ids, which lie elsewhere: see [memory]. A slot is where
// an id lies and so much of its hash that another id is nearly never looked at, in
// 8 bytes; with the id and its time in it, as in a [table], it was 32, and the ids
// of a million events took 60 MB a second time. The hash is also what a part that
// grows needs, so that growing looks at no id either.
type idTable struct {
	parts [1 << partBits]idPart
	size  int
}

type idPart struct {
	slots []uint64 // 0: free
	shift uint8    // from slot to place
	used  int
}

// refBits is how many bits of a slot say where its id lies. Above them are those of
// the hash that follow the bits which chose the part.
const refBits = 36

// idRef is where an id lies, never 0.
type idRef uint64

func refOf(slot uint64) idRef { return idRef(slot & (1<<refBits - 1)) }

func (t *idTable) part(hash uint64) *idPart { return &t.parts[hash>>(64-partBits)] }

// get returns where the id of a hash lies that is says is the one; 0 when there is none.
func (t *idTable) get(hash uint64, is func(idRef) bool) idRef {
	p := t.part(hash)
	if p.used == 0 {
		return 0
	}
	want, mask := hash<<partBits, len(p.slots)-1
	for i := int(want >> p.shift); ; i = (i + 1) & mask {
		switch s := p.slots[i]; {
		case s == 0:
			return 0
		case (s^want)>>refBits == 0 && is(refOf(s)):
			return refOf(s)
		}
	}
}

// add says where an id lies that is not in the table.
func (t *idTable) add(hash uint64, ref idRef) {
	p := t.part(hash)
	if p.used >= len(p.slots)/4*3 {
		p.resize(max(minSlots, 2*len(p.slots)))
	}
	p.put(hash<<partBits>>refBits<<refBits | uint64(ref))
	p.used++
	t.size++
}

func (p *idPart) put(slot uint64) {
	i, mask := int(slot>>p.shift), len(p.slots)-1
	for p.slots[i] != 0 { // ids differ: there is nothing to compare
		i = (i + 1) & mask
	}
	p.slots[i] = slot
}

// remove takes out the id that lies there. What was probed past it moves up.
func (t *idTable) remove(hash uint64, ref idRef) {
	p := t.part(hash)
	if p.used == 0 {
		return
	}
	mask := len(p.slots) - 1
	hole := int(hash << partBits >> p.shift)
	for ; refOf(p.slots[hole]) != ref; hole = (hole + 1) & mask {
		if p.slots[hole] == 0 {
			return
		}
	}
	for i := (hole + 1) & mask; p.slots[i] != 0; i = (i + 1) & mask {
		if home := int(p.slots[i] >> p.shift); (i-home)&mask >= (i-hole)&mask {
			p.slots[hole] = p.slots[i]
			hole = i
		}
	}
	p.slots[hole] = 0
	p.used--
	t.size--
	if len(p.slots) > minSlots && p.used < len(p.slots)/8 {
		p.resize(len(p.slots) / 2)
	}
}

func (p *idPart) resize(n int) {
	old := p.slots
	p.slots, p.shift = make([]uint64, n), 64
	for ; n > 1; n /= 2 {
		p.shift--
	}
	for _, s := range old {
		if s != 0 {
			p.put(s)
		}
	}
}
