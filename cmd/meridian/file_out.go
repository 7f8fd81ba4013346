package main

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// fileOut is a file that comes into its place when it is whole, compressed as its
// name says. What it is to hold is people's data, so it is its owner's alone.
type fileOut struct {
	io.Writer
	closers []func() error // the outermost first
	file    *os.File       // nil: standard output
	unnamed bool           // it has no name yet, and a crash leaves nothing
	path    string
}

// createFile begins a file; - is standard output.
func createFile(path string, stdout io.Writer) (*fileOut, error) {
	f := &fileOut{path: path}
	base := stdout
	if path != "-" {
		file, ok := unnamedFile(filepath.Dir(path))
		if !ok {
			var err error
			if file, err = os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*"); err != nil {
				return nil, fmt.Errorf("cannot write %s: %w", path, err)
			}
		}
		f.file, f.unnamed, base = file, ok, file
	}
	buffer := bufio.NewWriterSize(base, 256<<10)
	f.Writer, f.closers = buffer, []func() error{buffer.Flush}
	switch {
	case strings.HasSuffix(path, ".gz"), strings.HasSuffix(path, ".tgz"):
		z := gzip.NewWriter(buffer)
		f.Writer, f.closers = z, append([]func() error{z.Close}, f.closers...)
	case strings.HasSuffix(path, ".zst"):
		z, err := zstd.NewWriter(buffer, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return nil, errors.Join(err, f.close(false))
		}
		f.Writer, f.closers = z, append([]func() error{z.Close}, f.closers...)
	}
	return f, nil
}

// close puts the file in its place when it is whole, else removes it.
func (f *fileOut) close(whole bool) error {
	var errs []error
	for _, c := range f.closers {
		errs = append(errs, c())
	}
	err := errors.Join(errs...)
	if f.file == nil {
		return err
	}
	name := f.file.Name()
	if err == nil && whole {
		err = f.file.Sync()
		if err == nil && f.unnamed { // a name that is taken can only be taken over by one that is there
			name = filepath.Join(filepath.Dir(f.path), "."+filepath.Base(f.path)+"."+rand.Text()[:8])
			err = nameFile(f.file, name)
			f.unnamed = err != nil
		}
	}
	err = errors.Join(err, f.file.Close())
	if err == nil && whole {
		err = os.Rename(name, f.path)
	}
	if (err != nil || !whole) && !f.unnamed {
		err = errors.Join(err, os.Remove(name))
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", f.path, err)
	}
	return nil
}
