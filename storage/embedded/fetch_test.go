package embedded

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// pack is a small package of the shape that npm gives, and what it must have for its checksum.
func pack(t *testing.T, dir, name, content string) (archive string, b build) {
	t.Helper()
	var buffer bytes.Buffer
	zipped := gzip.NewWriter(&buffer)
	files := tar.NewWriter(zipped)
	for _, f := range []struct{ name, content string }{{"package/package.json", "{}"}, {"package/" + name, content}} {
		if err := files.WriteHeader(&tar.Header{Name: f.name, Mode: 0o755, Size: int64(len(f.content)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(files, f.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(files.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	archive = filepath.Join(dir, "package.tgz")
	if err := os.WriteFile(archive, buffer.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha512.Sum512(buffer.Bytes())
	return archive, build{pkg: "@example/lib", file: "libchdb.so", integrity: "sha512-" + base64.StdEncoding.EncodeToString(sum[:]), size: int64(len(content))}
}

func TestUnpack(t *testing.T) {
	for _, c := range []struct {
		name   string
		file   string
		change func(*build)
		want   error
		text   string
	}{
		{"as published", "libchdb.so", func(*build) {}, nil, ""},
		{"another checksum", "libchdb.so", func(b *build) { b.integrity = "sha512-AAAA" }, ErrChecksum, "should have sha512-AAAA"},
		{"another size", "libchdb.so", func(b *build) { b.size++ }, ErrChecksum, "should have 8"},
		{"no library", "other.so", func(*build) {}, nil, "no libchdb.so in the package"},
	} {
		dir := t.TempDir()
		archive, b := pack(t, dir, c.file, "library")
		c.change(&b)
		to := filepath.Join(dir, "libchdb.so")
		err := unpack(t.Context(), archive, b, to)
		if c.want == nil && c.text == "" {
			content, readErr := os.ReadFile(to)
			if err != nil || readErr != nil || string(content) != "library" {
				t.Errorf("%s: %v, %v, %q", c.name, err, readErr, content)
			}
			continue
		}
		if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want %v with %q in it", c.name, err, c.want, c.text)
		}
	}
}

// npmStandIn puts a program named npm in front of the PATH that copies a package instead of fetching it, and counts its runs.
func npmStandIn(t *testing.T, archive string) (runs func() int) {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "runs")
	script := "#!/bin/sh\necho run >> '" + log + "'\nwhile [ \"$1\" != --pack-destination ]; do shift; done\ncp '" + archive + "' \"$2/\"\n"
	if err := os.WriteFile(filepath.Join(dir, "npm"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return func() int {
		lines, err := os.ReadFile(log)
		if err != nil {
			return 0
		}
		return bytes.Count(lines, []byte("run"))
	}
}

// A package that is not the pinned one never becomes the library, and nothing of it stays.
func TestFetchRefusesAnotherPackage(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	t.Setenv(LibraryVariable, "")
	b, err := thisBuild()
	if err != nil {
		t.Skip(err)
	}
	archive, _ := pack(t, t.TempDir(), b.file, "not the library")
	runs := npmStandIn(t, archive)
	if _, err := Library(t.Context()); !errors.Is(err, ErrNoLibrary) || !strings.Contains(err.Error(), "meridian doctor --fetch") {
		t.Errorf("Library: got %v, want ErrNoLibrary that names the command", err)
	}
	if err := Fetch(t.Context(), io.Discard); !errors.Is(err, ErrChecksum) {
		t.Errorf("Fetch: got %v, want ErrChecksum", err)
	}
	is(t, "runs of npm", runs(), 1)
	target, err := cachedPath(b)
	if err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Dir(target))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range left {
		if f.Name() != "fetch.lock" {
			t.Errorf("%s stays behind", f.Name())
		}
	}
	if _, err := Library(t.Context()); !errors.Is(err, ErrNoLibrary) {
		t.Errorf("Library afterwards: got %v, want ErrNoLibrary", err)
	}
}

// Several fetches at once cost one; what an interrupted one left is cleared away.
func TestFetchOnce(t *testing.T) {
	dir := t.TempDir()
	archive, b := pack(t, t.TempDir(), "libchdb.so", "library")
	runs := npmStandIn(t, archive)
	target := filepath.Join(dir, "cache", b.file)
	stale := filepath.Join(dir, "cache", "fetch-interrupted")
	if err := os.MkdirAll(stale, 0o700); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := fetchInto(context.Background(), b, target, io.Discard); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	is(t, "runs of npm", runs(), 1)
	if content, err := os.ReadFile(target); err != nil || string(content) != "library" {
		t.Errorf("got %q, %v", content, err)
	}
	if _, err := os.Stat(stale); err == nil {
		t.Error("the interrupted fetch is still there")
	}
}

// A library cut short, as by a full disk, is not taken for one.
func TestLibraryDamaged(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	t.Setenv(LibraryVariable, "")
	b, err := thisBuild()
	if err != nil {
		t.Skip(err)
	}
	target, err := cachedPath(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(target), 0o700), os.WriteFile(target, []byte("half"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := Library(t.Context()); !errors.Is(err, ErrNoLibrary) || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("got %v, want ErrNoLibrary that says damaged", err)
	}
}
