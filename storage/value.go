package storage

import (
	"time"

	"meridian/streaming/timeline"
)

// What DateTime64(3) holds; a time outside is stored as the nearest inside.
var (
	earliest = timeline.FromTime(time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC))
	latest   = timeline.FromTime(time.Date(2299, 12, 31, 0, 0, 0, 0, time.UTC))
)

func clamp(m timeline.Millis) timeline.Millis { return max(earliest, min(m, latest)) }

func instant(m timeline.Millis) time.Time { return clamp(m).Time() }

// instantOrNull stores 0, which stands for "not known", as null.
func instantOrNull(m timeline.Millis) *time.Time {
	if m == 0 {
		return nil
	}
	t := instant(m)
	return &t
}

func millis(t *time.Time) timeline.Millis {
	if t == nil {
		return 0
	}
	return timeline.FromTime(*t)
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
