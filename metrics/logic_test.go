package metrics_test

import (
	"slices"
	"strconv"
	"testing"

	"meridian/metrics"
)

// Each version says which metrics it changes, and by names that there are.
func TestLogicChanges(t *testing.T) {
	latest, err := strconv.Atoi(metrics.LogicVersion)
	if err != nil {
		t.Fatal(err)
	}
	for version := range int32(latest) {
		names := metrics.LogicChanges(version, version+1)
		if version > 0 && len(names) == 0 {
			t.Errorf("logic %d names no metric that it changes: why is it another version?", version+1)
		}
		for _, name := range names {
			if metrics.Find(name) == nil {
				t.Errorf("logic %d changes %q, which there is not", version+1, name)
			}
		}
	}
	both := metrics.LogicChanges(2, 4)
	if !slices.Contains(both, "lead_time") || !slices.Contains(both, "after_hours") || slices.Contains(both, "pr_size") || !slices.IsSorted(both) {
		t.Errorf("from 2 to 4: %v", both)
	}
	if back := metrics.LogicChanges(4, 2); len(back) != 0 {
		t.Errorf("backwards: %v", back)
	}
}
