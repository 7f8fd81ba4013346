package event

// maxNames and maxNameLength bound what a [Decoder] remembers: at most 2 MiB.
const (
	maxNames      = 1 << 15
	maxNameLength = 64
)

// names gives equal texts one string, so that a million events of a hundred
// repositories hold a hundred names. A nil *names remembers nothing.
type names struct {
	known map[string]string
}

func (n *names) text(b []byte) string {
	if n == nil || len(b) > maxNameLength {
		return string(b)
	}
	if s, ok := n.known[string(b)]; ok { // does not allocate
		return s
	}
	if n.known == nil || len(n.known) >= maxNames {
		// Forgetting all is rare, and cheaper than knowing which was used last.
		n.known = make(map[string]string)
	}
	s := string(b)
	n.known[s] = s
	return s
}
