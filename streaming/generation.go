package streaming

import (
	"errors"
	"fmt"

	"meridian/streaming/timeline"
)

// GenerationManifest pins everything that a generation's rows depend on,
// besides the log: two runs of one manifest over one log give the same rows.
type GenerationManifest struct {
	Number Generation

	Logic       int32  // version of the program's logic; a process joins only those that it has
	Config      []byte // canonical bytes of the settings that change results
	CatalogHash Hash   // of the catalog's canonical bytes, which the control topic keeps by it
	ZoneHash    Hash   // of the zone data

	// First is where the generation begins to read in each partition of
	// deliveries; its length is the number of these partitions.
	First []int64

	// HistoryEnd is r*: rounds up to it are history, where nothing is late and
	// rows come out once, at its end. 0 is no history.
	HistoryEnd Round
	// HistoryOffsets is o*: the offsets just after the last tick at or before
	// HistoryEnd in each partition; empty without history.
	HistoryOffsets []int64

	EventsPartitions int32

	Begun  timeline.Millis // wall clock, for people
	Reason string          // why it was begun, in words
}

// ErrBadManifest says that a generation's manifest cannot be true.
var ErrBadManifest = errors.New("impossible manifest of a generation")

// Validate checks a manifest.
func (m GenerationManifest) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if m.Number == 0 || m.Number >= 1<<24 {
		bad("number %d is not from 1 to %d", m.Number, 1<<24-1)
	}
	if len(m.First) == 0 {
		bad("no partitions of deliveries")
	}
	if m.EventsPartitions <= 0 {
		bad("%d partitions of events", m.EventsPartitions)
	}
	switch {
	case m.HistoryEnd == 0 && len(m.HistoryOffsets) > 0:
		bad("offsets of a history, and no end of it")
	case m.HistoryEnd != 0 && len(m.HistoryOffsets) != len(m.First):
		bad("history ends in %d partitions and begins in %d", len(m.HistoryOffsets), len(m.First))
	}
	for p, o := range m.HistoryOffsets {
		if p < len(m.First) && o < m.First[p] {
			bad("history of partition %d ends at offset %d, before its beginning at %d", p, o, m.First[p])
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w %d: %w", ErrBadManifest, m.Number, err)
	}
	return nil
}

// Upstreams returns the partitions of deliveries that every engine shard reads from.
func (m GenerationManifest) Upstreams() []int32 {
	ps := make([]int32, len(m.First))
	for i := range ps {
		ps[i] = int32(i)
	}
	return ps
}
