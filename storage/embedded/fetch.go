package embedded

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/klauspost/compress/gzip"
)

// Fetch puts libchdb into the user's cache unless Library finds it already. It asks npm for the pinned package, so proxies,
// mirrors and credentials are npm's; what arrives must have the pinned checksum. Any number of processes may fetch at once:
// one does, the others wait for it. progress gets a line for each step.
func Fetch(ctx context.Context, progress io.Writer) error {
	if found, err := Library(ctx); err == nil {
		fmt.Fprintln(progress, "the embedded ClickHouse library is there:", found)
		return nil
	}
	b, err := thisBuild()
	if err != nil {
		return err
	}
	target, err := cachedPath(b)
	if err != nil {
		return err
	}
	return fetchInto(ctx, b, target, progress)
}

// fetchInto has one process at a time fetch; whoever waited finds the file there.
func fetchInto(ctx context.Context, b build, target string, progress io.Writer) error {
	dir := filepath.Dir(target)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the cache directory for chDB: %w", err)
	}
	lock := flock.New(filepath.Join(dir, "fetch.lock"))
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		return fmt.Errorf("wait for another process that fetches chDB: %w", err)
	}
	defer func() { _ = lock.Unlock() }()
	if info, err := os.Stat(target); err != nil || info.Size() != b.size {
		if err := fetch(ctx, b, target, progress); err != nil {
			return err
		}
	}
	fmt.Fprintln(progress, "the embedded ClickHouse library is there:", target)
	return nil
}

// fetch works under the lock. What an interrupted fetch left behind is removed first.
func fetch(ctx context.Context, b build, target string, progress io.Writer) error {
	dir := filepath.Dir(target)
	stale, err := filepath.Glob(filepath.Join(dir, "fetch-*"))
	if err != nil {
		return fmt.Errorf("fetch chDB: %w", err)
	}
	for _, old := range stale {
		if err := os.RemoveAll(old); err != nil {
			return fmt.Errorf("remove the rest of an interrupted fetch: %w", err)
		}
	}
	work, err := os.MkdirTemp(dir, "fetch-")
	if err != nil {
		return fmt.Errorf("fetch chDB: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()

	spec := b.pkg + "@" + Version
	fmt.Fprintf(progress, "fetching %s with npm (about 180 MB)\n", spec)
	if err := npmPack(ctx, spec, work); err != nil {
		return err
	}
	packed, err := filepath.Glob(filepath.Join(work, "*.tgz"))
	if err != nil || len(packed) != 1 {
		return fmt.Errorf("fetch %s: npm pack left %d packages, not one", spec, len(packed))
	}
	fmt.Fprintln(progress, "checking and unpacking")
	unpacked := filepath.Join(work, b.file)
	if err := unpack(ctx, packed[0], b, unpacked); err != nil {
		return fmt.Errorf("fetch %s: %w", spec, err)
	}
	if err := os.Rename(unpacked, target); err != nil {
		return fmt.Errorf("fetch %s: %w", spec, err)
	}
	return nil
}

func npmPack(ctx context.Context, spec, dir string) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("fetch %s: npm is needed for this once; install Node.js, or set %s to the path of a libchdb %s: %w", spec, LibraryVariable, Version, err)
	}
	cmd := exec.CommandContext(ctx, npm, "pack", "--silent", "--pack-destination", dir, spec)
	cmd.Dir = dir
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("fetch %s: npm pack failed: %w\n%s", spec, err, bytes.TrimSpace(output.Bytes()))
	}
	return nil
}

// unpack writes the library of a package to a file and keeps nothing whose package has the wrong checksum.
func unpack(ctx context.Context, archive string, b build, to string) (err error) {
	in, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	sum := sha512.New()
	if _, err := io.Copy(sum, in); err != nil {
		return fmt.Errorf("read the package: %w", err)
	}
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum.Sum(nil)); got != b.integrity {
		return fmt.Errorf("%w: the package has %s and should have %s; it was changed on its way or at its source, so it is not used", ErrChecksum, got, b.integrity)
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	zipped, err := gzip.NewReader(in)
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	for files := tar.NewReader(zipped); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("unpack: there is no %s in the package", b.file)
		}
		if err != nil {
			return fmt.Errorf("unpack: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if path.Base(header.Name) == b.file && header.Typeflag == tar.TypeReg {
			return writeLibrary(files, b, to)
		}
	}
}

// writeLibrary makes the file durable before it gets its name: half a library after a power cut would be found as a whole one.
func writeLibrary(from io.Reader, b build, to string) (err error) {
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	n, err := io.Copy(out, from)
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	if n != b.size {
		return fmt.Errorf("%w: the library has %d bytes and should have %d", ErrChecksum, n, b.size)
	}
	return out.Sync()
}
