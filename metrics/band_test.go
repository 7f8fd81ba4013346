package metrics_test

import (
	"math"
	"testing"

	"meridian/metrics"
)

func TestBand(t *testing.T) {
	for _, c := range []struct {
		metric                 metrics.Name
		low, high, from, until float64
	}{
		{"pr_pickup_time", 14400, 14400, 0, 14400},
		{"deploy_frequency", 0.5, 0.5, 0.5, math.Inf(1)},
		{"work_heatmap", 5, 5, 5, 5},
		{"pr_size", 50, 400, 50, 400},
	} {
		if from, until := metrics.Find(c.metric).Band(c.low, c.high); from != c.from || until != c.until {
			t.Errorf("%s: %g to %g is from %g until %g", c.metric, c.low, c.high, from, until)
		}
	}
}
