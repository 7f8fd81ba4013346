package metrics

import "math"

// Band returns between which values a metric is where a team wants it to be, in
// the unit of its points. A threshold (low and high are equal) reaches to the
// better side, which the passport names: below it, or above it without an end;
// of a metric that has no better side it is a line. A band is shown beside the
// values and judges nothing.
func (d *Definition) Band(low, high float64) (from, to float64) {
	if low == high {
		switch d.Passport.Better {
		case "lower":
			return 0, high
		case "higher":
			return low, math.Inf(1)
		}
	}
	return low, high
}
