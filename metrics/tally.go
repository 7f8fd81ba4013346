package metrics

import (
	"cmp"
	"slices"
)

// Tally counts by name: reasons, ways of knowing. It is sorted by name and
// holds no zeros, so that equal tallies have equal bytes. Most are empty or
// hold one name, for which a slice is a quarter of a map.
type Tally []Counted

// Counted is one name of a Tally with its count.
type Counted struct {
	_    struct{} `cbor:",toarray"`
	Name string
	N    int64
}

// Of returns the count of name.
func (t Tally) Of(name string) int64 {
	if i, ok := t.find(name); ok {
		return t[i].N
	}
	return 0
}

// Total returns the sum of all counts.
func (t Tally) Total() int64 {
	var n int64
	for i := range t {
		n += t[i].N
	}
	return n
}

// Map returns t as a map that is never nil.
func (t Tally) Map() map[string]int64 {
	m := make(map[string]int64, len(t))
	for i := range t {
		m[t[i].Name] = t[i].N
	}
	return m
}

func (t Tally) find(name string) (int, bool) {
	return slices.BinarySearchFunc(t, name, func(c Counted, name string) int { return cmp.Compare(c.Name, name) })
}

func (t *Tally) add(name string, n int64) {
	i, ok := t.find(name)
	switch {
	case !ok && n != 0:
		*t = slices.Insert(*t, i, Counted{Name: name, N: n})
	case ok:
		if (*t)[i].N += n; (*t)[i].N == 0 {
			*t = slices.Delete(*t, i, i+1)
		}
	}
}

func (t *Tally) addAll(o Tally, sign int64) {
	for i := range o {
		t.add(o[i].Name, sign*o[i].N)
	}
}
