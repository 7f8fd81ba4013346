package kafka_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"meridian/streaming/kafka"
)

// FuzzArchive reads a file of any bytes: whole records, an error, or nothing.
func FuzzArchive(f *testing.F) {
	dir := f.TempDir()
	if err := kafka.OpenArchive(dir, splitAtBar).Append(0, noon, records(3, 9)); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(filepath.Join(dir, "0", "2026-03-02.events"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(append(good, good...))
	f.Add(good[:len(good)-1])
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "0"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "0", "2026-03-02.events"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readArchive(t, kafka.OpenArchive(dir, nil), 0, false)
		if err != nil && !errors.Is(err, kafka.ErrArchive) {
			t.Errorf("error is not ErrArchive: %v", err)
		}
		for i := 1; i < len(got); i++ {
			if got[i].Offset <= got[i-1].Offset {
				t.Errorf("offset %d after %d", got[i].Offset, got[i-1].Offset)
			}
		}
	})
}
