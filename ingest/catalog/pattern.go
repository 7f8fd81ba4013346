package catalog

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// patterns match names by * (any run of characters, / too) and ? (one), without
// regard to case. Brackets mean themselves: names of bots have them. They are
// kept in lower case.
type patterns []string

func newPatterns(list []string) patterns {
	ps := make(patterns, len(list))
	for i, s := range list {
		ps[i] = strings.ToLower(s)
	}
	return ps
}

func (ps patterns) match(name string) bool {
	if len(ps) == 0 {
		return false
	}
	name = strings.ToLower(name)
	return slices.ContainsFunc(ps, func(p string) bool { return wild(p, name) })
}

// wild is the usual greedy match: on a mismatch it goes back to the last * and
// lets that take one byte more. ? takes a byte; names are nearly always ASCII.
func wild(pattern, name string) bool {
	p, n, star, mark := 0, 0, -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p++
			n++
		case star >= 0:
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// globs match paths and full names of repositories: ** crosses /, * does not.
// Repositories are compared without regard to case, as GitHub does.
func globMatch(glob, name string) bool {
	ok, err := doublestar.Match(glob, name)
	return ok && err == nil // validated when the file was read
}

// literal reports whether a glob can only match itself.
func literal(glob string) bool { return !strings.ContainsAny(glob, `*?[{\`) }
