package catalog

import "strings"

// Nearest is the name that was probably meant: the one with the fewest edits,
// of the first where several have as few, "" where none is near.
func Nearest(got string, names []string) string {
	best, least := "", 1+len(got)/3
	for _, name := range names {
		if d := edits(strings.ToLower(got), strings.ToLower(name)); d < least || d == least && best == "" {
			best, least = name, d
		}
	}
	return best
}

// edits is the Levenshtein distance, in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
