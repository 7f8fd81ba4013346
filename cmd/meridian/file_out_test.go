package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// A file appears under its name when it is whole, in place of what was there; one that
// is given up, or whose process ends, is never seen.
func TestFilesAppearWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "export.jsonl.gz")
	names := func() (all []string) {
		t.Helper()
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			all = append(all, e.Name())
		}
		return all
	}
	write := func(text string, whole bool) {
		t.Helper()
		before := names()
		f, err := createFile(path, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, text); err != nil {
			t.Fatal(err)
		}
		if now := names(); f.unnamed && len(now) != len(before) {
			t.Errorf("while it is written the folder has %q", now)
		} else if !f.unnamed {
			t.Logf("the file system of %s has no files without a name", dir)
		}
		if err := f.close(whole); err != nil {
			t.Fatal(err)
		}
	}
	write("given up", false)
	if left := names(); len(left) > 0 {
		t.Errorf("of one that was given up %q is left", left)
	}
	for _, text := range []string{"first", "second"} {
		write(text, true)
		if left := names(); len(left) != 1 || left[0] != filepath.Base(path) {
			t.Errorf("the folder has %q", left)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(z); err != nil || string(got) != text {
			t.Errorf("it holds %q, %v; want %q", got, err, text)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("its mode is %v, %v", info.Mode(), err)
		}
	}
}
