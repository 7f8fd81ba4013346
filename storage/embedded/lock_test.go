package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"
)

// A directory whose process is on its way out is waited for; one that stays in use is not waited for for ever.
func TestLockWaits(t *testing.T) {
	for _, c := range []struct {
		held time.Duration
		want error
	}{{0, nil}, {lockWait - time.Second, nil}, {lockWait + time.Second, ErrLocked}} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			holder := flock.New(filepath.Join(dir, "LOCK"))
			if ok, err := holder.TryLock(); !ok {
				t.Fatal(err)
			}
			began := time.Now()
			go func() {
				time.Sleep(c.held)
				_ = holder.Unlock()
			}()
			unlock, err := lockDir(t.Context(), dir)
			if !errors.Is(err, c.want) {
				t.Fatalf("held for %v: got %v, want %v", c.held, err, c.want)
			}
			took := time.Since(began)
			if err == nil {
				unlock()
				if took < c.held {
					t.Errorf("held for %v: locked after %v", c.held, took)
				}
			} else if took != lockWait {
				t.Errorf("held for %v: gave up after %v, want %v", c.held, took, lockWait)
			}
			time.Sleep(2 * lockWait) // the holder's goroutine ends
		})
	}
}

// The socket has a name of a length that the system takes, however deep the directory is.
func TestSocketPath(t *testing.T) {
	path, cleanup, err := socketPath("/data/clickhouse")
	if err != nil || path != "/data/clickhouse/clickhouse.sock" {
		t.Errorf("got %s, %v", path, err)
	}
	cleanup()
	deep := "/" + string(make([]byte, maxSocketPath))
	path, cleanup, err = socketPath(deep)
	if err != nil || len(path) > maxSocketPath {
		t.Fatalf("got %s, %v", path, err)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory of the socket is not private: %v, %v", info, err)
	}
	cleanup()
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Error("the temporary directory stays")
	}
}
