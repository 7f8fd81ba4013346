package metrics_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"meridian/metrics"
)

// docs/metrics.md is what the passports say; -rewrite writes it.
func TestReferencePage(t *testing.T) {
	const file = "../docs/metrics.md"
	got := referencePage()
	if rewriting() {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not what the passports say: go test ./metrics -run TestReferencePage -rewrite", file)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "docs/metrics.md") {
		t.Error("README.md does not lead to it")
	}
}

func referencePage() string {
	var b strings.Builder
	b.WriteString(`# Metrics

<!-- Made from the passports in metrics/ by: go test ./metrics -run TestReferencePage -rewrite -->

What each number means, in the words that its page, ` + "`meridian metrics explain NAME`" + ` and the API
(` + "`/api/v1/metrics`" + `) use too. For all of them:

* No value is null with a reason, never 0. A count is 0 only where its sources are covered.
* Medians are true medians of the values of the window. Windows are the team's local hours, its local
  days, and 30 local days that end with a day.
* An observation is dated by its end. Facts may come in any order, and the result is the same.
* What was left out of the population is ` + "`excluded`" + `, what did not count is ` + "`ignored`" + `, each counted by its
  [reason](#reasons) beside the number. So are late, dropped and duplicate events.
* A person in two teams counts in each, and once in the organisation. Bots are told by their type, a
  login that ends in ` + "`[bot]`" + `, or the catalog's patterns, everywhere alike.
* An organisation can switch metrics off, declare [variations](configuration.md#variations), and give
  its teams targets, which charts show as a band.

`)
	var family metrics.Family
	for _, d := range metrics.Definitions() {
		if d.Family != family {
			if family != "" {
				b.WriteByte('\n')
			}
			family = d.Family
			fmt.Fprintf(&b, "**%s**\n\n", family)
		}
		fmt.Fprintf(&b, "* [%s](#%s): %s\n", d.Name, anchor(d), d.Passport.Question)
	}
	family = ""
	for _, d := range metrics.Definitions() {
		if d.Family != family {
			family = d.Family
			fmt.Fprintf(&b, "\n## %s\n", family)
		}
		fmt.Fprintf(&b, "\n### %s: `%s`\n\n%s\n\n", d.Passport.Title, d.Name, d.Passport.Question)
		for _, f := range d.Facts() {
			if f.Text != "" {
				fmt.Fprintf(&b, "* **%s**: %s\n", f.Name, f.Text)
				continue
			}
			fmt.Fprintf(&b, "* **%s**\n", f.Name)
			for _, item := range f.Items {
				fmt.Fprintf(&b, "  * %s\n", item)
			}
		}
	}
	b.WriteString("\n## Reasons\n\n| reason | |\n| --- | --- |\n")
	for _, r := range metrics.Reasons() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", r, r.Sentence())
	}
	return b.String()
}

var noAnchor = regexp.MustCompile("[^a-z0-9 _-]")

// anchor is the one that a heading gets.
func anchor(d *metrics.Definition) string {
	heading := strings.ToLower(d.Passport.Title + ": " + string(d.Name))
	return strings.ReplaceAll(noAnchor.ReplaceAllString(heading, ""), " ", "-")
}
