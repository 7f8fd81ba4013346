package streaming_test

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"meridian/streaming"
)

// A section in the same memory is not hashed again, one that has grown there or
// lies elsewhere is; the manifest names the bytes that were put.
func TestCapturerKnowsWhatHasNotChanged(t *testing.T) {
	var c streaming.Capturer
	closed := bytes.Repeat([]byte("closed day. "), streaming.MaxChunk/12+10)
	open := append(make([]byte, 0, 64), "open"...)
	take := func(seq uint64) {
		t.Helper()
		put := map[string][]byte{"closed": closed, "open": open, "none": {}}
		m, chunks := c.Capture("engine-1-0", seq, func(each func(string, []byte)) {
			for name, data := range put {
				each(name, data)
			}
		})
		if m.Sequence != seq || len(m.Sections) != len(put) {
			t.Fatalf("snapshot %d has %d sections", m.Sequence, len(m.Sections))
		}
		for _, s := range m.Sections {
			var got []byte
			for _, h := range s.Chunks {
				if sha256.Sum256(chunks[h]) != h {
					t.Errorf("snapshot %d: a chunk of %s has other bytes than its hash says", seq, s.Name)
				}
				got = append(got, chunks[h]...)
			}
			if !bytes.Equal(got, put[s.Name]) {
				t.Errorf("snapshot %d: section %s has %d bytes, want %d", seq, s.Name, len(got), len(put[s.Name]))
			}
		}
	}
	take(1)
	open = append(open, " day"...) // in place, behind what was put
	take(2)
	closed = append([]byte("another "), closed[8:]...) // of the same length, elsewhere
	take(3)
	take(4)
}
