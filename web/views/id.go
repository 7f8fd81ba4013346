package views

import (
	"fmt"
	"strings"
)

// ID makes an element's id out of words: letters, digits and dots stay, all
// else is escaped, so that two names never share one. Everything that can have
// the focus has an id, by which a refresh gives the focus back.
func ID(words ...string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte('-')
		}
		for _, r := range w {
			switch {
			case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.':
				b.WriteRune(r)
			default:
				fmt.Fprintf(&b, "_%x", r)
			}
		}
	}
	return b.String()
}
