package metrics

import (
	"slices"

	"meridian/streaming/timeline"
)

// latest is a text that payloads repeat and that may change: a name, an
// address. The newest one holds; of one instant the greater, so that the order
// of arrival does not matter.
type latest struct {
	At    timeline.Millis
	Value string
}

// see takes what a payload of the given time says; nothing is no news.
func (l *latest) see(at timeline.Millis, value string) {
	if value != "" && (l.Value == "" || at > l.At || at == l.At && value > l.Value) {
		l.At, l.Value = at, value
	}
}

// latestTexts is a list that payloads repeat, such as labels or commits.
type latestTexts struct {
	At    timeline.Millis
	Known bool
	Texts []string
}

// see takes a list; an empty one is no news.
func (l *latestTexts) see(at timeline.Millis, texts []string) {
	if len(texts) > 0 {
		l.state(at, texts)
	}
}

// state takes a list that may have become empty.
func (l *latestTexts) state(at timeline.Millis, texts []string) {
	if !l.Known || at > l.At || at == l.At && slices.Compare(texts, l.Texts) > 0 {
		*l = latestTexts{at, true, slices.Clone(texts)}
		if len(texts) == 0 {
			l.Texts = nil
		}
	}
}

// earliest keeps the smaller of two instants, of which 0 is none.
func earliest(t *timeline.Millis, at timeline.Millis) {
	if at != 0 && (*t == 0 || at < *t) {
		*t = at
	}
}

// soonest is the smaller of two instants, of which 0 is none.
func soonest(a, b timeline.Millis) timeline.Millis {
	earliest(&a, b)
	return a
}
