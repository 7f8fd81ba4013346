package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockDir takes the data directory for this process; the kernel gives it back when the process ends, however it ends.
func lockDir(ctx context.Context, dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the embedded ClickHouse directory: %w", err)
	}
	lock := flock.New(filepath.Join(dir, "LOCK"))
	wait, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	if _, err := lock.TryLockContext(wait, 50*time.Millisecond); errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("%w: %s stayed locked for %v; stop the other Meridian, or give this one its own data directory", ErrLocked, dir, lockWait)
	} else if err != nil {
		return nil, fmt.Errorf("lock the embedded ClickHouse directory %s: %w", dir, err)
	}
	return func() { _ = lock.Unlock() }, nil
}
