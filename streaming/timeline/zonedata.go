package timeline

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	_ "embed" // for zoneinfo.zip
	"encoding/hex"
	"fmt"
	"io"
	"sync"
)

// DataVersion is the release of the IANA time zone data base in zoneinfo.zip.
const DataVersion = "2025c"

//go:embed zoneinfo.zip
var zoneArchive []byte

// dataHash is computed once; it never changes while the program runs.
var dataHash = sync.OnceValue(func() string {
	sum := sha256.Sum256(zoneArchive)
	return hex.EncodeToString(sum[:])
})

// DataHash is the SHA-256 of the zone data, in hexadecimal. Results that depend
// on zones are only comparable where it is the same.
func DataHash() string { return dataHash() }

// zoneFiles is the directory of the archive by zone name. A name is looked up in
// it and never turned into a path, so "../" or "/etc/passwd" are only unknown.
var zoneFiles = sync.OnceValues(func() (map[string]*zip.File, error) {
	r, err := zip.NewReader(bytes.NewReader(zoneArchive), int64(len(zoneArchive)))
	if err != nil {
		return nil, fmt.Errorf("timeline: the zone data built into this program is damaged: %w", err)
	}
	files := make(map[string]*zip.File, len(r.File))
	for _, f := range r.File {
		if !f.FileInfo().IsDir() {
			files[f.Name] = f
		}
	}
	return files, nil
})

// zoneData is the TZif data of one zone, or nil where the archive has none.
func zoneData(name string) ([]byte, error) {
	files, err := zoneFiles()
	if err != nil {
		return nil, err
	}
	file := files[name]
	if file == nil {
		return nil, nil
	}
	r, err := file.Open()
	if err != nil {
		return nil, fmt.Errorf("timeline: the zone data of %s is damaged: %w", name, err)
	}
	defer r.Close()
	data, err := io.ReadAll(r) // checks the CRC at the end
	if err != nil {
		return nil, fmt.Errorf("timeline: the zone data of %s is damaged: %w", name, err)
	}
	return data, nil
}
