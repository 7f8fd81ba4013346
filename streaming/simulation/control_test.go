package simulation

import (
	"fmt"

	"meridian/ingest"
	"meridian/streaming"
)

// control is the topic of what every member has to know. A member knows the part
// that it has read.
type control struct{ log []func(*said) }

// said is what a member knows of control: of each key what was said last.
type said struct {
	read      int // entries
	manifests []*manifest
	following map[streaming.Generation]bool
	live      turn
	promotion *promotion              // nil: there is none
	paused    map[string]pausedAnswer // by shard
}

// manifest pins a generation, and is what is made of it.
type manifest struct {
	number  streaming.Generation
	pins    pins
	end     streaming.Round // of its history; 0: none
	offsets []int64         // o*
	layout  *layout
	events  []*topic
}

// pins are what a generation's rows depend on besides the log.
type pins struct{ catalog, logic int }

// turn says which generation readers see.
type turn struct {
	generation streaming.Generation
	sequence   uint64
}

// promotion is a turn that is being taken, step by step.
type promotion struct {
	generation streaming.Generation
	step       promotionStep
	round      streaming.Round
	sequence   uint64
}

type promotionStep string

const (
	stepCatchUp promotionStep = "catch up"
	stepPause   promotionStep = "pause"
	stepMove    promotionStep = "move"
	stepFlip    promotionStep = "flip"
)

type pausedAnswer struct {
	sequence uint64
	clock    streaming.Clock
}

// hear reads what the member has not read yet.
func (s *said) hear(c *control) {
	if s.following == nil {
		s.following, s.paused = map[streaming.Generation]bool{}, map[string]pausedAnswer{}
	}
	for _, change := range c.log[s.read:] {
		change(s)
	}
	s.read = len(c.log)
}

// say puts something into control. Whoever says something has heard everything before it.
func (m *member) say(w *world, change func(*said)) {
	w.control.log = append(w.control.log, change)
	m.said.hear(&w.control)
}

// course is the generation that numbers come from, or will.
func (s *said) course() *manifest { return s.manifests[len(s.manifests)-1] }

func (s *said) manifestOf(g streaming.Generation) *manifest {
	for _, m := range s.manifests {
		if m.number == g {
			return m
		}
	}
	return nil
}

// writesLive reports whether a generation's rows go into the live tables.
func (t turn) writesLive(g streaming.Generation) bool { return t.generation == 0 || t.generation == g }

// historyOffsets are the offsets just after the last tick of a history in each
// partition of deliveries: ticks behind one that lies beyond its end raise nothing.
func historyOffsets(deliveries []*topic, end streaming.Round) (offsets []int64) {
	for _, log := range deliveries {
		after := int64(0)
		for offset, data := range log.records {
			e, err := ingest.DecodeEntry(data)
			if err != nil {
				panic(fmt.Errorf("%s, offset %d: %w", log.name, offset, err))
			}
			if !e.IsTick() {
				continue
			}
			if streaming.RoundOf(e.Tick) > end {
				break
			}
			after = int64(offset) + 1
		}
		offsets = append(offsets, after)
	}
	return offsets
}
