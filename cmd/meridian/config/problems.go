package config

import (
	"fmt"
	"strings"
)

// Problem is one thing that is wrong, where, and what to do.
type Problem struct {
	Where string // file:line, the environment variable, or the flag
	Text  string
}

func (p Problem) String() string {
	if p.Where == "" {
		return p.Text
	}
	return p.Where + ": " + p.Text
}

// Problems is the error of a configuration: all that is wrong with it.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	if len(ps) == 1 {
		return "the configuration has a problem:\n  " + lines[0]
	}
	return fmt.Sprintf("the configuration has %d problems:\n  %s", len(ps), strings.Join(lines, "\n  "))
}

func (ps *Problems) add(where, format string, args ...any) {
	*ps = append(*ps, Problem{where, fmt.Sprintf(format, args...)})
}
