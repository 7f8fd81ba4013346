package metrics

import (
	"iter"
	"slices"
)

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

// Selective is a Fold of several aspects, of which a metric may read only some (see
// Definition.Reads). It knows which may have changed since it was last asked, so that
// only metrics which read one of those are asked again. That, too, is no part of its state.
type Selective interface {
	Fold

	// Changed returns the aspects that may have changed since Asked, and false where
	// anything may have.
	Changed() (of Aspects, known bool)

	// Asked says that all observations of the fold, as it stands, have been given.
	Asked()
}

// Aspects are parts of what a fold holds, a bit each; every Selective fold has its own.
type Aspects uint8

// aspects is what may have changed of a Selective fold; embedded in one, and derived.
type aspects struct {
	of    Aspects
	known bool
}

func (a *aspects) Changed() (of Aspects, known bool) { return a.of, a.known }

func (a *aspects) Asked() { a.of, a.known = 0, true }

// asker is a Fold that wants to know that it was asked.
type asker interface{ Asked() }

// question is what has to be asked of a fold. Of the zero one that is everything.
type question struct {
	some    bool // only metrics that read one of the aspects
	aspects Aspects
	only    bool // only of these items, sorted
	items   []string
}

// questionOf returns what has to be asked of a fold, given what was given before. One of
// those that were refused might be given now, by the clock of another partition, so then
// everything is asked.
func (e *Engine) questionOf(f Fold, before []given) (q question) {
	refused := func(g given) bool { return g.refused }
	switch f := f.(type) {
	case Itemized:
		if q.items, q.only = f.News(); !q.only || slices.ContainsFunc(before, refused) {
			return question{}
		}
		slices.Sort(q.items)
		q.items = slices.Compact(q.items)
	case Selective:
		// Of what is too old a change may have been refused: each record that tells of
		// it has a row, so that it has to be asked for again. No clock is beyond the engine's.
		old := func(g given) bool { return g.refused || e.tooOld(g.at, e.clock) }
		if q.aspects, q.some = f.Changed(); e.askAll || slices.ContainsFunc(before, old) {
			return question{}
		}
	}
	return q
}

// metric reports whether a metric has to be asked.
func (q *question) metric(d *Definition) bool {
	return !q.some || d.Reads == 0 || d.Reads&q.aspects != 0
}

// each yields the items that have to be asked for, or once that all have.
func (q *question) each() iter.Seq2[bool, string] {
	return func(yield func(only bool, item string) bool) {
		if !q.only {
			yield(false, "")
			return
		}
		for _, item := range q.items {
			if !yield(true, item) {
				return
			}
		}
	}
}
