package simulation

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"meridian/ingest"
	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// script plays the machine by hand. A file begins with
//
//	machine deliveries=2 horizon=2h [zone=Asia/Kathmandu] [catalog] [engine=10000d]
//
// and goes on with runs, whose lines are
//
//	date 2026-03-02                  of the times that follow
//	send P TIME KIND ENTITY [WORD]   a delivery of one event to partition P: opened, reviewed,
//	                                 merged, closed or reopened pr/7, deployed run/7, moved issue/7;
//	                                 words: in REPOSITORY, received TIME, id NAME, by LOGIN, api,
//	                                 broken, created DATE
//	flood N P TIME                   N pull requests that are opened at one instant
//	tick P|all TIME
//	snapshot, crash, restore         of all shards; restore reads again what a crash forgot
//	state                            where the shards stand
//	show GRAIN...|nothing            the points to print as they come; else hours
//	points GRAIN                     the points as they stand
//	replay                           the log once more, from its beginning: must give the same rows
//	restate                          likewise as a history up to its last tick; prints what then stands
//
// What is printed: the verdict of each event with the clock that judged it, and
// points as they are given out. -rewrite writes the answers anew.
type script struct {
	t       *testing.T
	pos     string
	layout  *layout
	machine *straight
	log     []*topic
	date    timeline.Date
	grains  []string
	points  map[string]*metrics.Point
	out     strings.Builder
	quiet   int // events of a flood, whose verdicts are counted

	eager bool // a restore after each message
	saved []map[string][]byte
	seen  []int64 // of each engine shard: how much of its input it has read
	in    [][]streaming.Message[event.Routed]
}

func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		play := func(eager bool, events int32) func(t *testing.T) []string {
			var all []string
			return func(t *testing.T) []string {
				s := &script{t: t, eager: eager}
				datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
					s.t, s.pos = t, d.Pos
					out := s.command(d, events)
					all = append(all, out)
					if eager || events != 1 { // compared below, but for what names shards
						return d.Expected
					}
					return out
				})
				return all
			}
		}
		want := play(false, 1)(t)
		for name, other := range map[string]func(*testing.T) []string{"restored after each message": play(true, 1), "on three shards": play(false, 3)} {
			got := other(t)
			for i := range want {
				// Shards give out their rows one after the other, each team's in order.
				if !slices.Equal(sorted(got[i]), sorted(want[i])) && !strings.Contains(want[i], "generation 1, clock") {
					t.Errorf("%s, %s, answer %d is\n%s\nnot\n%s", path, name, i+1, got[i], want[i])
				}
			}
		}
	})
}

func sorted(answer string) []string { return slices.Sorted(strings.Lines(answer)) }

func (s *script) command(d *datadriven.TestData, events int32) string {
	switch d.Cmd {
	case "machine":
		var deliveries int
		var horizon, engine, zone string
		d.ScanArgs(s.t, "deliveries", &deliveries)
		d.ScanArgs(s.t, "horizon", &horizon)
		d.MaybeScanArgs(s.t, "engine", &engine)
		d.MaybeScanArgs(s.t, "zone", &zone)
		s.layout = &layout{
			deliveries: int32(deliveries), events: events, horizon: s.length(horizon), bounds: bounds, catalog: nobody(), definitions: plainDefinitions(), folds: plainFolds(),
		}
		if engine != "" {
			s.layout.engineHorizon = s.length(engine)
		}
		if zone != "" {
			z, err := timeline.LoadZone(zone)
			if err != nil {
				s.t.Fatalf("%s: %v", s.pos, err)
			}
			s.layout.catalog = catalog.Empty(catalog.Options{Key: make([]byte, 32), Zone: z})
		}
		if d.HasArg("catalog") {
			s.layout.catalog = acme()
		}
		s.begin()
		return ""
	case "run":
		s.out.Reset()
		for line := range strings.Lines(d.Input) {
			s.step(strings.Fields(line))
		}
		return s.out.String()
	}
	d.Fatalf(s.t, "there are machine and run")
	return ""
}

