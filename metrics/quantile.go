package metrics

// quantileDenominator is the common denominator of p50, p75 and p90 under
// linear interpolation: quantiles are kept as integers in twentieths.
const quantileDenominator = 20

// Quantile returns the quantile num/den (1/2 is the median) of the part's
// values by linear interpolation between the two nearest ranks, and false
// where there is no value. All but the last division is in integers, so that
// the same values give the same float everywhere.
func (p *Part) Quantile(num, den int64) (float64, bool) {
	n := len(p.Values)
	if n == 0 {
		return 0, false
	}
	v := interpolate(n, num, den, func(i int) int64 { return p.Values[i] })
	return float64(v) / float64(den), true
}

// interpolate returns den times the quantile num/den of n sorted values.
func interpolate(n int, num, den int64, at func(i int) int64) int64 {
	position := int64(n-1) * num
	i, rest := position/den, position%den
	low := at(int(i))
	if rest == 0 {
		return low * den
	}
	return low*den + (at(int(i+1))-low)*rest
}

// quantiles returns p50, p75 and p90 in twentieths.
func quantiles(n int, at func(i int) int64) []int64 {
	if n == 0 {
		return nil
	}
	return []int64{
		interpolate(n, 1, 2, at) * (quantileDenominator / 2),
		interpolate(n, 3, 4, at) * (quantileDenominator / 4),
		interpolate(n, 9, 10, at) * (quantileDenominator / 10),
	}
}

// quantiles returns p50, p75 and p90 of All in twentieths, nil without values.
func (a *Aggregate) quantiles() []int64 {
	if a.Quantiles != nil {
		return a.Quantiles
	}
	return quantiles(len(a.All.Values), func(i int) int64 { return a.All.Values[i] })
}

// quantile is one of quantiles, and false without values. It makes nothing: each
// point is asked for four.
func (a *Aggregate) quantile(i int) (int64, bool) {
	if len(a.Quantiles) > i {
		return a.Quantiles[i], true
	}
	if len(a.All.Values) == 0 {
		return 0, false
	}
	num, den := int64(1), int64(2)
	switch i {
	case 1:
		num, den = 3, 4
	case 2:
		num, den = 9, 10
	}
	return interpolate(len(a.All.Values), num, den, func(i int) int64 { return a.All.Values[i] }) * (quantileDenominator / den), true
}
