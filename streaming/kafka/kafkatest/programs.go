package kafkatest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// Message is what the test topics hold.
type Message = streaming.Message[string]

// Copy is a message on its way to a partition of events.
type Copy struct {
	Partition int32
	Message   Message
}

// wire is a message as bytes. P, O and N are the origin.
type wire struct {
	P int32
	O int64
	N int32
	W string          `json:",omitempty"`
	T timeline.Millis `json:",omitempty"`
}

// encode and decode are the events' codec.
func encode(m Message) []byte {
	data, err := json.Marshal(wire{P: m.Origin.Partition, O: m.Origin.Offset, N: m.Origin.Ordinal, W: m.Value, T: m.Tick})
	if err != nil {
		panic(err)
	}
	return data
}

func decode(data []byte) (m Message, err error) {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return m, err
	}
	m.Origin = streaming.Origin{Partition: w.P, Offset: w.O, Ordinal: w.N}
	m.Value, m.Tick, m.IsTick = w.W, w.T, w.T != 0
	return m, nil
}

// decodeDelivery reads a record of deliveries: a word, or "tick MILLIS". Its
// origin is its place.
func decodeDelivery(partition int32, r kafka.LogRecord) (m Message, err error) {
	m.Origin = streaming.Origin{Partition: partition, Offset: r.Offset}
	if at, ok := strings.CutPrefix(string(r.Value), "tick "); ok {
		n, err := strconv.ParseInt(at, 10, 64)
		m.Tick, m.IsTick = timeline.Millis(n), true
		return m, err
	}
	m.Value = string(r.Value)
	return m, nil
}

// Fan is of the shape of route: it copies each word to two partitions of
// events, and ticks to all of them.
type Fan struct {
	Upstream   int32
	Partitions int32
	words      int64
}

// Apply implements streaming.Program.
func (f *Fan) Apply(_ streaming.Clock, r streaming.Record[string], emit func(Copy)) {
	f.words++
	home := kafka.PartitionOf(r.Value, f.Partitions)
	for i := range int32(2) {
		m := Message{Record: r}
		m.Origin.Ordinal = i
		emit(Copy{Partition: (home + i) % f.Partitions, Message: m})
	}
}

// Tick implements streaming.Program.
func (f *Fan) Tick(c streaming.Clock, _ streaming.Version, emit func(Copy)) {
	for p := range f.Partitions {
		m := Message{IsTick: true, Tick: c}
		m.Origin.Partition = f.Upstream
		emit(Copy{Partition: p, Message: m})
	}
}

// Save implements streaming.Program.
func (f *Fan) Save(put func(string, []byte)) { put("words", []byte(strconv.FormatInt(f.words, 10))) }

// Load implements streaming.Program.
func (f *Fan) Load(get func(string) ([]byte, error)) error {
	data, err := get("words")
	if err != nil {
		return err
	}
	f.words, err = strconv.ParseInt(string(data), 10, 64)
	return err
}

// Row is what Tally gives at a tick: Key names it, Text is its content.
type Row struct {
	Key, Text string
	Round     streaming.Round
}

// Tally is of the shape of the engine: it counts words, and chains all that it
// has seen, so that one record lost, doubled or moved changes every row after it.
type Tally struct {
	counts  map[string]int
	chain   uint64
	touched map[string]bool
}

// NewTally returns an empty one.
func NewTally() *Tally { return &Tally{counts: map[string]int{}, touched: map[string]bool{}} }

// Apply implements streaming.Program.
func (t *Tally) Apply(c streaming.Clock, r streaming.Record[string], _ func(Row)) {
	t.counts[r.Value]++
	t.touched[r.Value] = true
	for _, b := range fmt.Appendf(nil, "%d %s %s", c, r.Origin, r.Value) {
		t.chain = t.chain*1099511628211 + uint64(b) + 1
	}
}

// Tick implements streaming.Program.
func (t *Tally) Tick(c streaming.Clock, v streaming.Version, emit func(Row)) {
	for _, w := range slices.Sorted(maps.Keys(t.touched)) {
		emit(Row{Key: fmt.Sprintf("%s at %d", w, c), Text: fmt.Sprintf("%d in version %s", t.counts[w], v), Round: v.Round()})
	}
	clear(t.touched)
	emit(Row{Key: fmt.Sprintf("tick at %d", c), Text: fmt.Sprintf("chain %x in version %s", t.chain, v), Round: v.Round()})
}

type tallyState struct {
	Counts map[string]int
	Chain  uint64
}

// Save implements streaming.Program.
func (t *Tally) Save(put func(string, []byte)) {
	data, err := json.Marshal(tallyState{t.counts, t.chain}) // maps are written by sorted key
	if err != nil {
		panic(err)
	}
	put("tally", data)
}

// Load implements streaming.Program.
func (t *Tally) Load(get func(string) ([]byte, error)) error {
	data, err := get("tally")
	if err != nil {
		return err
	}
	*t = *NewTally()
	var st tallyState
	if err := json.Unmarshal(data, &st); err != nil {
		return err
	}
	if st.Counts != nil {
		t.counts = st.Counts
	}
	t.chain = st.Chain
	return nil
}
