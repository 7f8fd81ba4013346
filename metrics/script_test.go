package metrics_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"meridian/ingest/catalog"
	"meridian/metrics"
	"meridian/streaming/timeline"
)

// rewriting reports whether what the engine answers is to be written into
// testdata/*.txt: -rewrite, a flag of the package that plays the engine's own
// scripts.
func rewriting() bool { return flag.Lookup("rewrite").Value.String() == "true" }

// A script tells what happened, in words, and what the points then are. It is
// a list of cases: a comment that says what is shown, facts in order of their
// delivery, ----, and the points as they stand after the last tick.
//
//	# A bot's instant review does not stop the clock.
//	09:00:00 pr opened acme/web#7 by mai
//	09:00:20 pr reviewed acme/web#7 by copilot[bot]
//	11:30:00 pr reviewed acme/web#7 by jonas
//	tick 13:00
//	----
//	pr_pickup_time acme/web [11:00,12:00) n=1 p50=9000s ignored bot=1
//
// A line begins with the time of its fact; what else it may say is in
// facts_test.go. Besides facts there are
//
//	date 2026-03-02           of the times that follow; the first is 2026-03-02
//	tick 13:00                every event until then has come
//	again                     the last delivery once more
//	show NAME...              metrics to print; else the one that the file is named for
//	grain hour|day|day30...   windows to print; else hours
//	gauge 13:00               print the gauges among the metrics as they stand at that time
//	organisation              print the days of all teams merged, and of no team
//	rejects                   print what was set aside as well
//	team NAME                 print the points of this team alone
//	print every emission      instead of how things stand after the last tick
//	count                     print how many points there are of each n
//	variation NAME of METRIC [start FACT] [environment PATTERN] [people WHO]
//	catalog                   the indented lines that follow are the catalog's YAML
//
// Answers are worked out by hand; -rewrite is for the layout of lines.
type scriptCase struct {
	file    string
	number  int // of its first line
	comment []string
	lines   []scriptLine
	want    []string
}

type scriptLine struct {
	number int
	text   string
}

func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			cases := readScript(t, file)
			for i := range cases {
				c := &cases[i]
				r := playScript(t, c)
				got := r.answer()
				if restored := playScript(t, c, restoring); !slices.Equal(restored.answer(), got) {
					t.Errorf("%s:%d: restored after every round it is\n%s", file, c.number, strings.Join(restored.answer(), "\n"))
				}
				if rewriting() {
					c.want = got
				} else if !slices.Equal(got, c.want) {
					t.Errorf("%s:%d: %s\ngot\n  %s\nwant\n  %s", file, c.number, strings.Join(c.comment, " "),
						strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
				}
			}
			if rewriting() {
				writeScript(t, file, cases)
			}
		})
	}
}

// Each metric has a script of its name.
func TestEveryMetricHasAScript(t *testing.T) {
	for _, d := range metrics.Definitions() {
		if _, err := os.Stat(filepath.Join("testdata", string(d.Name)+".txt")); err != nil {
			t.Errorf("%s: %v", d.Name, err)
		}
	}
}

func readScript(t *testing.T, file string) []scriptCase {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []scriptCase
	c := scriptCase{file: file}
	answers := false
	end := func() {
		if len(c.lines) > 0 {
			cases = append(cases, c)
		}
		c, answers = scriptCase{file: file}, false
	}
	for i, text := range strings.Split(string(data), "\n") {
		text = strings.TrimRight(text, " \t")
		switch {
		case text == "":
			if answers || len(c.lines) > 0 {
				end()
			}
		case text == "----":
			answers = true
		case answers:
			c.want = append(c.want, text)
		case strings.HasPrefix(text, "#"):
			c.comment = append(c.comment, text)
		default:
			if c.number == 0 {
				c.number = i + 1
			}
			c.lines = append(c.lines, scriptLine{i + 1, text})
		}
	}
	end()
	return cases
}

