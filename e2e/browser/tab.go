package browser

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// A Tab is one page being looked at. Ctx is what chromedp.Do and chromedp.Run take; a Tab is used by one goroutine.
type Tab struct {
	Ctx context.Context

	console  func() (chromedp.ConsoleMessage, error, bool)
	marks    int
	problems []string
}

// Tab opens an empty tab that closes when the test ends. Everything done in it must be over within the limit.
func (b *Browser) Tab(t testing.TB, limit time.Duration) *Tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(b.ctx)
	t.Cleanup(closeTab)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	next, stop := iter.Pull2(chromedp.Console(ctx))
	t.Cleanup(stop)
	limited, cancel := context.WithTimeout(ctx, limit)
	t.Cleanup(cancel)
	return &Tab{Ctx: limited, console: next}
}

// Problems are the errors that the page has written to its console: exceptions that nothing caught, blocked scripts
// and styles, requests that failed. All that happened before the call are there, for the console keeps its order and
// is read up to a mark of ours.
func (tab *Tab) Problems() ([]string, error) {
	tab.marks++
	mark := fmt.Sprintf("read up to here: %d", tab.marks)
	script := fmt.Sprintf("console.debug(%q), true", mark)
	if _, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[bool](script)); err != nil {
		return nil, fmt.Errorf("read the page's console: %w", err)
	}
	for {
		m, err, ok := tab.console()
		switch {
		case err != nil:
			return nil, fmt.Errorf("read the page's console: %w", err)
		case !ok:
			return nil, fmt.Errorf("read the page's console: the tab is closed")
		case m.Text == mark:
			return tab.problems, nil
		case m.Type == chromedp.ConsoleError || m.IsException():
			tab.problems = append(tab.problems, m.String())
		}
	}
}
