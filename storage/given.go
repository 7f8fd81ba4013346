package storage

import "meridian/metrics"

// given reads what a row says that it was when it was final.
func given(n *int64, value *float64) *metrics.Given {
	if n == nil || value == nil {
		return nil
	}
	return &metrics.Given{N: *n, Value: metrics.Number(*value)}
}

func givenN(p *metrics.Point) (int64, bool) {
	if p.Given == nil {
		return 0, false
	}
	return p.Given.N, true
}

func givenValue(p *metrics.Point) (metrics.Number, bool) {
	if p.Given == nil {
		return 0, false
	}
	return p.Given.Value, true
}
