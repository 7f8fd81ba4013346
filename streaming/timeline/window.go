package timeline

// Window is the instants from Start on and before End: [Start, End). It is empty
// when End is not after Start.
type Window struct{ Start, End Millis }

// Contains reports whether t is in the window.
func (w Window) Contains(t Millis) bool { return w.Start <= t && t < w.End }

// Empty reports whether the window holds no instant.
func (w Window) Empty() bool { return w.End <= w.Start }

// Length is the length of the window, 0 for an empty one.
func (w Window) Length() Millis {
	if w.Empty() {
		return 0
	}
	return w.End - w.Start
}

// Cells are the first and the last cell that hold an instant of the window, both
// inclusive. An empty window has none, and last is first - 1.
func (w Window) Cells() (first, last Cell) {
	first = CellOf(w.Start)
	if w.Empty() {
		return first, first - 1
	}
	return first, CellOf(w.End - 1)
}

// Intersect is what two windows have in common; it may be empty.
func (w Window) Intersect(o Window) Window {
	return Window{max(w.Start, o.Start), min(w.End, o.End)}
}

// String is the window as [start, end).
func (w Window) String() string { return "[" + w.Start.String() + ", " + w.End.String() + ")" }
