package metrics

import "slices"

// Itemized is a Fold of many items, each of which is observed by itself: a person's
// acts of a day. It knows which of them it was told of since it was last asked, so that
// only these are asked for again (as View.Item) and the others stand as they were given.
// What it knows is no part of its state: without it, as after a restore in the middle of
// a round, everything is asked for.
type Itemized interface {
	Fold

	// News returns the items that were told of since Asked, in any order and perhaps
	// more than once, and false where anything may have changed.
	News() (items []string, known bool)

	// Asked says that all observations of the fold, as it stands, have been given.
	Asked()
}

// news is which items of an Itemized fold may have changed; embedded in one, and derived.
type news struct {
	items []string
	known bool
}

func (n *news) News() ([]string, bool) { return n.items, n.known }

func (n *news) Asked() { n.items, n.known = n.items[:0], true }

// tell notes an item.
func (n *news) tell(item string) {
	if n.known {
		n.items = append(n.items, item)
	}
}

// forget says that anything may have changed.
func (n *news) forget() { *n = news{} }

// itemsOf returns the items that have to be asked for, each once, in place of all that
// a fold is observed as, given what was given before. One of those that were refused
// might be given now, by the clock of another partition, so then everything is asked.
func itemsOf(f Fold, before []given) (items []string, only bool) {
	it, ok := f.(Itemized)
	if !ok {
		return nil, false
	}
	items, only = it.News()
	if !only || slices.ContainsFunc(before, func(g given) bool { return g.refused }) {
		return nil, false
	}
	slices.Sort(items)
	return slices.Compact(items), true
}
