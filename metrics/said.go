package metrics

import (
	"cmp"
	"slices"

	"meridian/streaming/timeline"
)

// windows is what has been emitted, sorted by key.
type windows []windowState

// windowState is a window's key (hour: its start; day: its date; day30: its last
// date) and what was last said of it, in three bits: there are two for each event.
type windowState int64

func stateOf(key int64, s said) windowState { return windowState(key<<3 | int64(s)) }
func (w windowState) key() int64            { return int64(w) >> 3 }
func (w windowState) said() said            { return said(w & 7) }

// said is the state of a window's last row.
type said uint8

const (
	nothing said = iota
	saidProvisional
	saidFinal
	saidRevised
	saidWithdrawn // revised, and its last fact is gone
)

func (s said) status() Status {
	return [...]Status{"", Provisional, Final, Revised, Revised}[s]
}

func (ws windows) find(key int64) (int, bool) {
	// Nearly always a new one, or one of the last.
	for n := len(ws); ; n-- {
		if n == 0 || ws[n-1].key() < key {
			return n, false
		}
		if ws[n-1].key() == key {
			return n - 1, true
		}
		if n < len(ws)-4 {
			break
		}
	}
	return slices.BinarySearchFunc(ws, key, func(w windowState, key int64) int { return cmp.Compare(w.key(), key) })
}

func (ws windows) said(key int64) said {
	if i, ok := ws.find(key); ok {
		return ws[i].said()
	}
	return nothing
}

func (ws *windows) say(key int64, s said) {
	i, ok := ws.find(key)
	ws.sayAt(i, ok, key, s)
}

// sayAt is say for those who have found the place already.
func (ws *windows) sayAt(i int, ok bool, key int64, s said) {
	if !ok {
		*ws = slices.Insert(*ws, i, stateOf(key, s))
	} else {
		(*ws)[i] = stateOf(key, s)
	}
}

// keptWindow is a window whose row was given for good.
type keptWindow struct {
	grain grainIndex
	key   int64
}

// keep remembers what a window held before these changes, if it has a row and
// that is not remembered yet.
func (s *series) keep(g grainIndex, key int64, from, to timeline.Cell, changes []change) {
	k := keptWindow{g, key}
	if s.kept[k] != nil || s.windows[g].said(key) == nothing {
		return
	}
	if s.kept == nil {
		s.kept = map[keptWindow]*Aggregate{}
	}
	s.kept[k] = s.unchanged(g, from, to, changes)
}

// unchanged is what a window held before changes that are in its cells already.
func (s *series) unchanged(g grainIndex, from, to timeline.Cell, changes []change) *Aggregate {
	a, y := new(Aggregate), s.team.engine.symbols
	s.aggregate(a, from, to)
	for i := range changes {
		if c := changes[i].day.cell(changes[i].slot); from <= c && c < to {
			o := y.observation(changes[i].entry)
			a.put(s.def.Statistic, &o, -int64(changes[i].sign))
		}
	}
	if g == day30Grain {
		a.Quantiles, a.All.Values, a.Primary = a.quantiles(), nil, nil
	}
	return a
}
