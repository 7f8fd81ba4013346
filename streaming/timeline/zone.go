package timeline

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Zone is a set of rules for local time. It is immutable and safe for concurrent
// use. There is one Zone for each name, so zones can be compared by pointer.
type Zone struct {
	name string
	runs runs
}

// What was built is remembered, so that a name always gives the same pointer. Both
// are bounded: by the names in the pinned data, and by the offsets that exist.
var (
	named sync.Map                                     // string → *Zone
	fixed [2*maxOffsetMinutes + 1]atomic.Pointer[Zone] // by minutes east, from -18:00
)

// maxOffset bounds what [FixedZone] takes and how far [Zone.Midnight] looks; the
// largest offset that ever was is below 16 hours.
const (
	maxOffsetMinutes = 18 * 60
	maxOffset        = maxOffsetMinutes * Minute
)

// LoadZone is the zone with this IANA name, spelled exactly as there:
// Europe/Berlin, Asia/Ho_Chi_Minh, UTC. The error wraps [ErrUnknownZone].
func LoadZone(name string) (*Zone, error) {
	if z, ok := named.Load(name); ok {
		return z.(*Zone), nil
	}
	data, err := zoneData(name)
	if err != nil {
		return nil, err
	}
	if data == nil {
		return nil, unknownZone(name)
	}
	loc, err := time.LoadLocationFromTZData(name, data)
	if err != nil {
		return nil, fmt.Errorf("timeline: the zone data of %s is damaged: %w", name, err)
	}
	// Of two that build it at once, both get the one that was kept first.
	z, _ := named.LoadOrStore(name, &Zone{name, locationRuns(loc)})
	return z.(*Zone), nil
}

func unknownZone(name string) error {
	hint := "a valid name is an IANA one such as Europe/Berlin, Asia/Ho_Chi_Minh or UTC"
	if files, err := zoneFiles(); err == nil {
		best := ""
		for known := range files {
			// The smallest, so that the order of the map cannot show.
			if strings.EqualFold(known, name) && (best == "" || known < best) {
				best = known
			}
		}
		if best != "" {
			hint = "did you mean " + best + "?"
		}
	}
	return fmt.Errorf("%w: %q; %s", ErrUnknownZone, name, hint)
}

var utc = sync.OnceValue(func() *Zone {
	z, err := LoadZone("UTC")
	if err != nil {
		panic(err) // the archive inside this program has no UTC; a test loads it
	}
	return z
})

// UTC is the zone without an offset; LoadZone("UTC") is the same.
func UTC() *Zone { return utc() }

// FixedZone is a zone that always has this offset, in minutes east of UTC, for
// events that carry an offset and no zone. It is named by it: +07:00, -03:30.
// Beyond 18 hours either way the error wraps [ErrBadOffset].
func FixedZone(minutesEast int) (*Zone, error) {
	if minutesEast < -maxOffsetMinutes || minutesEast > maxOffsetMinutes {
		return nil, fmt.Errorf("%w: %d minutes east of UTC; offsets lie between -18:00 and +18:00", ErrBadOffset, minutesEast)
	}
	place := &fixed[minutesEast+maxOffsetMinutes]
	if z := place.Load(); z != nil {
		return z, nil
	}
	place.CompareAndSwap(nil, &Zone{offsetName(minutesEast), fixedRuns(Millis(minutesEast) * Minute)})
	return place.Load(), nil
}

// offsetName is +07:00, or -03:30.
func offsetName(minutesEast int) string {
	sign, minutes := '+', minutesEast
	if minutes < 0 {
		sign, minutes = '-', -minutes
	}
	return fmt.Sprintf("%c%02d:%02d", sign, minutes/60, minutes%60)
}

// ParseZone is the zone with a name that [Zone.Name] gave: an IANA name or a
// fixed offset such as +07:00. It is for reading back what Meridian wrote; what
// people write goes to [LoadZone].
func ParseZone(name string) (*Zone, error) {
	if len(name) == len("+07:00") && (name[0] == '+' || name[0] == '-') {
		minutes := parseClock(name[1:])
		if name[0] == '-' {
			minutes = -minutes
		}
		// The comparison refuses second spellings, such as -00:00.
		if parseClock(name[1:]) >= 0 && offsetName(minutes) == name {
			return FixedZone(minutes)
		}
	}
	return LoadZone(name)
}

// Name is the name of the zone: an IANA name, or +07:00 for a fixed offset.
func (z *Zone) Name() string { return z.name }

// String is the name.
func (z *Zone) String() string { return z.name }
