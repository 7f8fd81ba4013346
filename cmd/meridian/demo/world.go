package demo

import (
	"slices"

	"meridian/streaming/timeline"
)

// world is the organisation while it is being played: who there is, what they are
// working on, and the mail.
type world struct {
	dice
	*cast
	org        *Organisation
	now, start timeline.Millis
	outage     timeline.Window // in which the hooks of one team deliver nothing

	id       int64 // the latest of GitHub's and Jira's numbers
	keys     map[string]int
	arrivals []arrival
	waiting  []*pull          // open at the end of the history
	working  []*issue         // not done then
	shipped  map[*service]int // how many arrivals on its repository's default branch, live

	places int
	out    []message
	mute   bool // keep only what arrives at or after now
	live   bool
}

// simulate plays the history. With keep it holds every delivery of it, in order of
// receipt; without, only those that are still under way at its end.
func (o *Organisation) simulate(keep bool) *world {
	w := &world{dice: newDice(o.seed, 1), cast: newCast(), org: o, now: o.now, start: o.start, id: 1_900_000_000, keys: map[string]int{}, mute: !keep}
	w.outage = o.outage()
	for _, r := range w.repositories {
		r.tip = w.sha()
	}
	w.leaves()
	w.greet()
	w.pulls()
	w.chores()
	w.shipping()
	w.incidents()
	w.traps()
	slices.SortFunc(w.out, func(a, b message) int { return a.compare(&b) })
	return w
}

func (w *world) nextID() int64 {
	w.id += 1 + w.Int64N(97)
	return w.id
}

// greet is GitHub's hello when the hook was made.
func (w *world) greet() {
	w.github(w.start, nil, "ping", map[string]any{
		"zen": "Hooks are small, and arrive when they like.", "hook_id": 9_001,
		"hook":         map[string]any{"type": "Organization", "id": 9_001, "name": "web", "active": true, "events": []string{"*"}},
		"organization": organization(),
	})
}