func writeScript(t *testing.T, file string, cases []scriptCase) {
	t.Helper()
	var b strings.Builder
	for i, c := range cases {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, text := range c.comment {
			fmt.Fprintln(&b, text)
		}
		for _, l := range c.lines {
			fmt.Fprintln(&b, l.text)
		}
		fmt.Fprintln(&b, "----")
		for _, text := range c.want {
			fmt.Fprintln(&b, text)
		}
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// run is a case while it is played.
type run struct {
	t    *testing.T
	c    *scriptCase
	line scriptLine

	date   timeline.Date
	world  *world
	stage  *stages
	show   []metrics.Name
	grains []metrics.Grain
	team   string
	every  bool
	count  bool
	last   *fact // the last delivery
	tick   timeline.Millis
	out    []string // every emission

	variations  []metrics.Variation
	definitions []*metrics.Definition

	merged, rejects bool
	setAside        []string

	instants  []timeline.Millis // of gauges
	intervals map[string]*metrics.ObservationRow
}

func (r *run) fail(format string, args ...any) {
	r.t.Helper()
	r.t.Fatalf("%s:%d: %s: %s", r.c.file, r.line.number, r.line.text, fmt.Sprintf(format, args...))
}

// restoring plays a case through a snapshot after every round.
const restoring = true

func playScript(t *testing.T, c *scriptCase, restore ...bool) *run {
	t.Helper()
	r := &run{t: t, c: c, date: timeline.MakeDate(2026, 3, 2), world: newWorld(), grains: []metrics.Grain{metrics.Hour},
		intervals: map[string]*metrics.ObservationRow{}}
	if name := metrics.Name(strings.TrimSuffix(filepath.Base(c.file), ".txt")); metrics.Find(name) != nil {
		r.show = []metrics.Name{name}
	}
	lines := r.catalog(c.lines)
	r.stage.restore = len(restore) > 0

	// A payload states its pull request as it is at its fact, so all facts have
	// to be known before the first delivery.
	steps := make([]*fact, len(lines))
	for i, l := range lines {
		r.line = l
		steps[i] = r.read(l.text)
	}
	r.date = timeline.MakeDate(2026, 3, 2)
	for i, l := range lines {
		r.line = l
		r.step(steps[i], strings.Fields(l.text))
	}
	return r
}

// catalog reads the catalog and returns the other lines.
func (r *run) catalog(lines []scriptLine) []scriptLine {
	var yaml strings.Builder
	var rest []scriptLine
	inside := false
	for _, l := range lines {
		switch {
		case l.text == "catalog":
			inside = true
		case strings.HasPrefix(l.text, "variation "):
			r.vary(strings.Fields(l.text)[1:])
		case inside && strings.HasPrefix(l.text, " "):
			yaml.WriteString(l.text + "\n")
		default:
			inside = false
			rest = append(rest, l)
		}
	}
	options := catalog.Options{Key: make([]byte, 32)}
	known := catalog.Empty(options)
	if yaml.Len() > 0 {
		var err error
		if known, err = catalog.Parse("catalog.yaml", []byte(yaml.String()), options); err != nil {
			r.t.Fatalf("%s:%d: %v", r.c.file, r.c.number, err)
		}
	}
	definitions, err := metrics.With(r.variations)
	if err != nil {
		r.t.Fatalf("%s:%d: %v", r.c.file, r.c.number, err)
	}
	r.definitions = definitions
	r.stage = newStages(r.t, known, definitions, metrics.Folds())
	r.stage.emit = r.emitted
	return rest
}

// read returns the fact that a line tells, or nil for any other line.
func (r *run) read(text string) *fact {
	words := strings.Fields(text)
	switch words[0] {
	case "date":
		d, err := timeline.ParseDate(words[1])
		if err != nil {
			r.fail("%v", err)
		}
		r.date = d
		return nil
	case "tick", "again", "show", "grain", "gauge", "organisation", "rejects", "team", "print", "count":
		return nil
	}
	f := &fact{at: r.instant(words[0]), words: words[1:], line: r.line.number, fail: r.fail, day: r.date}
	r.world.learn(f)
	return f
}

func (r *run) step(f *fact, words []string) {
	switch words[0] {
	case "date":
		r.read(r.line.text)
	case "tick":
		r.tick = r.instant(words[1])
		r.stage.tick(r.tick)
	case "again":
		f := *r.last
		if len(words) > 1 {
			f.received = r.instant(words[1])
		}
		r.deliver(&f)
	case "show":
		r.show = nil
		for _, name := range words[1:] {
			if r.find(metrics.Name(name)) == nil {
				r.fail("there is no metric %s", name)
			}
			r.show = append(r.show, metrics.Name(name))
		}
	case "grain":
		r.grains = nil
		for _, g := range words[1:] {
			r.grains = append(r.grains, metrics.Grain(g))
		}
	case "gauge":
		r.instants = append(r.instants, r.instant(words[1]))
	case "organisation":
		r.merged = true
	case "rejects":
		r.rejects = true
	case "team":
		r.team = words[1]
	case "print":
		r.every = true
	case "count":
		r.count = true
	default:
		f.received = f.at
		if w, ok := f.option("received"); ok {
			f.received = r.instant(w)
		}
		r.deliver(f)
	}
}

func (r *run) deliver(f *fact) {
	r.last = f
	f.received = max(f.received, r.stage.received)
	r.stage.deliver(f.received, r.world.events(f))
}

// instant reads 09:00, 09:00:20.5 or a whole instant.
func (r *run) instant(s string) timeline.Millis {
	if !strings.Contains(s, "T") {
		if strings.Count(s, ":") == 1 {
			s += ":00"
		}
		s = r.date.String() + "T" + s + "Z"
	}
	m, err := timeline.ParseInstant(s)
	if err != nil {
		r.fail("%v", err)
	}
	return m
}

func (r *run) emitted(row metrics.Row) {
	if o, ok := row.(*metrics.ObservationRow); ok && r.find(o.Metric).Statistic == metrics.Gauge {
		r.intervals[strings.Join([]string{o.Team, string(o.Metric), o.Service, string(o.Entity), o.Item, o.At.String()}, "|")] = o
	}
	if x, ok := row.(*metrics.RejectRow); ok && r.rejects {
		r.setAside = append(r.setAside, fmt.Sprintf("%s %s at %s: %s %s", x.Team, x.Kind, clockOf(x.Time, timeline.UTC()), x.Verdict, x.Reason))
	}
	if p, ok := row.(*metrics.Point); ok && r.every && r.shown(p) {
		r.out = append(r.out, "at "+clockOf(p.Version.Round().Clock(), timeline.UTC())+" "+describePoint(p))
	}
}

func (r *run) shown(p *metrics.Point) bool {
	return slices.Contains(r.show, p.Metric) && slices.Contains(r.grains, p.Grain) && (r.team == "" || r.team == p.Team)
}

// answer is what the case has come to.
func (r *run) answer() []string {
	if r.every {
		return r.out
	}
	var out []string
	points := map[string]int{}
	if r.merged {
		out = r.organisation()
	}
	for p := range r.stage.engine.Final() {
		if !r.merged && r.shown(p) {
			points[fmt.Sprintf("points of one %s with n=%d: ", p.Grain, p.N())]++
			out = append(out, describePoint(p))
		}
	}
	out = append(out, r.gauges()...)
	out = append(out, r.setAside...)
	if !r.count {
		return out
	}
	out = nil
	for _, k := range slices.Sorted(maps.Keys(points)) {
		out = append(out, k+strconv.Itoa(points[k]))
	}
	return out
}
