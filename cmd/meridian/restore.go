package main

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
)

func (a *app) restoreCommand() *cobra.Command {
	var dataDir string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "restore FILE|DIR", Short: "Put a backup into an empty data directory", Args: usageArgs(cobra.ExactArgs(1)),
		Long: "Puts a backup into an empty data directory. The next `meridian serve` goes on from where the\n" +
			"backup was taken: the same instance, with its keys, secrets and numbers. Do not run both.\n" +
			"What is damaged or incomplete is refused.",
		Example: "  meridian restore /backups/meridian-2026-03-02.tar.zst --data-dir ./meridian-data",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.config(func(c *config.Config) { setIf(cmd, "data-dir", &c.DataDir, dataDir) })
			if err != nil {
				return err
			}
			info, err := a.restore(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(a.out).Encode(info)
			}
			fmt.Fprintf(a.err, "%s holds instance %s as it was at %s. Go on with `meridian serve --data-dir %s`.\n", c.DataDir, info.Instance, info.Taken.Format(time.RFC3339), c.DataDir)
			return nil
		},
	}
	cmd.Flags().StringVar(&dataDir, "data-dir", "", "an empty folder, or one to make (default ./meridian-data)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was restored as JSON")
	return cmd
}

func (a *app) restore(ctx context.Context, c config.Config, path string) (info backupInfo, err error) {
	if err := embeddedOnly(c); err != nil {
		return info, err
	}
	archive := c.Archive.Dir
	if archive == "" {
		archive = filepath.Join(c.DataDir, "archive")
	}
	for _, dir := range []string{c.DataDir, archive} {
		if ok, err := emptyEnough(dir); err != nil || !ok {
			return info, errors.Join(err, fmt.Errorf("%s is not empty, and nothing is restored over anything; name an empty folder with --data-dir", dir))
		}
	}
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return info, fmt.Errorf("cannot make the data directory: %w; choose another with --data-dir", err)
	}
	lock, err := lockDirectory(ctx, c.DataDir)
	if err != nil {
		return info, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()

	var who []byte // instance.json comes last: without it the folder is no instance
	put := func(h *tar.Header, r io.Reader) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if h.Name == "instance.json" {
			who, err = io.ReadAll(r)
			return err
		}
		return unpack(c.DataDir, archive, h, r)
	}
	begun := func(info backupInfo) error {
		fmt.Fprintf(a.err, "Restoring %d files, %d MiB, of %s.\n", info.Files, info.Bytes>>20, info.Taken.Format(time.RFC3339))
		return nil
	}
	if isFolder(path) {
		info, err = readBackupFolder(path, begun, put)
	} else {
		info, err = readBackupFile(path, a.in, begun, put)
	}
	if err == nil && who == nil {
		err = fmt.Errorf("%w: it has no instance.json", errBackup)
	}
	if err == nil {
		err = writeFileSynced(filepath.Join(c.DataDir, "instance.json"), who)
	}
	if err != nil {
		return info, fmt.Errorf("nothing was restored; remove what is in %s before another try: %w", c.DataDir, err)
	}
	return info, nil
}

func readBackupFile(path string, stdin io.Reader, begun func(backupInfo) error, put func(*tar.Header, io.Reader) error) (backupInfo, error) {
	from := stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return backupInfo{}, fmt.Errorf("cannot read the backup: %w", err)
		}
		defer f.Close()
		from = f
	}
	plain, closePlain, err := decompressed(from)
	if err != nil {
		return backupInfo{}, fmt.Errorf("%w: %w", errBackup, err)
	}
	defer closePlain()
	return readBackup(plain, begun, put)
}

// decompressed reads gzip and zstd by their first bytes, and anything else as it is.
func decompressed(from io.Reader) (io.Reader, func(), error) {
	head := make([]byte, 4)
	n, err := io.ReadFull(from, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	whole := io.MultiReader(bytes.NewReader(head[:n]), from)
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(whole)
		return z, func() {}, err
	case bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(whole, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	}
	return whole, func() {}, nil
}

// readBackupFolder reads a backup that lies unpacked.
func readBackupFolder(dir string, begun func(backupInfo) error, put func(*tar.Header, io.Reader) error) (info backupInfo, err error) {
	data, err := os.ReadFile(filepath.Join(dir, backupHead))
	if err != nil || json.Unmarshal(data, &info) != nil {
		return info, fmt.Errorf("%w: %s has no %s", errBackup, dir, backupHead)
	}
	if info.Format != backupFormat {
		return info, fmt.Errorf("the backup has format %d, and this version reads %d; restore it with release %s of Meridian", info.Format, backupFormat, info.Release)
	}
	want, err := os.ReadFile(filepath.Join(dir, backupSums))
	if err != nil {
		return info, fmt.Errorf("%w: %w", errBackup, err)
	}
	if err := begun(info); err != nil {
		return info, err
	}
	have := map[string]string{}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || name == backupHead || name == backupSums {
			return err
		}
		h := &tar.Header{Name: filepath.ToSlash(name)}
		switch {
		case e.IsDir():
			h.Typeflag = tar.TypeDir
			return put(h, nil)
		case e.Type()&fs.ModeSymlink != 0:
			h.Typeflag = tar.TypeSymlink
			if h.Linkname, err = os.Readlink(path); err != nil {
				return err
			}
			return put(h, nil)
		}
		h.Typeflag = tar.TypeReg
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		hash := sha256.New()
		if err := put(h, io.TeeReader(f, hash)); err != nil {
			return err
		}
		have[h.Name] = hex.EncodeToString(hash.Sum(nil))
		return nil
	})
	if err == nil {
		err = checkSums(want, have)
	}
	return info, err
}
