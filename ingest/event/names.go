package event

import "slices"

// maxNames and maxNameLength bound what a [Decoder] remembers: at most 2 MiB of
// names, and some 10 MiB with what is made of them.
const (
	maxNames      = 1 << 15
	maxNameLength = 64

	maxShared       = 1 << 13 // scopes, and accounts
	maxSharedLength = 256     // of their bytes
)

// names gives equal texts one string, so that a million events of a hundred
// repositories hold a hundred names. Scopes and accounts are looked up whole: one
// question instead of one for each of their names. A nil *names remembers nothing.
type names struct {
	known    map[string]string
	scopes   map[string]*Scope // by their bytes
	accounts map[string]*Account
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

// scope reads a scope, or gives the one that equal bytes were read as before. Its
// lists are shared then: nobody changes an event.
func (n *names) scope(b []byte, to *Scope) error {
	if n == nil || len(b) > maxSharedLength || !to.isZero() { // what comes twice is merged
		return to.decode(b, n)
	}
	if known := n.scopes[string(b)]; known != nil {
		*to = *known
		return nil
	}
	if err := to.decode(b, n); err != nil {
		return err
	}
	to.Components, to.Labels = slices.Clip(to.Components), slices.Clip(to.Labels)
	one := *to
	remember(&n.scopes, b, &one)
	return nil
}

// account is scope of an account.
func (n *names) account(b []byte, to *Account) error {
	if n == nil || len(b) > maxSharedLength || *to != (Account{}) {
		return to.decode(b, n)
	}
	if known := n.accounts[string(b)]; known != nil {
		*to = *known
		return nil
	}
	if err := to.decode(b, n); err != nil {
		return err
	}
	one := *to
	remember(&n.accounts, b, &one)
	return nil
}

func remember[T any](known *map[string]*T, b []byte, one *T) {
	if *known == nil || len(*known) >= maxShared {
		*known = make(map[string]*T)
	}
	(*known)[string(b)] = one
}

func (s *Scope) isZero() bool {
	return s.Provider == "" && s.Name == "" && s.Repository == "" && s.DefaultTip == "" && s.Project == "" && s.Service == "" &&
		s.Environment == "" && s.Components == nil && s.Labels == nil
}
