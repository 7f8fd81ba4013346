package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"

	"meridian/e2e/service"
)

// A Browser is one Chromium process with an empty profile. Tabs of one Browser may be used in parallel.
type Browser struct {
	ctx  context.Context // of the first tab, which keeps the process alive
	stop func()
}

// Find is the Chromium to run: the one that CHROMIUM names, else the first on the path.
func Find() (string, error) {
	names := []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome"}
	if named := os.Getenv("CHROMIUM"); named != "" {
		names = []string{named}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNotInstalled
}

// Start runs a Chromium whose profile is dir, which must be empty. It ends with Stop, or with ctx.
func Start(ctx context.Context, dir string) (*Browser, error) {
	path, err := Find()
	if err != nil {
		return nil, err
	}
	allocator, cancelAllocator := chromedp.NewExecAllocator(ctx, flags(path, dir)...)
	first, cancelFirst := chromedp.NewContext(allocator)
	stop := func() {
		_ = chromedp.Cancel(first) // closes the browser and waits; an error means it was gone already
		cancelFirst()
		cancelAllocator()
	}
	if err := chromedp.Do(first); err != nil {
		stop()
		return nil, fmt.Errorf("start Chromium (%s): %w", path, err)
	}
	return &Browser{ctx: first, stop: stop}, nil
}

// Stop closes the browser with all its tabs and waits until its process is gone.
func (b *Browser) Stop() { b.stop() }

// ForTest runs a browser for one test and stops it when the test ends. Without Chromium the test is skipped, or
// fails where services are required.
func ForTest(t testing.TB) *Browser {
	t.Helper()
	// Not t.Context, which ends before cleanup functions run: the browser is closed in order by then.
	b, err := Start(context.Background(), t.TempDir())
	if errors.Is(err, ErrNotInstalled) {
		service.Missing(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Stop)
	return b
}
