package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"meridian/streaming/timeline"
)

// MaxArchiveLine is the longest line, in bytes: a body of 25 MiB of which every
// byte is escaped fits.
const MaxArchiveLine = 64 << 20

// zstdWindow bounds what one frame may ask of memory.
const zstdWindow = 128 << 20

// LineError says that a line is no archive line. The reader can go on behind it.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// ArchiveReader reads a delivery archive, plain, gzip or zstd by its first bytes.
// It holds one line at a time.
type ArchiveReader struct {
	lines    *bufio.Reader
	close    func()
	number   int
	line     []byte
	received timeline.Millis
	any      bool // a delivery was read
}

// NewArchiveReader returns a reader of r. An empty r is an empty archive.
func NewArchiveReader(r io.Reader) (*ArchiveReader, error) {
	a := &ArchiveReader{close: func() {}}
	raw := bufio.NewReaderSize(r, 64<<10)
	magic, err := raw.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("archive: %w", err)
	}
	plain := io.Reader(raw)
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		unzip, err := gzip.NewReader(raw)
		if err != nil {
			return nil, fmt.Errorf("archive: it begins like gzip, and is not: %w", err)
		}
		plain = unzip
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		unzip, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow))
		if err != nil {
			return nil, fmt.Errorf("archive: it begins like zstd, and is not: %w", err)
		}
		a.close, plain = unzip.Close, unzip
	}
	a.lines = bufio.NewReaderSize(plain, 256<<10)
	if mark, _ := a.lines.Peek(3); bytes.Equal(mark, []byte("\ufeff")) {
		_, _ = a.lines.Discard(3) // they are in the buffer
	}
	return a, nil
}

// Close gives back what decompression holds. It does not close what is read.
func (a *ArchiveReader) Close() { a.close() }

// Next returns the next line, or io.EOF. Empty lines are passed over. A
// delivery's time of receipt never goes back: the highest so far holds, but where
// an instance has given it an id, and knew when it came. After a [LineError] the next call goes on with the next line; any other error is final.
func (a *ArchiveReader) Next() (ArchiveLine, error) {
	for {
		text, err := a.read()
		if err != nil {
			return ArchiveLine{}, err
		}
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		line, err := parseArchiveLine(text)
		if err != nil {
			return ArchiveLine{}, &LineError{a.number, err}
		}
		line.Number = a.number
		if d := line.Delivery; d != nil {
			highest := d.Received
			if a.any {
				highest = max(highest, a.received)
			}
			if line.ID == "" {
				d.Received = highest
			}
			a.any, a.received = true, highest
		}
		return line, nil
	}
}

// read returns the next line; it is valid until the next call.
func (a *ArchiveReader) read() ([]byte, error) {
	a.line = a.line[:0]
	long := false
	for {
		part, err := a.lines.ReadSlice('\n')
		if err == io.EOF && len(part) == 0 && len(a.line) == 0 && !long {
			return nil, io.EOF
		}
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return nil, fmt.Errorf("archive: it cannot be read behind line %d: %w", a.number, err)
		}
		if long = long || len(a.line)+len(part) > MaxArchiveLine; !long {
			if err == nil && len(a.line) == 0 {
				a.number++
				return part, nil // most lines fit into the buffer and need no copy
			}
			a.line = append(a.line, part...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		a.number++
		if long {
			return nil, &LineError{a.number, fmt.Errorf("it is longer than %d MiB", MaxArchiveLine>>20)}
		}
		return a.line, nil
	}
}

// HasTicks reports whether an archive has tick lines. It reads to the first one,
// else to the end, so what is read must be opened again, or kept. Lines that are
// no archive lines are passed over; whoever reads the archive next will meet them.
func HasTicks(r io.Reader) (bool, error) {
	a, err := NewArchiveReader(r)
	if err != nil {
		return false, err
	}
	defer a.Close()
	for {
		text, err := a.read()
		if err == io.EOF {
			return false, nil
		}
		if bad := new(LineError); errors.As(err, &bad) {
			continue
		}
		if err != nil {
			return false, err
		}
		// Inside a body the quotes are escaped, so this is nearly always the key.
		if bytes.Contains(text, []byte(`"tick"`)) {
			if line, err := parseArchiveLine(bytes.TrimSpace(text)); err == nil && line.IsTick() {
				return true, nil
			}
		}
	}
}
