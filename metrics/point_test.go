package metrics

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"meridian/streaming"
	"meridian/streaming/timeline"
)

// The line that the contract of points gives as its example.
const contractLine = `{"metric": "pr_pickup_time", "team": "web", "service": "", "grain": "hour", "start": "2026-03-02T11:00:00Z", "end": "2026-03-02T12:00:00Z", "zone": "UTC",
 "n": 1, "value": 9000, "unit": "seconds", "p50": 9000, "p75": 9000, "p90": 9000, "sum": 9000, "numerator": null, "denominator": null,
 "status": "final", "missing": "", "excluded": {}, "ignored": {"bot": 1}, "late_accepted": 0, "late_dropped": 0, "duplicates": 0, "zones": null,
 "generation": 1, "version": "1103056533976", "basis": {"measured": 1}, "covered_days": 30}`

func TestPointIsTheContractsLine(t *testing.T) {
	p := &Point{
		Version: 1103056533976, Team: "web", Metric: "pr_pickup_time", Grain: Hour,
		Start: instant(t, "2026-03-02T11:00:00Z"), End: instant(t, "2026-03-02T12:00:00Z"), Zone: "UTC", Status: Final, CoveredDays: 30,
		Definition: &Definition{Name: "pr_pickup_time", Statistic: MedianDuration},
		Aggregate: aggregateOf(MedianDuration, []Observation{
			{Value: 9_000_000, Outcome: Observed, Basis: "measured", Primary: true},
			{Outcome: Ignored, Reason: Bot, Primary: true},
		}),
	}
	var want bytes.Buffer
	if err := json.Compact(&want, []byte(contractLine)); err != nil {
		t.Fatal(err)
	}
	if got := p.AppendJSON(nil); !bytes.Equal(got, want.Bytes()) {
		t.Errorf("\n%s\nnot\n%s", got, &want)
	}
}

// The fast writer and encoding/json agree.
func TestAppendJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &Definition{Statistic: rapid.SampledFrom(allStatistics).Draw(t, "statistic"), Zones: rapid.Bool().Draw(t, "zones"), Classes: rapid.Bool().Draw(t, "classes")}
		p := &Point{
			Version: streaming.Version(rapid.Uint64().Draw(t, "version")), Team: rapid.String().Draw(t, "team"), Metric: "x", Service: rapid.SampledFrom([]string{"", "a<b>&c", "ü\n"}).Draw(t, "service"),
			Grain: rapid.SampledFrom([]Grain{Hour, Day, Day30}).Draw(t, "grain"), Start: timeline.Millis(rapid.Int64Range(-1e13, 1e14).Draw(t, "start")), Zone: "UTC", Status: Revised,
			Withdrawn: rapid.Bool().Draw(t, "withdrawn"), Definition: rapid.SampledFrom([]*Definition{d, d, d, nil}).Draw(t, "definition"),
			LateAccepted: rapid.Int64Range(0, 9).Draw(t, "late"), CoveredDays: rapid.Int32Range(-1, 30).Draw(t, "covered"),
			Aggregate: aggregateOf(d.Statistic, rapid.SliceOfN(rapid.Custom(drawObservation), 0, 8).Draw(t, "observations")),
		}
		p.Missing = p.missing()
		want, err := json.Marshal(p.JSON())
		if err != nil {
			t.Fatal(err)
		}
		if got := p.AppendJSON(nil); !bytes.Equal(got, want) {
			t.Fatalf("\n%s\nnot\n%s", got, want)
		}
		_, ok := p.Value()
		if ok != (p.Missing == "") {
			t.Fatalf("missing %q, and there is a value: %t", p.Missing, ok)
		}
	})
}

func TestValues(t *testing.T) {
	observed := func(n int) (obs []Observation) {
		for i := range n {
			o := Observation{Value: 1500, Outcome: Observed, Hit: i == 0, Primary: true}
			o.Person[0] = byte(i%2 + 1)
			obs = append(obs, o)
		}
		return obs
	}
	none := []Observation{{Outcome: Excluded, Reason: NoBaseline, Primary: true}}
	for _, c := range []struct {
		name      string
		statistic Statistic
		grain     Grain
		obs       []Observation
		missing   []Reason
		withdrawn bool
		want      string // of value, unit, numerator, denominator, missing
	}{
		{"durations", MedianDuration, Hour, observed(2), nil, false, `1.5 "seconds" null null ""`},
		{"no duration", MedianDuration, Hour, none, nil, false, `null "seconds" null null "nothing_observed"`},
		{"no duration, and it is known why", MedianDuration, Hour, none, []Reason{UnknownCommit, NoBaseline}, false, `null "seconds" null null "no_baseline"`},
		{"count", Count, Day, observed(3), nil, false, `3 "count" null null ""`},
		{"count of nothing", Count, Day, none, nil, false, `0 "count" null null ""`},
		{"withdrawn count", Count, Day, nil, nil, true, `null "count" null null "nothing_observed"`},
		{"share", Share, Day, observed(3), nil, false, `0.3333333333333333 "share" 1 3 ""`},
		{"share of nothing", Share, Day, none, nil, false, `null "share" null null "nothing_observed"`},
		{"people with a hit", People, Day30, observed(5), nil, false, `1 "people" null null ""`},
		{"acts by hour", Heat, Day, observed(3), nil, false, `3 "count" null null ""`},
		{"sessions", CountLength, Day, observed(3), nil, false, `3 "count" null null ""`},
		{"what waits", Gauge, Day, observed(4), nil, false, `4 "count" null null ""`},
		{"nothing waits", Gauge, Day, nil, nil, false, `0 "count" null null ""`},
		{"an hour of deployments", PerDay, Hour, observed(2), nil, false, `2 "count" null null ""`},
		{"30 days of them", PerDay, Day30, observed(2), nil, false, `0.06666666666666667 "per_day" 2 30 ""`},
		{"lines", MedianLines, Day, observed(1), nil, false, `1500 "lines" null null ""`},
	} {
		p := &Point{
			Definition: &Definition{Statistic: c.statistic, Missing: c.missing}, Grain: c.grain, Withdrawn: c.withdrawn,
			Aggregate: aggregateOf(c.statistic, c.obs),
		}
		p.Missing = p.missing()
		j := p.JSON()
		var b bytes.Buffer
		for i, v := range []any{j.Value, j.Unit, j.Numerator, j.Denominator, j.Missing} {
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 {
				b.WriteByte(' ')
			}
			b.Write(text)
		}
		if b.String() != c.want {
			t.Errorf("%s: %s, not %s", c.name, &b, c.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[Number]string{0: "0", 9000: "9000", 492.5: "492.5", 0.1: "0.1", 1e21: "1000000000000000000000", 1e-7: "0.0000001", -2.25: "-2.25"} {
		b, err := json.Marshal(n)
		if err != nil || string(b) != want {
			t.Errorf("%v is %s, not %s (%v)", float64(n), b, want, err)
		}
	}
}
