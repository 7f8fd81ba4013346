package metrics

import (
	"cmp"
	"slices"

	"meridian/streaming/timeline"
)

// HeatCount is how many observations fall on one local weekday and hour.
type HeatCount struct {
	_    struct{} `cbor:",toarray"`
	Slot uint8    // 1 + weekday*24 + hour, Monday 00 is 1
	N    int64
}

// HeatCounts is a week by weekday and hour, sorted by slot and without zeros:
// most hours of most weeks are empty, and most metrics have none at all.
type HeatCounts []HeatCount

const slots = 7 * 24

// SlotOf returns the slot of t in zone z. Weekday and hour come from the same
// local time.
func SlotOf(z *timeline.Zone, t timeline.Millis) uint8 {
	weekday := (int(z.Date(t).Weekday()) + 6) % 7 // from Monday
	return uint8(1 + weekday*24 + z.MinuteOfDay(t)/60)
}

func (h *HeatCounts) add(slot uint8, n int64) {
	if slot == 0 || slot > slots || n == 0 {
		return
	}
	i, found := slices.BinarySearchFunc(*h, slot, func(c HeatCount, slot uint8) int { return cmp.Compare(c.Slot, slot) })
	if !found {
		*h = slices.Insert(*h, i, HeatCount{Slot: slot, N: n})
	} else if (*h)[i].N += n; (*h)[i].N == 0 {
		*h = slices.Delete(*h, i, i+1)
	}
}

func (h *HeatCounts) addAll(o HeatCounts, sign int64) {
	for i := range o {
		h.add(o[i].Slot, sign*o[i].N)
	}
}

// Table returns the counts by weekday from Monday, and hour.
func (h HeatCounts) Table() (t [7][24]int64) {
	for _, c := range h {
		t[(c.Slot-1)/24][(c.Slot-1)%24] = c.N
	}
	return t
}

// sound reports whether h is what add makes.
func (h HeatCounts) sound() bool {
	for i := range h {
		if h[i].Slot == 0 || h[i].Slot > slots || i > 0 && h[i-1].Slot >= h[i].Slot {
			return false
		}
	}
	return true
}
