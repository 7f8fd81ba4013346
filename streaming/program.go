package streaming

// Program is a stage: a pure state machine over the records of one shard. It
// has no I/O, goroutine, wall clock, randomness, map order or float sum in it:
// the same records and ticks in the same order give the same calls of emit, to
// the byte. A shard calls it from one goroutine.
type Program[In, Out any] interface {
	// Apply takes one record of the round that is closing. c is the clock of
	// the round before ([NoClock] in the first).
	Apply(c Clock, r Record[In], emit func(Out))

	// Tick ends a round. c is its clock and v the version of every row that
	// comes of it. In the engine this is the only place where rows come from;
	// route forwards the tick here, behind the records it has emitted.
	Tick(c Clock, v Version, emit func(Out))

	// Save writes the whole state as canonical bytes: equal states give equal
	// sections. It is called between rounds. Sections should be cut so that
	// what has stopped changing (a closed day, an idle bucket) keeps its bytes.
	//
	// What was put is never written to again, since it is published while the
	// program goes on. A section that is put as the very slice of the Save before
	// is known to be unchanged and costs nothing ([Capturer]): a program that
	// keeps the bytes of what rests has short pauses.
	Save(put func(section string, data []byte))

	// Load replaces the state by one that Save wrote. get lists nothing: a
	// program finds the names of its sections in one whose name it knows.
	// A missing section is (nil, nil).
	Load(get func(section string) ([]byte, error)) error
}
