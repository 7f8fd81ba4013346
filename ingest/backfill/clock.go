package backfill

import (
	"context"
	"time"
)

// Clock is the time by which a backfill waits.
type Clock interface {
	Now() time.Time

	// Sleep returns nil after d, or the context's error when that ends first.
	Sleep(ctx context.Context, d time.Duration) error
}

// WallClock is the machine's.
type WallClock struct{}

// Now returns the time.
func (WallClock) Now() time.Time { return time.Now() }

// Sleep waits.
func (WallClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
