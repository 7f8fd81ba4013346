package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// unnamedFile makes a file in a folder that has no name until it gets one: whatever
// ends this process, half a file of people's data is not left behind. ok is false
// where the file system, or what runs us, does not have such files.
func unnamedFile(dir string) (_ *os.File, ok bool) {
	open := func() (*os.File, error) {
		fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
		if err != nil {
			return nil, err
		}
		return os.NewFile(uintptr(fd), filepath.Join(dir, "unnamed")), nil
	}
	// Whether one can be named is tried before an hour of writing, with another: a
	// file that has lost its name gets no second one.
	probe, err := open()
	if err != nil {
		return nil, false
	}
	defer probe.Close()
	name := filepath.Join(dir, ".meridian-"+rand.Text()[:8])
	if err := errors.Join(nameFile(probe, name), os.Remove(name)); err != nil {
		return nil, false
	}
	f, err := open()
	return f, err == nil
}

// nameFile gives an unnamed file a name that nothing has yet.
func nameFile(f *os.File, path string) error {
	return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
}
