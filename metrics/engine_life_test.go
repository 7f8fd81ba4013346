package metrics

import (
	"fmt"
	"slices"
	"testing"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

func ofMetric(name Name) (ds []*Definition) {
	for _, d := range testDefinitions() {
		if d.Name == name {
			ds = append(ds, d)
		}
	}
	return ds
}

func TestEngineEmitsAndCloses(t *testing.T) {
	c := testConfig(t, "UTC")
	c.Definitions = ofMetric("t_wait") // GitHub and Jira: its clock is 15 minutes behind
	g := newRig(t, c)
	g.send("web", "pr/1", event.PullRequestOpened, "2026-03-02T09:00:00Z")
	g.send("web", "pr/1", event.ReviewSubmitted, "2026-03-02T09:00:20Z", byBot)
	same(t, "before the review", g.tick("2026-03-02T09:30:00Z"),
		"web t_wait day 2026-03-02T00:00:00Z n=0 missing=nothing_observed ignored bot=1 provisional",
		"web t_wait day30 2026-02-01T00:00:00Z n=0 missing=nothing_observed ignored bot=1 provisional",
		"web t_wait hour 2026-03-02T09:00:00Z n=0 missing=nothing_observed ignored bot=1 provisional")
	g.send("web", "pr/1", event.ReviewSubmitted, "2026-03-02T11:30:00Z")
	same(t, "the review; nothing closes yet", g.tick("2026-03-02T11:30:30Z"),
		"web t_wait day 2026-03-02T00:00:00Z n=1 value=9000 ignored bot=1 provisional",
		"web t_wait day30 2026-02-01T00:00:00Z n=1 value=9000 ignored bot=1 provisional",
		"web t_wait hour 2026-03-02T09:00:00Z n=0 missing=nothing_observed ignored bot=1 final",
		"web t_wait hour 2026-03-02T11:00:00Z n=1 value=9000 provisional")
	if due := g.engine.Due(); due != instant(t, "2026-03-02T12:15:00Z") {
		t.Errorf("due at %s", due)
	}
	same(t, "half a second before the hour's end and the bound", g.tick("2026-03-02T12:14:59.5Z"))
	same(t, "at it", g.tick("2026-03-02T12:15:00Z"), "web t_wait hour 2026-03-02T11:00:00Z n=1 value=9000 final")

	// An earlier review comes late: the observation moves.
	g.send("web", "pr/1", event.ReviewSubmitted, "2026-03-02T10:00:00Z")
	same(t, "a late review", g.tick("2026-03-02T13:00:00Z"),
		"web t_wait day 2026-03-02T00:00:00Z n=1 value=3600 ignored bot=1 provisional",
		"web t_wait day30 2026-02-01T00:00:00Z n=1 value=3600 ignored bot=1 provisional",
		"web t_wait hour 2026-03-02T10:00:00Z n=1 value=3600 final",
		"web t_wait hour 2026-03-02T11:00:00Z n=0 missing=nothing_observed revised")
	var moved []ObservationRow
	for _, row := range g.rows {
		if r, ok := row.(*ObservationRow); ok {
			moved = append(moved, *r)
		}
	}
	if len(moved) != 2 || !moved[0].Deleted || moved[0].At != instant(t, "2026-03-02T11:30:00Z") || moved[1].Deleted || moved[1].Value != 3_600_000 {
		t.Errorf("evidence: %+v", moved)
	}

	same(t, "midnight", g.tick("2026-03-03T00:00:00Z"), "web t_wait day30 2026-02-02T00:00:00Z n=1 value=3600 ignored bot=1 provisional")
	same(t, "three days at once", g.tick("2026-03-06T10:00:00Z"),
		"web t_wait day 2026-03-02T00:00:00Z n=1 value=3600 ignored bot=1 final",
		"web t_wait day30 2026-02-01T00:00:00Z n=1 value=3600 ignored bot=1 final",
		"web t_wait day30 2026-02-02T00:00:00Z n=1 value=3600 ignored bot=1 final",
		"web t_wait day30 2026-02-03T00:00:00Z n=1 value=3600 ignored bot=1 final",
		"web t_wait day30 2026-02-04T00:00:00Z n=1 value=3600 ignored bot=1 final",
		"web t_wait day30 2026-02-05T00:00:00Z n=1 value=3600 ignored bot=1 provisional")
}

// A row that was withdrawn in an open window says revised, for good.
func TestEngineWithdraws(t *testing.T) {
	c := testConfig(t, "UTC")
	c.Definitions = ofMetric("t_wait")
	g := newRig(t, c)
	g.send("web", "pr/1", event.PullRequestOpened, "2026-03-02T09:00:00Z")
	g.send("web", "pr/1", event.ReviewSubmitted, "2026-03-02T09:10:00Z")
	g.tick("2026-03-02T09:11:00Z")
	g.send("web", "pr/1", event.PullRequestClosed, "2026-03-02T09:12:00Z")
	same(t, "closed", only(g.tick("2026-03-02T09:13:00Z"), "hour"), "web t_wait hour 2026-03-02T09:00:00Z n=0 missing=nothing_observed revised")
	g.send("web", "pr/2", event.PullRequestOpened, "2026-03-02T09:20:00Z")
	g.send("web", "pr/2", event.ReviewSubmitted, "2026-03-02T09:20:10Z")
	same(t, "something again", only(g.tick("2026-03-02T09:21:00Z"), "hour"), "web t_wait hour 2026-03-02T09:00:00Z n=1 value=10 revised")
	same(t, "the hour's end", only(g.tick("2026-03-02T12:00:00Z"), "hour"))
}

// What is older than the horizon does not change; the clock that let the
// record in decides.
func TestEngineTooOldToRevise(t *testing.T) {
	at := instant(t, "2026-03-02T09:00:00Z") // the last millisecond of its cell is 09:14:59.999
	for _, c := range []struct {
		clock   timeline.Millis
		refused bool
	}{
		{at + 15*timeline.Minute - 1 + DefaultHorizon - 1, false},
		{at + 15*timeline.Minute - 1 + DefaultHorizon, true},
	} {
		config := testConfig(t, "UTC")
		config.Definitions = ofMetric("t_wait")
		g := newRig(t, config)
		g.send("web", "pr/1", event.PullRequestOpened, "2026-03-02T08:59:00Z")
		g.send("web", "pr/1", event.ReviewSubmitted, "2026-03-02T09:00:00Z")
		g.tick("2026-03-02T10:00:00Z")
		g.send("web", "pr/1", event.PullRequestClosed, "2026-06-02T09:00:00Z", func(r *event.Routed) { r.Clock = c.clock })
		lines := g.tick("2026-06-03T00:00:00Z")
		revised := slices.Contains(lines, "web t_wait hour 2026-03-02T09:00:00Z n=0 missing=nothing_observed revised")
		if revised == c.refused || g.engine.Counters().TooOld != map[bool]int64{true: 1}[c.refused] {
			t.Errorf("judged at %s: revised %t, counters %+v", c.clock, revised, g.engine.Counters())
		}
	}
}

// A change that is not made stands among the team's rejects, beside the first
// record that would have made it, with the metrics that it would have changed.
func TestEngineTellsWhatIsTooOld(t *testing.T) {
	config := testConfig(t, "UTC")
	config.Definitions = slices.Concat(ofMetric("t_wait"), ofMetric("t_opened"))
	g := newRig(t, config)
	g.send("web", "pr/1", event.PullRequestOpened, "2026-03-02T08:59:00Z")
	g.send("web", "pr/1", event.ReviewSubmitted, "2026-03-02T09:00:00Z")
	g.tick("2026-03-02T10:00:00Z")
	g.tick("2026-06-02T09:20:00Z")
	g.send("web", "pr/1", event.PullRequestOpened, "2026-03-02T08:58:00Z")
	g.engine = restored(t, config, g.engine)
	g.send("web", "pr/1", event.PullRequestOpened, "2026-03-02T08:57:00Z")
	g.send("web", "pr/1", event.ReviewSubmitted, "2026-03-02T08:59:30Z")
	g.engine = restored(t, config, g.engine)
	same(t, "nothing changes", g.tick("2026-06-02T09:20:30Z"))
	var told []string
	for _, row := range g.rows {
		if r, ok := row.(*RejectRow); ok {
			told = append(told, fmt.Sprintf("%s %d %s %s %s: %s", r.Team, r.Origin.Offset, r.Kind, r.Verdict, r.Reason, r.Detail))
		}
	}
	same(t, "told", told, "web 3 pull_request_opened accepted too_old_to_revise: t_opened (2), t_wait")
	if n := g.engine.Counters().TooOld; n != 3 {
		t.Errorf("counted %d times", n)
	}
	g.tick("2026-06-02T09:21:00Z")
	for _, row := range g.rows {
		t.Errorf("told again: %+v", row)
	}
}

// Of several records of a round the lowest clock decides.
func TestEngineJudgesByTheLowestClock(t *testing.T) {
	for _, order := range [][2]string{{"2026-06-02T09:14:59Z", "2026-06-02T09:20:00Z"}, {"2026-06-02T09:20:00Z", "2026-06-02T09:14:59Z"}} {
		config := testConfig(t, "UTC")
		config.Definitions = ofMetric("t_wait")
		g := newRig(t, config)
		g.send("web", "pr/1", event.PullRequestOpened, "2026-03-02T08:59:00Z")
		g.send("web", "pr/1", event.ReviewSubmitted, "2026-03-02T09:00:00Z")
		g.tick("2026-03-02T10:00:00Z")
		for _, clock := range order {
			g.send("web", "pr/1", event.PullRequestClosed, "2026-06-02T09:00:00Z", func(r *event.Routed) { r.Clock = instant(t, clock) })
		}
		g.tick("2026-06-03T00:00:00Z")
		if n := g.engine.Counters().TooOld; n != 0 {
			t.Errorf("judged at %v: refused", order)
		}
	}
}

// An observation that was refused is given when it moves to where it can be.
func TestEngineGivesWhatWasRefused(t *testing.T) {
	config := testConfig(t, "UTC")
	config.Definitions = ofMetric("t_merged") // dated at the last fact
	g := newRig(t, config)
	g.tick("2026-07-01T00:00:00Z")
	g.send("web", "pr/1", event.PullRequestOpened, "2026-03-02T09:00:00Z")
	same(t, "an old one", g.tick("2026-07-01T00:01:00Z"))
	g.send("web", "pr/1", event.ReviewSubmitted, "2026-07-01T00:01:00Z")
	same(t, "moved", only(g.tick("2026-07-01T00:02:00Z"), "hour"), "web t_merged hour 2026-07-01T00:00:00Z n=1 value=0 provisional")
	if n := g.engine.Counters().TooOld; n != 1 {
		t.Errorf("counted %d times", n)
	}
	for _, row := range g.rows {
		if r, ok := row.(*ObservationRow); ok && r.Deleted {
			t.Errorf("a tombstone for what was never given: %+v", r)
		}
	}
}

// A new observation that is too old is refused once, and counted once.
func TestEngineRefusesOld(t *testing.T) {
	config := testConfig(t, "UTC")
	config.Definitions = ofMetric("t_opened")
	g := newRig(t, config)
	g.tick("2026-07-01T00:00:00Z")
	g.send("web", "pr/1", event.PullRequestOpened, "2026-03-02T09:00:00Z")
	same(t, "an old one", g.tick("2026-07-01T00:01:00Z"))
	g.send("web", "pr/1", event.ReviewSubmitted, "2026-07-01T00:01:00Z")
	same(t, "again", g.tick("2026-07-01T00:02:00Z"))
	if n := g.engine.Counters().TooOld; n != 1 {
		t.Errorf("counted %d times", n)
	}
	for _, row := range g.rows {
		if _, ok := row.(*ObservationRow); ok {
			t.Errorf("evidence of what was refused: %+v", row)
		}
	}
}

// Folds live until the horizon after their last fact, then as stubs, which
// remember what was observed.
func TestEngineEvicts(t *testing.T) {
	config := testConfig(t, "UTC")
	config.Definitions = ofMetric("t_opened")
	g := newRig(t, config)
	g.send("web", "pr/1", event.PullRequestOpened, "2026-03-02T09:00:00Z")
	g.send("web", "pr/1", event.PullRequestMerged, "2026-03-02T10:00:00Z")
	g.send("web", "pr/2", event.PullRequestOpened, "2026-03-02T09:30:00Z") // stays open
	g.tick("2026-03-02T11:00:00Z")
	g.tick("2026-06-02T23:59:59.5Z")
	if n := g.engine.Counters().EvictedFolds; n != 0 {
		t.Fatalf("%d folds are gone within the horizon", n)
	}
	g.tick("2026-06-03T00:00:00Z") // the day after 2 March + 92 days
	if n := g.engine.Counters().EvictedFolds; n != 1 {
		t.Fatalf("%d folds are gone", n)
	}
	if n := len(g.engine.teams["web"].series[0].chunks); n != 1 {
		t.Fatalf("%d days of cells", n)
	}
	// The stub is spoken to: what it was stays, what is new counts.
	g.send("web", "pr/1", event.PullRequestOpened, "2026-06-03T00:00:10Z")
	same(t, "opened again", only(g.tick("2026-06-03T00:01:00Z"), "hour"), "web t_opened hour 2026-06-03T00:00:00Z n=1 value=1 provisional")
	if n := g.engine.Counters().TooOld; n != 1 {
		t.Errorf("the old observation was forgotten or withdrawn: %d", n)
	}
	g.tick("2026-07-04T00:00:00Z")
	if n := len(g.engine.teams["web"].series[0].chunks); n != 1 {
		t.Errorf("%d days of cells: those of March are older than any change can touch", n)
	}
	g.tick("2027-04-07T00:00:00Z")
	if n := len(g.engine.teams["web"].entities[0]); n != 1 {
		t.Errorf("%d entities are left 400 days after the open one's last fact", n)
	}
	g.tick("2028-09-01T00:00:00Z")
	e := g.engine
	if len(e.teams["web"].entities[0])+len(e.teams["web"].series)+len(e.expiries)+e.alarms.Len() > 0 || len(e.teams["web"].quality.days) > 0 {
		t.Errorf("something is left: %d entities, %d series, %d expiries", len(e.teams["web"].entities[0]), len(e.teams["web"].series), len(e.expiries))
	}
	if c := e.Counters(); c.EvictedStubs != 0 || c.EvictedCells != 2 || c.EvictedQuality != 4 || c.EvictedWindows == 0 {
		t.Errorf("counters %+v", c)
	}
}

// A fact that comes later makes a fold live longer, to the day.
func TestEngineEvictsByTheLastFact(t *testing.T) {
	g := newRig(t, testConfig(t, "UTC"))
	g.send("web", "pr/1", event.PullRequestMerged, "2026-03-02T09:00:00Z")
	g.tick("2026-03-02T11:00:00Z")
	g.send("web", "pr/1", event.PullRequestMerged, "2026-03-03T09:00:00Z")
	g.tick("2026-03-03T11:00:00Z")
	for _, e := range []*Engine{restored(t, g.config, g.engine), g.engine} {
		h := &rig{t: t, engine: e, config: g.config}
		h.tick("2026-06-03T12:00:00Z")
		if n := e.Counters().EvictedFolds; n != 0 {
			t.Errorf("%d folds are gone within the horizon", n)
		}
		h.tick("2026-06-04T00:00:00Z")
		if n := e.Counters().EvictedFolds; n != 1 {
			t.Errorf("the day after, %d folds are gone", n)
		}
	}
}

func TestEngineFreezes(t *testing.T) {
	for name, change := range map[string]func(*Definition){
		"freeze": func(d *Definition) { d.Refire = Freeze },
		"accept": func(d *Definition) { d.Accept = 20 * timeline.Minute },
	} {
		config := testConfig(t, "UTC")
		config.Definitions = ofMetric("t_wait")
		change(config.Definitions[0])
		g := newRig(t, config)
		g.send("web", "pr/1", event.PullRequestOpened, "2026-03-02T09:00:00Z")
		g.send("web", "pr/1", event.ReviewSubmitted, "2026-03-02T09:10:00Z")
		same(t, name+": final", only(g.tick("2026-03-02T10:16:00Z"), "hour"), "web t_wait hour 2026-03-02T09:00:00Z n=1 value=600 final")
		g.send("web", "pr/1", event.ReviewSubmitted, "2026-03-02T09:05:00Z")
		same(t, name+": the hour stays, the day changes", g.tick("2026-03-02T10:21:00Z"),
			"web t_wait day 2026-03-02T00:00:00Z n=1 value=300 provisional",
			"web t_wait day30 2026-02-01T00:00:00Z n=1 value=300 provisional")
		if n := g.engine.Counters().Frozen; n != 1 {
			t.Errorf("%s: counted %d times", name, n)
		}
		if name == "accept" {
			// The last half second in which the next hour changes, and the first in which it does not.
			g.send("web", "pr/2", event.PullRequestOpened, "2026-03-02T10:30:00Z")
			g.send("web", "pr/2", event.ReviewSubmitted, "2026-03-02T10:40:00Z")
			g.tick("2026-03-02T11:00:00Z")
			g.send("web", "pr/2", event.ReviewSubmitted, "2026-03-02T10:35:00Z")
			if lines := only(g.tick("2026-03-02T11:19:59.5Z"), "hour"); len(lines) != 1 {
				t.Errorf("refused too early: %v", lines)
			}
			g.send("web", "pr/2", event.ReviewSubmitted, "2026-03-02T10:34:00Z")
			if lines := only(g.tick("2026-03-02T11:20:00Z"), "hour"); len(lines) != 0 {
				t.Errorf("accepted too long: %v", lines)
			}
		}
		g.engine = restored(t, config, g.engine)
		var stands []string
		for p := range g.engine.Final() {
			stands = append(stands, short(p))
		}
		same(t, name+": stands", only(only(stands, "hour"), "T09"), "web t_wait hour 2026-03-02T09:00:00Z n=1 value=600 final")
	}
}

func TestEngineWithoutEvents(t *testing.T) {
	g := newRig(t, testConfig(t, "UTC"))
	if got := g.engine.Describe(); got != "clock before the first tick, 0 teams, 0 folds, 0 stubs, 0 series, 0 windows, 0 of them open, next due nothing" {
		t.Error(got)
	}
	for _, at := range []string{"1970-01-01T00:00:00.5Z", "2026-03-02T09:00:00Z", "2026-03-03T00:00:00Z"} {
		if same(t, "only ticks", g.tick(at)); len(g.rows) != 0 || g.engine.Due() != never {
			t.Errorf("%d rows, due at %s", len(g.rows), g.engine.Due())
		}
	}
	g.send("web", "pr/1", event.PullRequestOpened, "2026-03-03T09:00:00Z")
	g.tick("2026-03-03T09:30:00Z")
	if got := g.engine.Describe(); got != "clock 2026-03-03T09:30:00Z, 1 teams, 1 folds, 0 stubs, 2 series, 6 windows, 6 of them open, next due 2026-03-03T10:05:00Z" {
		t.Error(got)
	}
}

// A metric that gives two observations under one key is counted, and the first
// by its own order stands.
func TestEngineCountsTwice(t *testing.T) {
	c := testConfig(t, "UTC")
	c.Definitions = ofMetric("t_opened")
	once := c.Definitions[0].Observe
	c.Definitions[0].Observe = func(f Fold, v View, yield func(Observation)) { once(f, v, yield); once(f, v, yield) }
	g := newRig(t, c)
	g.send("web", "pr/1", event.PullRequestOpened, "2026-03-03T09:00:00Z")
	same(t, "twice", only(g.tick("2026-03-03T09:30:00Z"), "hour"), "web t_opened hour 2026-03-03T09:00:00Z n=1 value=1 provisional")
	if n := g.engine.Counters().Twice; n != 1 {
		t.Errorf("counted %d times", n)
	}
}

// Many facts of one instant are one cell, and cost no more than others.
func TestEngineManyAtOnce(t *testing.T) {
	c := testConfig(t, "UTC")
	c.Definitions = ofMetric("t_opened")
	g := newRig(t, c)
	const many = 20_000
	for i := range many {
		g.send("web", fmt.Sprintf("pr/%d", i), event.PullRequestOpened, "2026-03-03T09:00:00Z")
	}
	same(t, "many", only(g.tick("2026-03-03T09:30:00Z"), "hour"), fmt.Sprintf("web t_opened hour 2026-03-03T09:00:00Z n=%d value=%d provisional", many, many))
	g.send("web", "pr/one more", event.PullRequestOpened, "2026-03-03T09:00:00Z")
	same(t, "one more", only(g.tick("2026-03-03T09:30:30Z"), "hour"), fmt.Sprintf("web t_opened hour 2026-03-03T09:00:00Z n=%d value=%d provisional", many+1, many+1))
}

// An idle tick does nothing at all.
func TestEngineIdleTick(t *testing.T) {
	g := newRig(t, testConfig(t, "UTC"))
	g.send("web", "pr/1", event.PullRequestOpened, "2026-03-02T09:00:00Z")
	g.tick("2026-03-02T09:00:30Z")
	clock := g.engine.Clock()
	if n := testing.AllocsPerRun(100, func() {
		clock += 500
		g.engine.Tick(clock, 0, nil)
	}); n > 0 {
		t.Errorf("an idle tick allocates %v times", n)
	}
}
