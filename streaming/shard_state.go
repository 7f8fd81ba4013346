package streaming

import (
	"fmt"
	"math"
	"slices"

	"github.com/fxamacker/cbor/v2"
)

// Sections of a shard's snapshot: its own, and the program's behind a prefix.
const (
	shardSection  = "shard"
	programPrefix = "program/"
)

// shardState is the shard's own section. Pending records are not in it: they
// are read again from Resume.
type shardState struct {
	Generation Generation      `cbor:"1,keyasint"`
	Round      Round           `cbor:"2,keyasint"`
	Resume     int64           `cbor:"3,keyasint"`
	Upstreams  []upstreamState `cbor:"4,keyasint"`
}

type upstreamState struct {
	Partition int32 `cbor:"1,keyasint"`
	Applied   Round `cbor:"2,keyasint"`
	Offset    int64 `cbor:"3,keyasint"`
	Ordinal   int32 `cbor:"4,keyasint"`
}

// Save writes the program's state and what the shard needs to go on from it.
// It may be called after any Feed.
func (s *Shard[In, Out]) Save(put func(section string, data []byte)) {
	st := shardState{Generation: s.generation, Round: s.round, Resume: s.Resume()}
	for _, u := range s.upstreams {
		// What is only seen is not saved: it is pending, and will be read again.
		st.Upstreams = append(st.Upstreams, upstreamState{Partition: u.partition, Applied: u.applied, Offset: u.origin.Offset, Ordinal: u.origin.Ordinal})
	}
	put(shardSection, encodeCBOR(st))
	s.program.Save(func(section string, data []byte) { put(programPrefix+section, data) })
}

// Load replaces the shard's state by a saved one, which must be of the same
// generation and upstreams. Feeding goes on at [Shard.Resume].
func (s *Shard[In, Out]) Load(get func(section string) ([]byte, error)) error {
	data, err := get(shardSection)
	if err != nil {
		return fmt.Errorf("read the shard's section: %w", err)
	}
	var st shardState
	if err := cbor.Unmarshal(data, &st); err != nil {
		return fmt.Errorf("%w: the shard's section cannot be read: %v", ErrDamaged, err)
	}
	if st.Generation != s.generation {
		return fmt.Errorf("%w: it is of generation %d, not %d", ErrDamaged, st.Generation, s.generation)
	}
	saved := make([]int32, len(st.Upstreams))
	for i, u := range st.Upstreams {
		saved[i] = u.Partition
	}
	if !slices.Equal(saved, s.partitions()) {
		return fmt.Errorf("%w: it reads partitions %v of deliveries, this shard %v; the number of partitions cannot change inside a generation", ErrDamaged, saved, s.partitions())
	}
	if err := s.program.Load(func(section string) ([]byte, error) { return get(programPrefix + section) }); err != nil {
		return fmt.Errorf("load the program's state: %w", err)
	}
	s.round, s.next = st.Round, st.Resume
	for i, saved := range st.Upstreams {
		u := newUpstream[In](saved.Partition)
		u.applied, u.round = saved.Applied, saved.Applied
		if saved.Offset != math.MinInt64 {
			u.origin = Origin{Partition: saved.Partition, Offset: saved.Offset, Ordinal: saved.Ordinal}
			u.seen = u.origin
		}
		s.upstreams[i] = u
		s.index[saved.Partition] = u
	}
	return nil
}

// encodeCBOR writes v in the core deterministic encoding: equal values have
// equal bytes.
func encodeCBOR(v any) []byte {
	mode, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		panic(err)
	}
	data, err := mode.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
