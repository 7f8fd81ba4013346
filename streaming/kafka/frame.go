package kafka

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
)

// A frame of an archive file, numbers in little-endian order:
//
//	0  magic "MARC", 4 version, 8 partition
//	12 first offset, 20 last offset, 28 time of sealing (ms)
//	36 records, 40 bytes unpacked, 44 bytes packed
//	48 xxHash64 of bytes 0-47 and of what is packed
//	56 zstd of (uvarint gap, uvarint length, bytes) for each record
//
// The gap is the offset's distance from the one expected, 0 but on a log with
// holes. The layout never changes; a new one gets a new version.
const (
	frameMagic   = "MARC"
	frameVersion = 1
	frameHeader  = 56
)

// Limits of one frame: what a reader holds in memory at once.
const (
	frameBytes   = 16 << 20
	frameRecords = 1 << 16
	frameMost    = 1 << 28 // unpacked; more is damage
)

type frameInfo struct {
	partition   int32
	first, last int64
	sealed      int64 // wall clock, milliseconds
	records     uint32
	unpacked    uint32
	packed      uint32
	sum         uint64
}

func (f frameInfo) size() int64 { return frameHeader + int64(f.packed) }

func (f frameInfo) header() []byte {
	b := make([]byte, 0, frameHeader)
	b = append(b, frameMagic...)
	b = binary.LittleEndian.AppendUint32(b, frameVersion)
	b = binary.LittleEndian.AppendUint32(b, uint32(f.partition))
	b = binary.LittleEndian.AppendUint64(b, uint64(f.first))
	b = binary.LittleEndian.AppendUint64(b, uint64(f.last))
	b = binary.LittleEndian.AppendUint64(b, uint64(f.sealed))
	b = binary.LittleEndian.AppendUint32(b, f.records)
	b = binary.LittleEndian.AppendUint32(b, f.unpacked)
	b = binary.LittleEndian.AppendUint32(b, f.packed)
	return binary.LittleEndian.AppendUint64(b, f.sum)
}

func parseHeader(b []byte) (frameInfo, error) {
	if len(b) < frameHeader || string(b[:4]) != frameMagic {
		return frameInfo{}, fmt.Errorf("%w: no frame begins here", ErrArchive)
	}
	if v := binary.LittleEndian.Uint32(b[4:]); v != frameVersion {
		return frameInfo{}, fmt.Errorf("%w: frame of version %d; a newer Meridian wrote it", ErrArchive, v)
	}
	f := frameInfo{
		partition: int32(binary.LittleEndian.Uint32(b[8:])),
		first:     int64(binary.LittleEndian.Uint64(b[12:])),
		last:      int64(binary.LittleEndian.Uint64(b[20:])),
		sealed:    int64(binary.LittleEndian.Uint64(b[28:])),
		records:   binary.LittleEndian.Uint32(b[36:]),
		unpacked:  binary.LittleEndian.Uint32(b[40:]),
		packed:    binary.LittleEndian.Uint32(b[44:]),
		sum:       binary.LittleEndian.Uint64(b[48:]),
	}
	if f.last < f.first || f.records == 0 || f.unpacked > frameMost || 2*uint64(f.records) > uint64(f.unpacked) {
		return frameInfo{}, fmt.Errorf("%w: frame header is not possible", ErrArchive)
	}
	return f, nil
}

func checksum(header, packed []byte) uint64 {
	d := xxhash.New()
	_, _ = d.Write(header[:frameHeader-8])
	_, _ = d.Write(packed)
	return d.Sum64()
}

// framer packs and unpacks frames. It is not safe for concurrent use.
type framer struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

func newFramer() (*framer, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
	if err != nil {
		return nil, err
	}
	return &framer{enc: enc, dec: dec}, nil
}

func (f *framer) close() {
	f.dec.Close()
	f.enc.Close()
}

// pack returns a whole frame. Values are those of the named part of records.
func (f *framer) pack(partition int32, sealed int64, records []LogRecord, value func(LogRecord) []byte) []byte {
	info := frameInfo{
		partition: partition,
		first:     records[0].Offset,
		last:      records[len(records)-1].Offset,
		sealed:    sealed,
		records:   uint32(len(records)),
	}
	var raw []byte
	next := info.first
	for _, r := range records {
		v := value(r)
		raw = binary.AppendUvarint(raw, uint64(r.Offset-next))
		raw = binary.AppendUvarint(raw, uint64(len(v)))
		raw = append(raw, v...)
		next = r.Offset + 1
	}
	packed := f.enc.EncodeAll(raw, nil)
	info.unpacked, info.packed = uint32(len(raw)), uint32(len(packed))
	info.sum = checksum(info.header(), packed)
	return append(info.header(), packed...)
}

// unpack returns the records of a frame whose bytes behind the header are packed.
func (f *framer) unpack(info frameInfo, packed []byte) ([]LogRecord, error) {
	if checksum(info.header(), packed) != info.sum {
		return nil, fmt.Errorf("%w: checksum of the frame of offsets %d to %d does not agree", ErrArchive, info.first, info.last)
	}
	raw, err := f.dec.DecodeAll(packed, make([]byte, 0, info.unpacked))
	if err != nil || len(raw) != int(info.unpacked) {
		return nil, fmt.Errorf("%w: frame of offsets %d to %d cannot be unpacked (%v)", ErrArchive, info.first, info.last, err)
	}
	records := make([]LogRecord, 0, info.records)
	next := info.first
	for len(raw) > 0 {
		gap, n := binary.Uvarint(raw)
		if n <= 0 {
			break
		}
		size, m := binary.Uvarint(raw[n:])
		if m <= 0 || size > uint64(len(raw)-n-m) {
			break
		}
		raw = raw[n+m:]
		r := LogRecord{Offset: next + int64(gap), Value: raw[:size:size]}
		records = append(records, r)
		raw, next = raw[size:], r.Offset+1
	}
	if len(raw) > 0 || len(records) != int(info.records) || next != info.last+1 {
		return nil, fmt.Errorf("%w: frame of offsets %d to %d holds other records", ErrArchive, info.first, info.last)
	}
	return records, nil
}

// readFrame reads the frame at position at of r.
func readFrame(r io.ReaderAt, at int64) (frameInfo, []byte, error) {
	header := make([]byte, frameHeader)
	if _, err := r.ReadAt(header, at); err != nil {
		return frameInfo{}, nil, err
	}
	info, err := parseHeader(header)
	if err != nil {
		return frameInfo{}, nil, err
	}
	packed := make([]byte, info.packed)
	if _, err := r.ReadAt(packed, at+frameHeader); err != nil {
		return frameInfo{}, nil, err
	}
	return info, packed, nil
}
