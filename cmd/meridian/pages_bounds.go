package main

import "meridian/web"

// measuredBounds are the bounds of sources beside what was measured, for the
// quality page: what `meridian lag` says of them.
func (m *machine) measuredBounds() (out []web.Bound) {
	for _, b := range m.delays.sources() {
		out = append(out, web.Bound{
			Source: b.source.String(), Wait: b.bound, Events: b.n, Late: b.late, For1: boundFor(&b, 0.01), ForTen: boundFor(&b, 0.001),
			P50: b.quantile(0.5), P99: b.quantile(0.99), Max: b.max, Exceeded: b.exceeds(m.delays.budget),
		})
	}
	return out
}
