package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"
)

// instance is a data directory that this process alone works in, and what never
// changes about it.
type instance struct {
	dir  string
	lock *flock.Flock

	process string // names this process among those of the instance
	instanceFile
}

// instanceFile is <data-dir>/instance.json. It holds the instance's key, so it
// is readable by its owner only, and is part of every backup: without it
// pseudonyms change.
type instanceFile struct {
	Key                []byte `json:"key"`                 // HMAC key of pseudonyms and e-mail hashes, 32 bytes
	DeliveryPartitions int32  `json:"delivery_partitions"` // pinned when the instance was made
}

const lockPatience = 10 * time.Second // a process that was just killed lets go of its lock by then

// openInstance locks dir, making it when it is new. A lock that stays held is
// exit code 4.
func openInstance(ctx context.Context, dir string, deliveryPartitions int32) (*instance, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the data directory: %w; choose another with --data-dir", err)
	}
	if err := unix.Access(dir, unix.W_OK); err != nil {
		return nil, withCode(exitUnavailable, fmt.Errorf("the data directory %s cannot be written to: %w; make it writable, or choose another with --data-dir", dir, err))
	}
	lock, err := lockDirectory(ctx, dir)
	if err != nil {
		return nil, err
	}
	in := &instance{dir: dir, lock: lock, process: rand.Text()[:8]}
	if err := errors.Join(in.read(deliveryPartitions), removePictures(dir)); err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return in, nil
}

// isLocked reports whether another process has dir now, so that who has to wait
// for it can say so.
func isLocked(dir string) bool {
	path := filepath.Join(dir, "LOCK")
	if _, err := os.Stat(path); err != nil {
		return false
	}
	lock := flock.New(path, flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if ok {
		err = lock.Unlock()
	}
	return !ok && err == nil
}

func lockDirectory(ctx context.Context, dir string) (*flock.Flock, error) {
	path := filepath.Join(dir, "LOCK")
	lock := flock.New(path, flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	ok, err := lock.TryLockContext(ctx, 100*time.Millisecond)
	switch {
	case ok:
		return lock, nil
	case err == nil, errors.Is(err, context.DeadlineExceeded):
		return nil, withCode(exitUnavailable, fmt.Errorf("the data directory %s is in use by another process; stop it, or choose another directory with --data-dir", dir))
	case errors.Is(err, context.Canceled):
		return nil, err
	}
	return nil, withCode(exitUnavailable, fmt.Errorf("cannot lock %s: %w", path, err))
}

func (in *instance) read(deliveryPartitions int32) error {
	path := in.path("instance.json")
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return in.make(path, deliveryPartitions)
	}
	if err != nil {
		return fmt.Errorf("cannot read what this instance is: %w", err)
	}
	if err := json.Unmarshal(data, &in.instanceFile); err != nil || len(in.Key) != 32 || in.DeliveryPartitions < 1 {
		return fmt.Errorf("%s is damaged; restore it from a backup, since without its key the pseudonyms of all people would change", path)
	}
	return nil
}

func (in *instance) make(path string, deliveryPartitions int32) error {
	in.instanceFile = instanceFile{Key: make([]byte, 32), DeliveryPartitions: deliveryPartitions}
	if _, err := rand.Read(in.Key); err != nil {
		return err
	}
	data, err := json.MarshalIndent(in.instanceFile, "", "  ")
	if err != nil {
		return err
	}
	if err := writeFileSynced(path, append(data, '\n')); err != nil {
		return fmt.Errorf("cannot write to the data directory: %w", err)
	}
	return nil
}

// id names the instance where its key must not stand.
func (in *instance) id() string {
	sum := sha256.Sum256(append([]byte("instance\x00"), in.Key...))
	return hex.EncodeToString(sum[:16])
}

func (in *instance) path(elem ...string) string {
	return filepath.Join(append([]string{in.dir}, elem...)...)
}

func (in *instance) close() error { return in.lock.Unlock() }

// writeFileSynced puts a file in place whole or not at all, also over a power cut.
func writeFileSynced(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
