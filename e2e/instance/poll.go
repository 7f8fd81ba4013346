package instance

import (
	"fmt"
	"testing"
	"time"
)

// Poll calls try until it returns nil, about ten times a second, and returns its last error when the limit is over.
func Poll(limit time.Duration, try func() error) error {
	deadline := time.Now().Add(limit)
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		err := try()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not within %v: %w", limit, err)
		}
		<-again.C
	}
}

// Await is Poll with a limit that only a hang exceeds; it fails the test then.
func Await(t testing.TB, try func() error) {
	t.Helper()
	if err := Poll(patience, try); err != nil {
		t.Fatal(err)
	}
}
