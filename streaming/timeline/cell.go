package timeline

// Cell is a 15-minute piece of UTC, by number; cell 0 begins at 1970-01-01T00:00Z.
//
// 15 minutes is the largest piece whose borders hold every zone offset in use
// (Kathmandu is at +05:45, Chatham at +12:45), so a window of any zone is a whole
// number of cells and a changed zone moves no data.
type Cell int64

// CellLength is the length of every cell.
const CellLength = 15 * Minute

// CellOf is the cell that holds t.
func CellOf(t Millis) Cell { return Cell(floorDiv(t, CellLength)) }

// Start is the first instant of the cell.
func (c Cell) Start() Millis { return Millis(c) * CellLength }

// End is the first instant after the cell.
func (c Cell) End() Millis { return Millis(c+1) * CellLength }

// Window is the cell as a window.
func (c Cell) Window() Window { return Window{c.Start(), c.End()} }