// begin makes an empty machine with an empty log.
func (s *script) begin() {
	s.date, s.grains = timeline.MakeDate(2026, 3, 2), []string{"hour"}
	s.log = nil
	for p := range s.layout.deliveries {
		s.log = append(s.log, &topic{name: fmt.Sprintf("deliveries/%d", p)})
	}
	s.points = map[string]*metrics.Point{}
	s.machine = s.made(s.layout)
	s.saved = make([]map[string][]byte, s.layout.deliveries+s.layout.events)
	s.seen, s.in = make([]int64, s.layout.events), make([][]streaming.Message[event.Routed], s.layout.events)
}

func (s *script) made(l *layout) *straight {
	m := newStraight(l)
	put := m.put
	m.put = func(shard int32, row metrics.Row) {
		put(shard, row)
		if p, ok := row.(*metrics.Point); ok {
			s.points[fmt.Sprint(p.Team, p.Metric, p.Service, p.Grain, p.Start)] = p
			if slices.Contains(s.grains, string(p.Grain)) {
				fmt.Fprintf(&s.out, "  %s\n", describe(p))
			}
		}
	}
	m.copies = s.judged
	return m
}

func (s *script) judged(c ingest.Copy) {
	r := &c.Message.Value
	if !c.Message.IsTick && r.Copy == event.Activity {
		fmt.Fprintf(&s.out, "  an act for %s\n", r.Team)
	}
	if c.Message.IsTick || r.Copy != event.Home {
		return
	}
	if s.quiet > 0 {
		if s.quiet--; s.quiet == 0 {
			fmt.Fprintf(&s.out, "the last of the flood: %s\n", r.Verdict)
		}
		return
	}
	clock := "no clock"
	if r.Clock != streaming.NoClock {
		clock = r.Clock.String()
	}
	fmt.Fprintf(&s.out, "at %s: %s %s of %s: %s", clock, strings.TrimPrefix(r.Event.Kind.String(), "pull_request_"), r.Event.Entity, r.Event.Time, r.Verdict)
	for word, is := range map[string]bool{r.Reason: r.Reason != ""} {
		if is {
			fmt.Fprintf(&s.out, " (%s)", word)
		}
	}
	if r.LateAccepted {
		s.out.WriteString(", behind the bound")
	}
	if r.Backfilled {
		s.out.WriteString(", backfilled")
	}
	if r.Healed {
		s.out.WriteString(", healed")
	}
	fmt.Fprintf(&s.out, ", %s\n", r.Team)
}

func describe(p *metrics.Point) string {
	value := "nothing"
	if v, ok := p.Value(); ok {
		value = fmt.Sprint(float64(v))
	}
	out := fmt.Sprintf("%s: %s %s %s %s n=%d %s %s", p.Version.Round().Clock(), p.Team, strings.TrimPrefix(string(p.Metric), "plain_"), p.Grain, timeline.Window{Start: p.Start, End: p.End}, p.N(), value, p.Status)
	for _, c := range []struct {
		word string
		n    int64
	}{{"late_accepted", p.LateAccepted}, {"late_dropped", p.LateDropped}, {"duplicates", p.Duplicates}} {
		if c.n > 0 {
			out += fmt.Sprintf(" %s=%d", c.word, c.n)
		}
	}
	return out
}

