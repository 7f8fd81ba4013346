package ingest

import (
	"errors"
	"io"

	"meridian/streaming"
	"meridian/streaming/timeline"
)

// archiveGrid is where the ticks of an archive without tick lines lie: at second
// :00 and :30 of every minute. (So a window that ends at 12:00 is final at round
// 12:05:00, which is its bound of 5 minutes, and not at the next half hour.)
const archiveGrid = 30 * timeline.Second

// ArchiveTicks says where the ticks of a replayed archive come from.
type ArchiveTicks struct {
	// Lines: the archive has tick lines, and has exactly those ticks ([HasTicks]).
	// Without, it gets one at second :00 and :30 of each minute between the first
	// and the last receipt, behind everything received by then, and one at the last receipt.
	Lines bool

	// Until, when set, is the last tick: there is one at it, behind everything
	// received by then, and none after it.
	Until *timeline.Millis

	// Due returns the earliest clock at which a tick would do anything though
	// nothing new has come. Ticks of the grid before it are left out, so that a
	// jump from 1970 to 2026 costs a few and not 59 million. nil leaves none out.
	// It is asked when everything that [TickedArchive.Next] returned has been
	// worked off.
	Due func() timeline.Millis
}

// TickedArchive is an archive with its ticks in place.
type TickedArchive struct {
	lines *ArchiveReader
	ticks ArchiveTicks

	clock   streaming.Clock // of the ticks so far, on the grid of rounds
	waiting bool            // a delivery came behind the last tick
	any     bool            // a delivery came at all
	last    timeline.Millis // its receipt
	next    timeline.Millis // of the archive's grid, when any
	held    *ArchiveLine    // read, and to be returned when its ticks have been
	ended   bool
	closed  bool // the tick at Until has been
}

// NewTickedArchive returns the lines of an archive with the ticks that it has, or
// gets.
func NewTickedArchive(lines *ArchiveReader, ticks ArchiveTicks) *TickedArchive {
	return &TickedArchive{lines: lines, ticks: ticks, clock: streaming.NoClock}
}

// Next returns the next line, or io.EOF. Ticks are rounded up to the
// grid of rounds; one that was made has no Number. Errors are those of
// [ArchiveReader.Next].
func (a *TickedArchive) Next() (ArchiveLine, error) {
	for {
		if a.held == nil && !a.ended {
			line, err := a.lines.Next()
			if errors.Is(err, io.EOF) {
				a.ended = true
			} else if err != nil {
				return ArchiveLine{}, err
			} else {
				a.held = &line
			}
		}
		if tick, ok := a.tickBefore(a.held); ok {
			a.clock, a.waiting = tick, false
			return ArchiveLine{Tick: tick}, nil
		}
		if a.held == nil {
			return ArchiveLine{}, io.EOF
		}
		line := *a.held
		a.held = nil
		if line.IsTick() {
			if line, ok := a.tickLine(line); ok {
				return line, nil
			}
			continue
		}
		a.waiting = true
		if line.Delivery == nil {
			return line, nil // coverage has no time of its own: it stands where it stands
		}
		if !a.any {
			a.any, a.next = true, ceilGrid(line.Delivery.Received)
		}
		a.last = line.Delivery.Received
		return line, nil
	}
}

// tickLine returns a tick that stands in the archive. One that does not raise the
// clock does nothing and is returned all the same, for it is in the archive; one
// where ticks are made, or behind the last, is left out.
func (a *TickedArchive) tickLine(line ArchiveLine) (ArchiveLine, bool) {
	if !a.ticks.Lines || a.closed {
		return line, false
	}
	line.Tick = streaming.RoundOf(line.Tick).Clock()
	if line.Tick > a.clock {
		a.clock, a.waiting = line.Tick, false
	}
	return line, true
}

// tickBefore returns the tick that is to be made before line; nil is the end.
func (a *TickedArchive) tickBefore(line *ArchiveLine) (timeline.Millis, bool) {
	if a.closed {
		return 0, false
	}
	if !a.ticks.Lines {
		if tick, ok := a.gridBefore(line); ok && !a.beyondUntil(tick) {
			return tick, true
		}
	}
	if a.ticks.Until == nil || line != nil && (line.timeless() || !a.beyondUntil(line.time())) {
		return 0, false
	}
	a.closed = true
	until := streaming.RoundOf(*a.ticks.Until).Clock()
	return until, until > a.clock
}

// time is what a line says of the time.
func (line *ArchiveLine) time() timeline.Millis {
	if line.Delivery != nil {
		return line.Delivery.Received
	}
	return line.Tick
}

// timeless reports whether a line says nothing of when it came.
func (line *ArchiveLine) timeless() bool { return line.Delivery == nil && !line.IsTick() }

func (a *TickedArchive) beyondUntil(t timeline.Millis) bool {
	return a.ticks.Until != nil && t > *a.ticks.Until
}

// gridBefore returns the next tick of the grid before line, or at the end the one
// at the last receipt. Left out are those between which nothing can happen; the
// last one before a delivery is its clock, and never left out.
func (a *TickedArchive) gridBefore(line *ArchiveLine) (timeline.Millis, bool) {
	if !a.any || line != nil && line.Delivery == nil {
		return 0, false // a tick of its own has no place here, and coverage is no reason for one
	}
	end := a.last + 1 // exclusive
	if line != nil {
		end = line.Delivery.Received
	}
	if a.ticks.Until != nil {
		end = min(end, *a.ticks.Until+1)
	}
	if a.next < end {
		if !a.waiting && a.ticks.Due != nil {
			lastOne := ceilGrid(end) - archiveGrid
			a.next = max(a.next, min(lastOne, ceilGrid(min(a.ticks.Due(), lastOne))))
		}
		tick := a.next
		a.next += archiveGrid
		return tick, true
	}
	if line != nil {
		return 0, false
	}
	tick := streaming.RoundOf(a.last).Clock()
	return tick, tick > a.clock
}

// ceilGrid returns the first instant of the archive's grid at or after t.
func ceilGrid(t timeline.Millis) timeline.Millis {
	r := t % archiveGrid
	switch {
	case r > 0:
		return t - r + archiveGrid
	case r < 0:
		return t - r
	}
	return t
}
