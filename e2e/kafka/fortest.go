package kafka

import (
	"errors"
	"testing"

	"meridian/e2e/service"
)

// ForTest runs a broker in a temporary directory for one test, and stops it when the test ends. Without Java or
// the jars the test is skipped, or fails where services are required.
func ForTest(t testing.TB) *Broker {
	t.Helper()
	b, err := Start(t.TempDir())
	if errors.Is(err, ErrNotInstalled) {
		service.Missing(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Kill) // nothing on its disk will be read again, so an orderly end would only cost time
	return b
}