func (s *script) step(words []string) {
	switch words[0] {
	case "date":
		d, err := timeline.ParseDate(words[1])
		if err != nil {
			s.fail(words, err)
		}
		s.date = d
	case "send":
		s.write(s.number(words[1]), ingest.Entry{Delivery: s.delivery(words)})
	case "flood":
		n := s.number(words[1])
		s.quiet += n
		for i := range n {
			d := s.delivery([]string{"send", words[2], words[3], "opened", "pr/" + strconv.Itoa(i+1)})
			s.write(s.number(words[2]), ingest.Entry{Delivery: d})
		}
	case "tick":
		at := s.instant(words[2])
		for p := range s.layout.deliveries {
			if words[1] == "all" || s.number(words[1]) == int(p) {
				s.write(int(p), ingest.Entry{Tick: at})
			}
		}
	case "show":
		s.grains = words[1:]
	case "points":
		var lines []string
		for _, p := range s.points {
			if string(p.Grain) == words[1] && p.N() > 0 {
				_, line, _ := strings.Cut(describe(p), "Z: ")
				lines = append(lines, "  "+line)
			}
		}
		slices.Sort(lines)
		fmt.Fprintf(&s.out, "%d points stand\n%s", len(lines), strings.Join(append(lines, ""), "\n"))
	case "snapshot":
		for p, r := range s.machine.routes {
			s.saved[p] = sections(r.Save)
		}
		for p, e := range s.machine.engines {
			s.saved[len(s.machine.routes)+p] = sections(e.Save)
		}
	case "crash":
		s.machine.routes, s.machine.engines = nil, nil
	case "restore":
		s.restore()
	case "state":
		for _, r := range append([]interface{ Describe() string }{}, described(s.machine)...) {
			s.out.WriteString(r.Describe())
		}
	case "replay":
		again := newStraight(s.layout)
		if err := again.play(s.log); err != nil {
			s.fail(words, err)
		}
		if d := differences(again.rows, s.machine.rows); d != "" {
			s.out.WriteString(d)
		} else {
			fmt.Fprintf(&s.out, "%d rows, the same\n", len(again.rows))
		}
	case "restate":
		l := *s.layout
		for _, log := range s.log {
			l.historyEnd = max(l.historyEnd, streaming.RoundOf(lastTick(log)))
		}
		fmt.Fprintln(&s.out, "restated:")
		s.points = map[string]*metrics.Point{}
		again := s.made(&l)
		if err := again.play(s.log); err != nil {
			s.fail(words, err)
		}
	default:
		s.fail(words, fmt.Errorf("there is no such line"))
	}
}

func described(m *straight) (all []interface{ Describe() string }) {
	for p, r := range m.routes {
		all = append(all, m.judges[p], r)
	}
	for _, e := range m.engines {
		all = append(all, e)
	}
	return all
}

func sections(save func(func(string, []byte))) map[string][]byte {
	m := map[string][]byte{}
	save(func(name string, data []byte) { m[name] = slices.Clone(data) })
	return m
}

// write appends an entry and, while the machine runs, feeds it.
func (s *script) write(p int, e ingest.Entry) {
	offset := s.log[p].append(ingest.EncodeEntry(e))
	if s.machine.routes == nil {
		return
	}
	s.feed(p, offset)
	if s.eager && s.quiet == 0 { // a snapshot after each of a flood would take hours
		s.step([]string{"snapshot"})
		s.step([]string{"crash"})
		s.restore()
	}
}

func (s *script) feed(p int, offset int64) {
	e, err := ingest.DecodeEntry(s.log[p].records[offset])
	if err != nil {
		s.t.Fatal(err)
	}
	s.machine.routes[p].Feed(offset, ingest.EntryMessage(int32(p), offset, e), func(c ingest.Copy) {
		s.machine.copies(c)
		s.in[c.Partition] = append(s.in[c.Partition], c.Message)
	})
	for shard := range s.in {
		for ; s.seen[shard] < int64(len(s.in[shard])); s.seen[shard]++ {
			s.engine(shard, s.seen[shard])
		}
	}
}

func (s *script) engine(shard int, offset int64) {
	s.machine.engines[shard].Feed(offset, s.in[shard][offset], func(row metrics.Row) { s.machine.put(int32(shard), row) })
}

// restore makes all shards of their last snapshot, and reads on.
func (s *script) restore() {
	rows, grains := s.machine.rows, s.grains
	s.machine = s.made(s.layout)
	s.machine.rows = rows
	for p, sections := range s.saved {
		if sections == nil {
			continue
		}
		get := func(name string) ([]byte, error) { return sections[name], nil }
		var err error
		if p < len(s.machine.routes) {
			err = s.machine.routes[p].Load(get)
		} else {
			err = s.machine.engines[p-len(s.machine.routes)].Load(get)
		}
		if err != nil {
			s.t.Fatalf("%s: %v", s.pos, err)
		}
	}
	// The engine's shards read again first: what route repeats lies behind that.
	for shard, e := range s.machine.engines {
		for offset := e.Resume(); offset < s.seen[shard]; offset++ {
			s.engine(shard, offset)
		}
	}
	for p, r := range s.machine.routes {
		for offset := r.Resume(); offset < s.log[p].end(); offset++ {
			s.feed(p, offset)
		}
	}
	s.grains = grains
}

