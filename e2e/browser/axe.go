package browser

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/chromedp/chromedp"

	"meridian/e2e/service"
)

// A Violation is a rule of accessibility that the page breaks, with the elements that break it.
type Violation struct {
	ID     string `json:"id"`
	Impact Impact `json:"impact"`
	Help   string `json:"help"`
	Nodes  []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// Impact is axe-core's word for how much a violation hinders people.
type Impact string

// The impacts, from least to most.
const (
	Minor    Impact = "minor"
	Moderate Impact = "moderate"
	Serious  Impact = "serious"
	Critical Impact = "critical"
)

// String is one line a broken rule and one an element, for a test's failure.
func (v Violation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s", v.ID, v.Impact, v.Help)
	for _, n := range v.Nodes {
		fmt.Fprintf(&b, "\n\t%s\n\t\t%s", n.HTML, strings.ReplaceAll(n.Summary, "\n", "\n\t\t"))
	}
	return b.String()
}

// Axe runs axe-core on the page as it stands and returns what it finds, of every impact.
func (tab *Tab) Axe() ([]Violation, error) {
	path, err := service.Tree("node_modules", "axe-core", "axe.min.js")
	if err != nil {
		return nil, err
	}
	axe, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, ErrNoAxe
	}
	if err != nil {
		return nil, fmt.Errorf("read axe-core: %w", err)
	}
	// Evaluated through the debugger, so the page's own content security policy stays as strict as it is.
	if _, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[bool](string(axe)+"\n;true")); err != nil {
		return nil, fmt.Errorf("load axe-core into the page: %w", err)
	}
	found, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[[]Violation](
		`axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations)`, chromedp.EvalAwaitPromise))
	if err != nil {
		return nil, fmt.Errorf("run axe-core: %w", err)
	}
	return found, nil
}

// AtLeast keeps the violations of that impact and worse ones.
func AtLeast(least Impact, found []Violation) []Violation {
	rank := map[Impact]int{Minor: 1, Moderate: 2, Serious: 3, Critical: 4}
	var kept []Violation
	for _, v := range found {
		if rank[v.Impact] >= rank[least] {
			kept = append(kept, v)
		}
	}
	return kept
}
