package ingest

import (
	"encoding/json"
	"fmt"
	"io"
)

// ArchiveWriter writes a delivery archive. Compression and closing are the
// caller's.
type ArchiveWriter struct{ to *json.Encoder }

// NewArchiveWriter returns a writer to w.
func NewArchiveWriter(w io.Writer) *ArchiveWriter {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // nobody puts it into a page, and bodies stay readable
	return &ArchiveWriter{e}
}

// Write writes one line; its Number is not looked at.
func (a *ArchiveWriter) Write(line ArchiveLine) error {
	if err := a.to.Encode(line.format()); err != nil {
		return fmt.Errorf("archive: write a line: %w", err)
	}
	return nil
}
