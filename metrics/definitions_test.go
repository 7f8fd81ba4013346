package metrics_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"meridian/ingest/event"
	"meridian/metrics"
)

// Every passport is complete: nobody should have to read code to know what a
// number means.
func TestPassportsAreComplete(t *testing.T) {
	name := regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	seen := map[metrics.Name]bool{}
	for _, d := range metrics.Definitions() {
		p := d.Passport
		for what, missing := range map[string]bool{
			"a name of small letters":       !name.MatchString(string(d.Name)) || seen[d.Name],
			"a family":                      d.Family == "",
			"a title":                       p.Title == "",
			"a question":                    !strings.HasSuffix(p.Question, "?"),
			"an end":                        p.End == "",
			"a start, being a duration":     (d.Statistic == metrics.MedianDuration || d.Statistic == metrics.CountLength) != (p.Start != ""),
			"a reference":                   p.Reference == "",
			"words for what it shows":       p.Shows == "",
			"a better side, or none":        p.Better != "" && p.Better != "lower" && p.Better != "higher",
			"what is left out":              len(p.LeftOut) == 0,
			"caveats":                       len(p.Caveats) == 0,
			"a zone, being of local time":   d.Zones != (p.Zone != ""),
			"sources":                       len(d.Sources) == 0,
			"a place for late data":         d.Late != metrics.SideOutput,
			"a decision about final rows":   d.Refire != metrics.Revise && d.Refire != metrics.Freeze,
			"a sensitivity":                 d.Sensitivity == 0,
			"a statistic, subject, formula": d.Statistic == 0 || d.Subject == 0 || d.Observe == nil,
		} {
			if missing {
				t.Errorf("%s lacks %s", d.Name, what)
			}
		}
		seen[d.Name] = true
		if metrics.Find(d.Name) != d {
			t.Errorf("%s is another value each time it is asked for", d.Name)
		}
	}
	if metrics.Find("no_such_metric") != nil {
		t.Error("there is a metric no_such_metric")
	}
}

// Sources whose bounds a metric's clock waits for: "Details that decide numbers".
func TestSources(t *testing.T) {
	for _, d := range metrics.Definitions() {
		if d.Subject == metrics.SubjectPullRequest && (!slices.Equal(d.Sources, []event.Source{event.GitHub}) || d.Wait != 0 || d.Accept != 0) {
			t.Errorf("%s reads %v, waits %d and accepts for %d", d.Name, d.Sources, d.Wait, d.Accept)
		}
	}
	for name, want := range map[metrics.Name][]event.Source{
		"deploy_frequency": {event.GitHub, event.Deploy},
		"issue_cycle_time": {event.GitHub, event.Jira},
		"after_hours":      {event.GitHub, event.Jira, event.Deploy},
	} {
		if d := metrics.Find(name); !slices.Equal(d.Sources, want) || d.Wait != 0 || d.Accept != 0 {
			t.Errorf("%s reads %v, waits %d and accepts for %d", name, d.Sources, d.Wait, d.Accept)
		}
	}
}

// A reason that an observation can have stands in the closed list, and every
// passport's reason does.
func TestReasons(t *testing.T) {
	all := metrics.Reasons()
	if len(all) != 23 {
		t.Errorf("there are %d reasons; the definitions name 23", len(all))
	}
	for _, r := range all {
		s := r.Sentence()
		if s == string(r) || !strings.HasSuffix(s, ".") || strings.Contains(s, "_") {
			t.Errorf("%s has no sentence: %q", r, s)
		}
	}
	inPassport := regexp.MustCompile(`\(([a-z_]+)\)`)
	for _, d := range metrics.Definitions() {
		for _, text := range d.Passport.LeftOut {
			for _, m := range inPassport.FindAllStringSubmatch(text, -1) {
				if !slices.Contains(all, metrics.Reason(m[1])) {
					t.Errorf("%s is left out for %q, which is no reason", d.Name, m[1])
				}
			}
		}
	}
	if s := metrics.Reason("").Sentence(); s != "" {
		t.Errorf("no reason says %q", s)
	}
}

// The list and one passport, as people read them.
func TestExplain(t *testing.T) {
	const file = "testdata/explain.golden"
	got := metrics.List(metrics.Definitions()) + "\n" + metrics.Find("deploy_frequency").Explain()
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
		t.Errorf("it is\n%s", got)
	}
	for _, d := range metrics.Definitions() {
		for line := range strings.Lines(d.Explain()) {
			if len(line) > 101 {
				t.Errorf("%s: a line of %d columns: %s", d.Name, len(line), line)
			}
		}
	}
}

func TestExplanationJSON(t *testing.T) {
	data, err := json.Marshal(metrics.Find("after_hours").Explanation())
	if err != nil {
		t.Fatal(err)
	}
	var e map[string]any
	if err := json.Unmarshal(data, &e); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"name": "after_hours", "family": "People and time", "unit": "share", "unit_day30": "share", "better": "lower",
		"sensitivity": "person", "services": false,
	} {
		if e[key] != want {
			t.Errorf("%s is %v, not %v", key, e[key], want)
		}
	}
	if _, ok := e["start"]; ok {
		t.Error("a share has a start")
	}
	if len(metrics.ExplainAll(metrics.Definitions())) != len(metrics.Definitions()) {
		t.Error("not every metric is explained")
	}
}
