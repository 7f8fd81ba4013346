package web

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"sync"
)

// AuditFile is an audit log in a file of JSON lines that is only appended to,
// each line on disk before what it says happens. A file outlives generations and
// tables, can be read with any tool, and a copy of it can be sent elsewhere; in a
// table an erasure or a restore would take what it is meant to record.
//
// A line is about 250 bytes, and a reader who opens ten metrics an hour makes two
// megabytes a year: nothing is rotated away.
type AuditFile struct {
	path string
	mu   sync.Mutex
}

// NewAuditFile is inert: the file is made with its first entry.
func NewAuditFile(path string) *AuditFile { return &AuditFile{path: path} }

// Record implements Audit. A line that a crash cut short is ended first.
func (a *AuditFile) Record(e AuditEntry) (err error) {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("web: write the audit log: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	f, err := os.OpenFile(a.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("web: write the audit log: %w", err)
	}
	defer func() {
		if closeErr := f.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("web: write the audit log: %w", closeErr)
		}
	}()
	if size, err := f.Seek(0, io.SeekEnd); err == nil && size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err == nil && last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	if _, err = f.Write(append(line, '\n')); err == nil {
		err = f.Sync()
	}
	if err != nil {
		return fmt.Errorf("web: write the audit log: %w", err)
	}
	return nil
}

// auditPiece is how much is read at once from the file's end.
const auditPiece = 64 << 10

// Recent implements Audit: it reads backwards from the end, and so costs what it
// returns. Lines that are damaged are passed over.
func (a *AuditFile) Recent(limit int, before string) (entries []AuditEntry, next string, err error) {
	f, err := os.Open(a.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("web: read the audit log: %w", err)
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, "", fmt.Errorf("web: read the audit log: %w", err)
	}
	if before != "" {
		at, err := strconv.ParseInt(before, 10, 64)
		if err != nil || at < 0 || at > end {
			return nil, "", badRequest("The cursor was not made by this server. Begin again without one.")
		}
		end = at
	}
	var rest []byte // of a line whose beginning is further up
	for end > 0 && len(entries) < limit {
		from := max(0, end-auditPiece)
		piece := make([]byte, end-from, int(end-from)+len(rest))
		if _, err := f.ReadAt(piece, from); err != nil {
			return nil, "", fmt.Errorf("web: read the audit log: %w", err)
		}
		piece = append(piece, rest...)
		for len(entries) < limit {
			i := bytes.LastIndexByte(bytes.TrimSuffix(piece, []byte("\n")), '\n') + 1
			if i == 0 && from > 0 {
				break
			}
			var e AuditEntry
			if json.Unmarshal(piece[i:], &e) == nil {
				entries = append(entries, e)
			}
			piece = piece[:i]
			if i == 0 {
				break
			}
		}
		if len(entries) >= limit && from+int64(len(piece)) > 0 {
			return entries, strconv.FormatInt(from+int64(len(piece)), 10), nil
		}
		rest, end = piece, from
	}
	return entries, "", nil
}

// CopyTo writes all of it, the oldest first, for `meridian audit`.
func (a *AuditFile) CopyTo(w io.Writer) error {
	f, err := os.Open(a.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("web: read the audit log: %w", err)
	}
	defer f.Close()
	if _, err := io.Copy(w, bufio.NewReader(f)); err != nil {
		return fmt.Errorf("web: read the audit log: %w", err)
	}
	return nil
}
