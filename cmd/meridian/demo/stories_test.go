package demo

import (
	"errors"
	"io"
	"testing"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

type seriesKey struct {
	metric metrics.Name
	team   string
}

// computed are the points of the history, as an instance computes them that
// recomputes it: the totals of teams over 30 days, oldest first.
func computed(t *testing.T, o *Organisation) (days30 map[seriesKey][]*metrics.Point, counts ingest.Counts) {
	t.Helper()
	c := catalogOf(t, o)
	decoders := decodersOf(c)
	bounds := map[event.Source]timeline.Millis{event.GitHub: 5 * timeline.Minute, event.Jira: 15 * timeline.Minute, event.Deploy: 10 * timeline.Minute}
	end := streaming.RoundOf(o.now)
	route, err := ingest.NewRoute(ingest.RouteConfig{
		Generation: 1, EventPartitions: 1, Horizon: metrics.DefaultHorizon, Bounds: bounds, FutureSkew: 10 * timeline.Minute, HistoryEnd: end, Catalog: c,
	})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := metrics.NewEngine(metrics.Config{
		Generation: 1, Catalog: c, Definitions: metrics.Definitions(), Folds: metrics.Folds(), Horizon: metrics.DefaultHorizon, Bounds: bounds,
		HistoryEnd: end, Keep: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	routed := streaming.NewShard(1, []int32{0}, route)
	folded := streaming.NewShard(1, []int32{0}, engine)
	var fed, copies int64
	feed := func(e ingest.Entry) {
		routed.Feed(fed, ingest.EntryMessage(0, fed, e), func(c ingest.Copy) {
			folded.Feed(copies, c.Message, func(metrics.Row) {})
			copies++
		})
		fed++
	}
	for line := range o.History() {
		_, l, err := ingest.DecodeDelivery(decoders[line.Delivery.Provider], *line.Delivery)
		if err != nil {
			t.Fatal(err)
		}
		feed(ingest.Entry{Delivery: l})
		if line.Number%500 == 0 {
			feed(ingest.Entry{Tick: line.Delivery.Received})
		}
	}
	feed(ingest.Entry{Tick: o.now})
	days30 = map[seriesKey][]*metrics.Point{}
	for p := range engine.Final() {
		if p.Grain == metrics.Day30 && p.Service == "" {
			k := seriesKey{p.Metric, p.Team}
			days30[k] = append(days30[k], p)
		}
	}
	return days30, route.Counts()
}

func TestTheNumbers(t *testing.T) {
	for name, o := range organisations(t) {
		t.Run(name, func(t *testing.T) {
			points, counts := computed(t, o)
			everyMetricOfEveryTeam(t, points)
			quality(t, counts)
			stories(t, o, points)
		})
	}
}

// rare metrics are of what does not happen every month in every team; those of
// incidents are the platform's, whose project they are reported in.
var rare = map[metrics.Name]bool{
	"failed_deployment_recovery_time": true, "deploy_attempts_failed": true, "issues_reopened": true,
	"incidents": true, "incident_recovery_time": true,
}

func everyMetricOfEveryTeam(t *testing.T, points map[seriesKey][]*metrics.Point) {
	for _, d := range metrics.Definitions() {
		if d.Statistic == metrics.Gauge {
			continue // has no points of its own
		}
		most := 0
		for _, team := range newCast().teams {
			series := points[seriesKey{d.Name, team.name}]
			most = max(most, len(series))
			if rare[d.Name] {
				continue
			}
			if len(series) < 80 {
				t.Errorf("%s of %s has %d points of 30 days", d.Name, team.name, len(series))
				continue
			}
			if last := series[len(series)-1]; last.N() < 2 {
				t.Errorf("%s of %s ends with n = %d", d.Name, team.name, last.N())
			}
		}
		if most < 30 {
			t.Errorf("no team has more than %d points of %s", most, d.Name)
		}
	}
}

func quality(t *testing.T, counts ingest.Counts) {
	if counts.ByReason["future"] != 1 || counts.ByReason["invalid"] != 1 || counts.Quarantined != 2 {
		t.Errorf("quarantined %d: %v", counts.Quarantined, counts.ByReason)
	}
	if counts.Duplicates < 100 || counts.Late != 0 {
		t.Errorf("%d duplicates, %d late", counts.Duplicates, counts.Late)
	}
}

// stories are those of doc.go.
func stories(t *testing.T, o *Organisation, points map[seriesKey][]*metrics.Point) {
	at := func(metric metrics.Name, team string, day int) float64 {
		t.Helper()
		for _, p := range points[seriesKey{metric, team}] {
			if p.End > o.start+timeline.Millis(day)*timeline.Day {
				return valueOf(t, p)
			}
		}
		t.Fatalf("%s of %s has no point on day %d", metric, team, day)
		return 0
	}
	slower := func(what string, a, b, times float64) {
		t.Helper()
		if a < times*b {
			t.Errorf("%s: %.3g is not %g times %.3g", what, a, times, b)
		}
	}
	slower("payments waits longest for reviews", at("pr_pickup_time", payments, 60), at("pr_pickup_time", mobile, 60), 3)
	slower("and the storefront least", at("pr_pickup_time", mobile, 60), at("pr_pickup_time", storefront, 60), 2)
	slower("the storefront deploys more often than payments", at("deploy_frequency", storefront, 60), at("deploy_frequency", payments, 60), 4)
	slower("the storefront deploys daily", at("deploy_frequency", storefront, 60), 1, 1)
	slower("the platform's reviews get faster", at("pr_pickup_time", platform, 31), at("pr_pickup_time", platform, 88), 1.5)
	slower("the platform deploys ever more often", at("deploy_frequency", platform, 88), at("deploy_frequency", platform, 31), 1.3)
	slower("mobile works at night around its launch", at("after_hours", mobile, 45), at("after_hours", mobile, 30), 1.6)
	slower("and no longer when it is over", at("after_hours", mobile, 45), at("after_hours", mobile, 80), 1.6)
	slower("the storefront reviews later in its bad week", at("pr_pickup_time", storefront, 75), at("pr_pickup_time", storefront, 60), 1.15)
}

func valueOf(t *testing.T, p *metrics.Point) float64 {
	t.Helper()
	v, ok := p.Value()
	if !ok {
		t.Fatalf("%s of %s has no value", p.Metric, p.Team)
	}
	return float64(v)
}

// An archive of the history is what `meridian replay` and `import` read.
func TestTheArchiveIsReadAgain(t *testing.T) {
	o := New(1, instant(t, "2026-03-02T09:30:00Z"))
	r, w := io.Pipe()
	go func() {
		archive := ingest.NewArchiveWriter(w)
		var err error
		for line := range o.History() {
			if err = archive.Write(line); err != nil {
				break
			}
		}
		w.CloseWithError(err)
	}()
	lines, err := ingest.NewArchiveReader(r)
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	n := 0
	for want := range o.History() {
		got, err := lines.Next()
		if err != nil {
			t.Fatal(err)
		}
		if got.Delivery == nil || got.Delivery.Received != want.Delivery.Received || string(got.Delivery.Body) != string(want.Delivery.Body) {
			t.Fatalf("line %d is another one when it is read", want.Number)
		}
		n++
	}
	if _, err := lines.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("after %d lines: %v", n, err)
	}
}