func (s *script) fail(words []string, err error) {
	s.t.Helper()
	s.t.Fatalf("%s: %s: %v", s.pos, strings.Join(words, " "), err)
}

func (s *script) number(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil {
		s.t.Fatalf("%s: %v", s.pos, err)
	}
	return n
}

func (s *script) length(word string) timeline.Millis {
	m, err := timeline.ParseLength(word)
	if err != nil {
		s.t.Fatalf("%s: %v", s.pos, err)
	}
	return m
}

func (s *script) instant(word string) timeline.Millis {
	if !strings.Contains(word, "T") {
		word = s.date.String() + "T" + word + "Z"
	}
	m, err := timeline.ParseInstant(word)
	if err != nil {
		s.t.Fatalf("%s: %v", s.pos, err)
	}
	return m
}

var scriptKinds = map[string]event.Kind{
	"opened": event.PullRequestOpened, "reviewed": event.ReviewSubmitted, "merged": event.PullRequestMerged, "closed": event.PullRequestClosed,
	"reopened": event.PullRequestReopened, "deployed": event.DeploymentStatus, "moved": event.IssueTransitioned,
}

// delivery reads a line that sends something.
func (s *script) delivery(words []string) *ingest.LoggedDelivery {
	at, entity := s.instant(words[2]), words[4]
	option := func(name string) (string, bool) {
		if i := slices.Index(words, name); i > 4 && i+1 < len(words) {
			return words[i+1], true
		}
		return "", false
	}
	kind, ok := scriptKinds[words[3]]
	if !ok {
		s.fail(words, fmt.Errorf("kinds are %v", slices.Sorted(maps.Keys(scriptKinds))))
	}
	e := event.Event{Source: event.GitHub, Kind: kind, Time: at, Entity: event.EntityID(entity), ID: event.NewID(words[3], entity, at.String())}
	e.Scope = event.Scope{Provider: "github", Repository: "acme/other"}
	if r, ok := option("in"); ok {
		e.Scope.Repository = r
	}
	if name, ok := option("id"); ok {
		e.ID = event.NewID(name)
	}
	if login, ok := option("by"); ok {
		e.Actor = account(login)
	}
	if d, ok := option("created"); ok {
		date, err := timeline.ParseDate(d)
		if err != nil {
			s.fail(words, err)
		}
		e.Created = timeline.UTC().Midnight(date)
	}
	if slices.Contains(words, "broken") {
		e.Defect = "broken"
	}
	switch kind {
	case event.DeploymentStatus:
		e.Source, e.Deployment = event.Deploy, &event.Deployment{Key: entity, State: event.DeploymentSuccess}
	case event.IssueTransitioned:
		e.Source, e.Scope = event.Jira, event.Scope{Provider: "jira", Project: "WEB"}
		e.Issue = &event.Issue{Key: entity, Current: event.Status{Name: "Done"}}
	default:
		e.PullRequest = &event.PullRequest{Created: e.Created}
		if kind == event.PullRequestMerged {
			e.PullRequest.Merged = at
		}
		if kind == event.PullRequestClosed {
			e.PullRequest.Closed = at
		}
		if kind == event.ReviewSubmitted {
			e.Review = &event.Review{Submitted: at}
		}
	}
	d := &ingest.LoggedDelivery{Outcome: ingest.OutcomeAccepted, Delivery: ingest.Delivery{Provider: "github", Received: at}, Events: []event.Event{e}}
	if r, ok := option("received"); ok {
		d.Delivery.Received = s.instant(r)
	}
	d.Delivery.ViaAPI = slices.Contains(words, "api")
	return d
}
