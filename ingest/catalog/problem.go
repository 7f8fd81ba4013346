package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrInvalid is what every [Problems] wraps.
var ErrInvalid = errors.New("the catalog is not valid")

// Problem is one thing that has to be mended in a catalog file.
type Problem struct {
	File string `json:"file"`
	Line int    `json:"line"` // 0: the file as a whole
	Text string `json:"text"` // what is wrong and what to write
}

// String is the problem as file:line: text.
func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// Problems are all that is wrong with a catalog, in order of file and line.
type Problems []Problem

// Error lists all problems, one a line.
func (ps Problems) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s; to mend:", ErrInvalid)
	for _, p := range ps {
		b.WriteString("\n  " + p.String())
	}
	return b.String()
}

// Unwrap makes errors.Is(err, ErrInvalid) true.
func (ps Problems) Unwrap() error { return ErrInvalid }

// place is where something stands in the files.
type place struct {
	file string
	line int
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// collector gathers problems while reading goes on.
type collector struct{ problems Problems }

func (c *collector) add(at place, format string, args ...any) {
	c.problems = append(c.problems, Problem{at.file, at.line, fmt.Sprintf(format, args...)})
}

// err is nil where there are none. Files keep the order in which they were read.
func (c *collector) err() error {
	if len(c.problems) == 0 {
		return nil
	}
	order := map[string]int{}
	for _, p := range c.problems {
		if _, ok := order[p.File]; !ok {
			order[p.File] = len(order)
		}
	}
	slices.SortStableFunc(c.problems, func(a, b Problem) int {
		if d := order[a.File] - order[b.File]; d != 0 {
			return d
		}
		return a.Line - b.Line
	})
	return c.problems
}
