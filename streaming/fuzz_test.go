package streaming_test

import (
	"bytes"
	"errors"
	"testing"

	"meridian/streaming"
)

// Whatever bytes a store gives back, reading a manifest is an error or gives what
// would be written again.
func FuzzDecodeManifest(f *testing.F) {
	m := streaming.Manifest{Shard: "engine-1-0", Sequence: 7, Resume: 42, Sections: []streaming.Section{{Name: "cells/1", Chunks: []streaming.Hash{{1}, {2}}}, {Name: "none", Chunks: []streaming.Hash{}}}}
	f.Add(m.Encode())
	f.Add([]byte("MSNAP1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := streaming.DecodeManifest(data)
		if err != nil {
			if !errors.Is(err, streaming.ErrDamaged) {
				t.Fatalf("the error does not say that it is damaged: %v", err)
			}
			return
		}
		again, err := streaming.DecodeManifest(m.Encode())
		if err != nil || !bytes.Equal(again.Encode(), m.Encode()) {
			t.Fatalf("%+v is not read again: %v", m, err)
		}
	})
}

// A shard's own section may hold anything: loading it is an error, or gives a
// shard that saves what it was given.
func FuzzLoadShard(f *testing.F) {
	f.Add(save(streaming.NewShard(3, []int32{0, 1}, newTally()))["shard"])
	f.Fuzz(func(t *testing.T, data []byte) {
		s := streaming.NewShard(3, []int32{0, 1}, newTally())
		if err := s.Load(func(name string) ([]byte, error) {
			if name == "shard" {
				return data, nil
			}
			return nil, nil
		}); err != nil {
			return
		}
		saved := save(s)
		if again := save(load(t, []int32{0, 1}, saved)); !bytes.Equal(again["shard"], saved["shard"]) {
			t.Fatalf("%x is saved as %x and then as %x", data, saved["shard"], again["shard"])
		}
	})
}
