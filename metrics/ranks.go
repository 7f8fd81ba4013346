package metrics

import "slices"

// ranks is a multiset of integers in order, in blocks of bounded size: putting
// in, taking out and reading a rank cost the same for ten values and, nearly,
// for a million. It serves the sliding window of 30 days, whose row must not
// cost more when more of its hours are filled.
type ranks struct {
	blocks [][]int64 // each sorted and not empty; none above the first of the next
	n      int
}

const maxBlock = 512

// block returns the first block whose last value is not below v, else the last.
func (r *ranks) block(v int64) int {
	i, _ := slices.BinarySearchFunc(r.blocks, v, func(b []int64, v int64) int {
		if b[len(b)-1] < v {
			return -1
		}
		return 1
	})
	return min(i, len(r.blocks)-1)
}

func (r *ranks) put(v int64) {
	r.n++
	if len(r.blocks) == 0 {
		r.blocks = append(r.blocks, []int64{v})
		return
	}
	i := r.block(v)
	b := r.blocks[i]
	at, _ := slices.BinarySearch(b, v)
	b = slices.Insert(b, at, v)
	r.blocks[i] = b
	if len(b) > maxBlock {
		half := slices.Clone(b[len(b)/2:])
		r.blocks[i] = slices.Clip(b[:len(b)/2])
		r.blocks = slices.Insert(r.blocks, i+1, half)
	}
}

// take removes v, which is in r.
func (r *ranks) take(v int64) {
	r.n--
	i := r.block(v)
	at, _ := slices.BinarySearch(r.blocks[i], v)
	r.blocks[i] = slices.Delete(r.blocks[i], at, at+1)
	if len(r.blocks[i]) == 0 {
		r.blocks = slices.Delete(r.blocks, i, i+1)
	}
}

// at returns the value of rank i, from 0.
func (r *ranks) at(i int) int64 {
	for _, b := range r.blocks {
		if i < len(b) {
			return b[i]
		}
		i -= len(b)
	}
	panic("metrics: a rank beyond the values of a window")
}
