package ingest

import (
	"sync"
	"time"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// Losses remembers of each source since when deliveries could not be stored: not
// every sender sends them again. Safe for concurrent use.
type Losses struct {
	mu   sync.Mutex
	open map[event.Source]timeline.Window
}

// aroundLoss is added on both sides: a sender's attempt begins before it is
// refused.
const aroundLoss = 10 * timeline.Second

// lost notes that a delivery was refused because the log did not take it.
func (l *Losses) lost(s event.Source, at time.Time) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = map[event.Source]timeline.Window{}
	}
	now := timeline.FromTime(at)
	w, ok := l.open[s]
	if !ok {
		w.Start = now - aroundLoss
	}
	w.End = now + aroundLoss
	l.open[s] = w
}

// Take returns the gaps that there are, by source, and forgets them; whoever
// cannot write one down gives it back with [Losses.Give].
func (l *Losses) Take() []Gap {
	l.mu.Lock()
	defer l.mu.Unlock()
	var gaps []Gap
	for _, s := range event.Sources {
		if w, ok := l.open[s]; ok {
			gaps = append(gaps, Gap{Source: s, From: w.Start, To: w.End})
			delete(l.open, s)
		}
	}
	return gaps
}

// Give takes back a gap that could not be written down.
func (l *Losses) Give(g Gap) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = map[event.Source]timeline.Window{}
	}
	w, ok := l.open[g.Source]
	if !ok {
		w = timeline.Window{Start: g.From, End: g.To}
	}
	l.open[g.Source] = timeline.Window{Start: min(w.Start, g.From), End: max(w.End, g.To)}
}
