package metrics

import "cmp"

func mergeSorted[T cmp.Ordered](a, b []T) []T {
	if len(b) == 0 {
		return a
	}
	if len(a) == 0 || a[len(a)-1] <= b[0] {
		return append(a, b...)
	}
	out := make([]T, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] <= b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// subtractSorted takes b, all of which is in a, out of a.
func subtractSorted[T cmp.Ordered](a, b []T) []T {
	out := a[:0]
	for _, v := range a {
		if len(b) > 0 && b[0] == v {
			b = b[1:]
		} else {
			out = append(out, v)
		}
	}
	return out
}
