package main

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A backup is a tar: first what it is, then the files of the data directory, then
// their checksums, without which it is not whole.
const (
	backupHead = "meridian-backup.json"
	backupSums = "SHA256SUMS"
)

// backupFormat is raised when an earlier program could not restore what is written.
const backupFormat = 1

// backupInfo is the head of a backup.
type backupInfo struct {
	Format   int       `json:"format"`
	Release  string    `json:"release"`
	Instance string    `json:"instance"` // names it; the key is in the backup, not here
	Taken    time.Time `json:"taken"`
	Files    int       `json:"files"`
	Bytes    int64     `json:"bytes"`

	sums []byte // the last entry, once it has been read
}

// write copies a picture into a tar.
func (p *picture) write(ctx context.Context, head backupInfo, to io.Writer) error {
	out := tar.NewWriter(to)
	head.Format, head.Release = backupFormat, release
	head.Files, head.Bytes = p.size()
	data, err := json.Marshal(head)
	if err != nil {
		return err
	}
	small := func(name string, data []byte) error {
		if err := out.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(data)), ModTime: head.Taken}); err != nil {
			return err
		}
		_, err := out.Write(data)
		return err
	}
	if err := small(backupHead, append(data, '\n')); err != nil {
		return err
	}
	var sums strings.Builder
	for _, item := range p.items {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch {
		case item.folder:
			err = out.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: item.name + "/", Mode: 0o700, ModTime: head.Taken})
		case item.link != "":
			err = out.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: item.name, Linkname: item.link, ModTime: head.Taken})
		default:
			var sum []byte
			sum, err = item.write(out, head.Taken)
			fmt.Fprintf(&sums, "%s  %s\n", hex.EncodeToString(sum), item.name)
		}
		if err != nil {
			return fmt.Errorf("backup of %s: %w", item.name, err)
		}
	}
	return errors.Join(small(backupSums, []byte(sums.String())), out.Close())
}

// write copies a file as long as it was in the picture.
func (item pictured) write(to *tar.Writer, at time.Time) (sum []byte, err error) {
	f, err := os.Open(item.source)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := to.WriteHeader(&tar.Header{Name: item.name, Mode: 0o600, Size: item.size, ModTime: at}); err != nil {
		return nil, err
	}
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, hash), io.LimitReader(f, item.size))
	if err == nil && n < item.size {
		err = errors.New("it has become shorter while it was copied; make the backup again")
	}
	return hash.Sum(nil), err
}

// errBackup says that what is restored is no whole backup.
var errBackup = errors.New("this is no whole backup of Meridian")

// readBackup reads a tar, gives every entry but the first and the last to put, and
// checks that all are as they were written. first is called with the head.
func readBackup(from io.Reader, first func(backupInfo) error, put func(h *tar.Header, r io.Reader) error) (info backupInfo, err error) {
	in := tar.NewReader(from)
	broken := func(err error) error { return fmt.Errorf("%w: %w", errBackup, err) }
	h, err := in.Next()
	if err != nil || h.Name != backupHead {
		return info, errBackup
	}
	if err := json.NewDecoder(io.LimitReader(in, 1<<20)).Decode(&info); err != nil {
		return info, broken(err)
	}
	if info.Format != backupFormat {
		return info, fmt.Errorf("the backup has format %d, and this version reads %d; restore it with release %s of Meridian", info.Format, backupFormat, info.Release)
	}
	if err := first(info); err != nil {
		return info, err
	}
	sums := map[string]string{}
	for {
		h, err := in.Next()
		if err != nil {
			return info, broken(err) // also at its end: the checksums are missing
		}
		if h.Name == backupSums {
			if info.sums, err = io.ReadAll(in); err != nil {
				return info, broken(err)
			}
			return info, checkSums(info.sums, sums)
		}
		if !filepath.IsLocal(filepath.FromSlash(h.Name)) || h.Typeflag == tar.TypeSymlink && !filepath.IsLocal(path.Join(path.Dir(h.Name), h.Linkname)) {
			return info, broken(fmt.Errorf("%q leads out of it", h.Name))
		}
		hash := sha256.New()
		summed := io.TeeReader(in, hash)
		if err := put(h, summed); err != nil {
			return info, err
		}
		if _, err := io.Copy(io.Discard, summed); err != nil { // what nobody wanted has a checksum too
			return info, broken(err)
		}
		if h.Typeflag == tar.TypeReg {
			sums[h.Name] = hex.EncodeToString(hash.Sum(nil))
		}
	}
}

// checkSums compares the checksums of a backup with those of what was read of it.
func checkSums(text []byte, have map[string]string) error {
	want := parseSums(text)
	for name, sum := range have {
		if want[name] != sum {
			return fmt.Errorf("%w: %s is not what was written; take another backup", errBackup, name)
		}
	}
	if n := len(want) - len(have); n > 0 {
		return fmt.Errorf("%w: %d of its files are missing", errBackup, n)
	}
	return nil
}

func parseSums(text []byte) map[string]string {
	sums := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if sum, name, ok := strings.Cut(line, "  "); ok {
			sums[name] = sum
		}
	}
	return sums
}

// unpack puts an entry of a backup under root, where archive/ may lie elsewhere.
func unpack(root, archive string, h *tar.Header, r io.Reader) error {
	name := strings.TrimSuffix(h.Name, "/")
	to := filepath.Join(root, filepath.FromSlash(name))
	if rest, ok := strings.CutPrefix(name, "archive"); ok && (rest == "" || rest[0] == '/') {
		to = filepath.Join(archive, filepath.FromSlash(rest))
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return os.MkdirAll(to, 0o700)
	case tar.TypeSymlink:
		return os.Symlink(filepath.FromSlash(h.Linkname), to)
	case tar.TypeReg:
	default:
		return fmt.Errorf("%w: %s is of a kind that no backup has", errBackup, h.Name)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Sync(), f.Close())
}

// emptyEnough reports whether a folder holds nothing but what a lock needs.
func emptyEnough(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	}
	return !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() != "LOCK" }), err
}
