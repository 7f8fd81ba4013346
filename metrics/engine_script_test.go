package metrics

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// Scripts of the engine's own rules, over the tests' metrics: what happens to
// windows, observations and state, whatever a metric means. What metrics mean
// is in testdata/*.txt.
//
//	engine [zone=Z] [metrics=(t_wait,...)] [refire=freeze] [accept=20m] [wait=1h] [history=INSTANT] [horizon=20d]
//	run                                   lines of
//	  send TEAM ENTITY KIND TIME [bot] [service=S] [clock=TIME] [late]
//	  act TEAM PERSON KEY TIME [service=S] told to the person's line and the service's
//	  tick TIME
//	  restore                             from a snapshot of now
//	  state                               Describe
//	  show GRAIN...                       of points; the first is all
//
// KIND is opened, reviewed, merged or closed. A TIME is 09:00, of 2026-03-02
// unless a date was given: 03-04T09:00. Each script is played a second time with
// a restore after every line, and must answer the same.
type engineScript struct {
	rig     *rig
	restore bool
	show    []string
	out     strings.Builder
}

func TestEngineScripts(t *testing.T) {
	for _, restore := range []bool{false, true} {
		name := map[bool]string{false: "plain", true: "restored after each line"}[restore]
		t.Run(name, func(t *testing.T) {
			datadriven.Walk(t, "testdata/engine", func(t *testing.T, path string) {
				s := &engineScript{restore: restore}
				datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
					switch d.Cmd {
					case "engine":
						s.rig, s.show = newRig(t, scriptConfig(t, d)), nil
						return ""
					case "run":
						s.out.Reset()
						s.rig.t = t
						for line := range strings.Lines(d.Input) {
							s.step(t, d.Pos, strings.Fields(line))
						}
						return s.out.String()
					}
					d.Fatalf(t, "unknown command %q; there are engine and run", d.Cmd)
					return ""
				})
			})
		})
	}
}

func scriptConfig(t *testing.T, d *datadriven.TestData) Config {
	zone := "UTC"
	d.MaybeScanArgs(t, "zone", &zone)
	c := testConfig(t, zone)
	length := func(key string) (m timeline.Millis) {
		var text string
		if d.MaybeScanArgs(t, key, &text) {
			var err error
			if m, err = timeline.ParseLength(text); err != nil {
				d.Fatalf(t, "%s: %v", key, err)
			}
		}
		return m
	}
	if h := length("horizon"); h != 0 {
		c.Horizon = h
	}
	accept, wait := length("accept"), length("wait")
	var refire string
	d.MaybeScanArgs(t, "refire", &refire)
	var metrics []string
	for _, arg := range d.CmdArgs {
		if arg.Key == "metrics" {
			metrics = arg.Vals
		}
	}
	c.Definitions = slices.DeleteFunc(c.Definitions, func(m *Definition) bool { return len(metrics) > 0 && !slices.Contains(metrics, string(m.Name)) })
	for _, m := range c.Definitions {
		m.Accept, m.Wait = accept, m.Wait+wait
		if refire == "freeze" {
			m.Refire = Freeze
		}
	}
	return c
}

func (s *engineScript) step(t *testing.T, pos string, words []string) {
	t.Helper()
	at := func(word string) string {
		date, clock, found := strings.Cut(word, "T")
		if !found {
			date, clock = "03-02", word
		}
		if len(date) == len("03-02") {
			date = "2026-" + date
		}
		if len(clock) == len("09:00") {
			clock += ":00"
		}
		return date + "T" + clock + "Z"
	}
	options := func(r *event.Routed) {
		for _, w := range words[5:] {
			key, value, _ := strings.Cut(w, "=")
			switch key {
			case "bot":
				r.Actor.Bot = true
			case "service":
				r.Service, r.Services = value, []string{value}
			case "clock":
				r.Clock = instant(t, at(value))
			case "late":
				r.Verdict = event.Late
			default:
				t.Fatalf("%s: unknown option %q", pos, w)
			}
		}
	}
	g := s.rig
	switch words[0] {
	case "send":
		kind, ok := map[string]event.Kind{
			"opened": event.PullRequestOpened, "reviewed": event.ReviewSubmitted, "merged": event.PullRequestMerged, "closed": event.PullRequestClosed,
		}[words[3]]
		if !ok {
			t.Fatalf("%s: unknown kind %q", pos, words[3])
		}
		g.send(words[1], words[2], kind, at(words[4]), options)
	case "act":
		m := instant(t, at(words[4]))
		r := event.Routed{
			Copy: event.Activity, Team: words[1], Verdict: event.Accepted, Received: m, Clock: g.engine.Clock(),
			Actor: event.Person{ID: event.PersonID{words[2][0]}}, Act: &event.Act{Key: words[3], At: m, Known: event.ZoneConfigured},
			Event: event.Event{ID: event.NewID(words[3]), Source: event.GitHub, Time: m},
		}
		options(&r)
		g.apply(r)
	case "tick":
		g.tick(at(words[1]))
		s.rows()
	case "restore":
		g.engine = restored(t, g.config, g.engine)
	case "state":
		fmt.Fprintln(&s.out, g.engine.Describe())
	case "show":
		s.show = words[1:]
	default:
		t.Fatalf("%s: unknown step %v", pos, words)
	}
	if s.restore {
		g.engine = restored(t, g.config, g.engine)
	}
}

func (s *engineScript) rows() {
	for _, row := range s.rig.rows {
		switch r := row.(type) {
		case *Point:
			if len(s.show) == 0 || slices.Contains(s.show, string(r.Grain)) {
				fmt.Fprintln(&s.out, short(r))
			}
		case *ObservationRow:
			what := "observed"
			if r.Outcome != Observed {
				what = string(r.Reason)
			}
			if r.Deleted {
				what = "gone"
			}
			fmt.Fprintf(&s.out, "  %s %s: %s at %s", strings.TrimSpace(string(r.Entity)+" "+r.Item), r.Metric, what, r.At)
			switch {
			case r.Deleted || r.Outcome != Observed:
			case r.Value == StillOpen:
				s.out.WriteString(", still open")
			default:
				fmt.Fprintf(&s.out, ", %d", r.Value)
			}
			s.out.WriteByte('\n')
		case *RejectRow:
			fmt.Fprintf(&s.out, "  reject: %s of %s %s: %s\n", strings.TrimSpace(r.Verdict.String()+" "+r.Reason), r.Entity, r.Kind, r.Detail)
		}
	}
}
