package metrics_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"meridian/metrics"
)

func TestDORAFacts(t *testing.T) {
	point := func(name metrics.Name, service string, n, hits int64, excluded ...any) *metrics.Point {
		p := &metrics.Point{Metric: name, Service: service, Grain: metrics.Day, Definition: metrics.Find(name), Aggregate: &metrics.Aggregate{}}
		a := &p.Aggregate.All
		a.N, a.Hits = n, hits
		for i := 0; i < len(excluded); i += 2 {
			a.Excluded = append(a.Excluded, metrics.Counted{Name: fmt.Sprint(excluded[i]), N: int64(excluded[i+1].(int))})
		}
		return p
	}
	lead := point("lead_time", "", 3, 0, metrics.NoBaseline, 1, metrics.UnknownCommit, 4)
	lead.Aggregate.All.Basis = metrics.Tally{{Name: "from_open", N: 1}, {Name: "measured", N: 2}}
	lead.Aggregate.All.Values = []int64{1, 2, 3}
	rate := point("change_failure_rate", "", 20, 2, metrics.NoIncidentSource, 3)
	none := point("change_failure_rate", "search", 0, 0, metrics.NoIncidentSource, 3)
	none.Missing = metrics.NoIncidentSource
	got := describeUses(metrics.DORAFacts([]*metrics.Point{
		point("deploy_frequency", "", 23, 0, metrics.NotProduction, 5), lead, rate, none, point("rework_rate", "", 23, 0),
	}, nil))
	want := []string{
		"deploy_frequency true: 23 production deployments seen.",
		"  lacks not_production 5: 5 deployments went to other environments.",
		"lead_time true: 3 changes deployed. 2 of them from their first commit. 1 of them from when its pull request was opened.",
		"  lacks unknown_commit 1: The first commits of some changes are not known.",
		"  lacks unknown_commit 4: 4 deployments are without a known commit, of 23.",
		"  lacks no_baseline 1: 1 change came with the first deployment of its service, which is what later ones are compared with.",
		"change_failure_rate true: 20 deployments of which a failure would be heard. 2 of them failed.",
		"  lacks no_incident_source 3 (search): There is no incident source for search.",
		"failed_deployment_recovery_time false: 2 deployments of this time failed.",
		"  lacks no_incident_source 3: 3 deployments of which no failure could be heard.",
		"  lacks nothing_observed 2: None of the failures is over, or they ended at another time.",
		"rework_rate true: 23 production deployments seen.",
		"  lacks nothing_observed 23: No deployment says that it fixes something.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	got = describeUses(metrics.DORAFacts(nil, map[metrics.Name]metrics.Coverage{"lead_time": {}}))
	if len(got) < 5 || !slices.Contains(got, "  lacks no_source 0: No source that it reads has sent anything.") {
		t.Errorf("of nothing it is\n%s", strings.Join(got, "\n"))
	}
}

func describeUses(uses []metrics.DORAUse) (lines []string) {
	for _, u := range uses {
		line := fmt.Sprintf("%s %v:", u.Metric, u.Known)
		for _, f := range u.Used {
			line += " " + f.Text
		}
		lines = append(lines, line)
		for _, l := range u.Lacks {
			service := ""
			if l.Service != "" {
				service = " (" + l.Service + ")"
			}
			lines = append(lines, fmt.Sprintf("  lacks %s %d%s: %s", l.Reason, l.Count, service, l.Text))
		}
	}
	return lines
}
