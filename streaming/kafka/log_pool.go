package kafka

import (
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
)

// logPool gives the memory of records that were read to those that are read next:
// a history reads as fast as it can, and what a fetch holds unpacked is the largest
// garbage that it makes. franz-go asks it for each batch.
type logPool struct {
	mu      sync.Mutex
	bytes   [][]byte
	size    int // of bytes
	records [][]kgo.Record
}

var (
	_ kgo.PoolDecompressBytes = (*logPool)(nil)
	_ kgo.PoolRecords         = (*logPool)(nil)
)

// unpacked is how many times its size a batch is taken to be when it is unpacked: too
// little, and it is copied once for each time that its memory doubles.
const unpacked = 4

// freeBytes bounds what lies about of what was unpacked: more than a fetch of a history
// brings, which are some hundred batches.
const freeBytes = 32 << 20

// GetDecompressBytes implements [kgo.PoolDecompressBytes]. What it gives may be too
// small: it is grown then, and comes back larger.
func (p *logPool) GetDecompressBytes(packed []byte, _ kgo.CompressionCodecType) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.bytes) - 1; last >= 0 {
		b := p.bytes[last]
		p.bytes, p.size = p.bytes[:last], p.size-cap(b)
		if cap(b) >= len(packed) {
			return b[:0]
		}
	}
	return make([]byte, 0, unpacked*len(packed))
}

// PutDecompressBytes implements [kgo.PoolDecompressBytes].
func (p *logPool) PutDecompressBytes(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.size+cap(b) <= freeBytes {
		p.bytes, p.size = append(p.bytes, b), p.size+cap(b)
	}
}

// freeRecords bounds the slices of records that lie about.
const freeRecords = 256

// GetRecords implements [kgo.PoolRecords].
func (p *logPool) GetRecords(n int) []kgo.Record {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.records) - 1; last >= 0 {
		r := p.records[last]
		p.records = p.records[:last]
		if cap(r) >= n {
			return r[:0]
		}
	}
	return make([]kgo.Record, 0, n)
}

// PutRecords implements [kgo.PoolRecords].
func (p *logPool) PutRecords(r []kgo.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.records) < freeRecords {
		p.records = append(p.records, r)
	}
}
