package metrics

import (
	"fmt"

	"meridian/streaming"
)

// Describe says in a line how much the engine holds and how far it is, and in
// a second one what it did not change and what it has forgotten.
func (e *Engine) Describe() string {
	var folds, stubs, series, windows, open int
	for _, t := range e.teams {
		for _, entities := range t.entities {
			for _, en := range entities {
				if en.stub() {
					stubs++
				} else {
					folds++
				}
			}
		}
		series += len(t.ordered)
		for _, s := range t.ordered {
			for g := range s.windows {
				windows += len(s.windows[g])
				for _, w := range s.windows[g] {
					if w.said() == saidProvisional {
						open++
					}
				}
			}
		}
	}
	clock, due := "before the first tick", "nothing"
	if e.clock != streaming.NoClock {
		clock = e.clock.String()
	}
	if d := e.Due(); d != never {
		due = d.String()
	}
	text := fmt.Sprintf("clock %s, %d teams, %d folds, %d stubs, %d series, %d windows, %d of them open, next due %s",
		clock, len(e.teams), folds, stubs, series, windows, open, due)
	if counted := e.counters.String(); counted != "" {
		text += "\n" + counted
	}
	return text
}
