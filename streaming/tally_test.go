package streaming_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"meridian/streaming"
)

// tally is the tests' program: it sums the lengths of words and remembers in
// which order they came, so that a changed order changes everything after it.
// A row is a line of text.
type tally struct {
	sums    map[string]int
	history string
	touched map[string]bool // of the open round; empty between rounds
}

func newTally() *tally { return &tally{sums: map[string]int{}, touched: map[string]bool{}} }

func (p *tally) Apply(c streaming.Clock, r streaming.Record[string], emit func(string)) {
	p.sums[r.Value]++
	p.touched[r.Value] = true
	p.history = fmt.Sprintf("%08x", hash(p.history+r.Origin.String()+r.Value))
	emit(fmt.Sprintf("apply %s %s at %s", r.Origin, r.Value, clock(c)))
}

func (p *tally) Tick(c streaming.Clock, v streaming.Version, emit func(string)) {
	var words []string
	for _, w := range slices.Sorted(maps.Keys(p.touched)) {
		words = append(words, fmt.Sprintf("%s=%d", w, p.sums[w]))
	}
	clear(p.touched)
	emit(fmt.Sprintf("tick %s generation %d round %d: %s", clock(c), v.Generation(), v.Round(), strings.Join(append(words, p.history), " ")))
}

func (p *tally) Save(put func(string, []byte)) {
	var b strings.Builder
	for _, w := range slices.Sorted(maps.Keys(p.sums)) {
		fmt.Fprintf(&b, "%s %d\n", w, p.sums[w])
	}
	put("sums", []byte(b.String()))
	put("history", []byte(p.history))
}

func (p *tally) Load(get func(string) ([]byte, error)) error {
	sums, err := get("sums")
	if err != nil {
		return err
	}
	history, err := get("history")
	if err != nil {
		return err
	}
	*p = *newTally()
	p.history = string(history)
	for line := range strings.Lines(string(sums)) {
		var word string
		var n int
		if _, err := fmt.Sscanf(line, "%s %d", &word, &n); err != nil {
			return err
		}
		p.sums[word] = n
	}
	return nil
}

func hash(s string) (h uint32) {
	for _, c := range []byte(s) {
		h = h*31 + uint32(c)
	}
	return h
}

func clock(c streaming.Clock) string {
	if c == streaming.NoClock {
		return "no clock"
	}
	return c.Time().Format("15:04:05.999")
}
