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
	records [][]kgo.Record
}

var (
	_ kgo.PoolDecompressBytes = (*logPool)(nil)
	_ kgo.PoolRecords         = (*logPool)(nil)
)

// unpacked is how many times its size a batch is taken to be when it is unpacked.
const unpacked = 4

// GetDecompressBytes implements [kgo.PoolDecompressBytes].
func (p *logPool) GetDecompressBytes(packed []byte, _ kgo.CompressionCodecType) []byte {
	return takeSlice(&p.mu, &p.bytes, unpacked*len(packed))
}

// PutDecompressBytes implements [kgo.PoolDecompressBytes].
func (p *logPool) PutDecompressBytes(b []byte) { putSlice(&p.mu, &p.bytes, b) }

// GetRecords implements [kgo.PoolRecords].
func (p *logPool) GetRecords(n int) []kgo.Record { return takeSlice(&p.mu, &p.records, n) }

// PutRecords implements [kgo.PoolRecords].
func (p *logPool) PutRecords(r []kgo.Record) { putSlice(&p.mu, &p.records, r) }

// takeSlice takes the last slice that has room for n, or makes one.
func takeSlice[T any](mu *sync.Mutex, free *[][]T, n int) []T {
	mu.Lock()
	defer mu.Unlock()
	if last := len(*free) - 1; last >= 0 {
		s := (*free)[last]
		*free = (*free)[:last]
		if cap(s) >= n {
			return s[:0]
		}
	}
	return make([]T, 0, n)
}

// freeSlices bounds what lies about: as many batches as a fetch brings.
const freeSlices = 16

func putSlice[T any](mu *sync.Mutex, free *[][]T, s []T) {
	mu.Lock()
	defer mu.Unlock()
	if len(*free) < freeSlices {
		*free = append(*free, s)
	}
}
