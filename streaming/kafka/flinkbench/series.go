package main

import "slices"

// team is its metrics, by number.
type team struct{ metrics [metricCount]*series }

// series is one metric of one team: dense days of hours from the first on, since
// most of them are filled.
type series struct {
	exact bool // keeps values, for the median
	first int64
	days  []cells

	dirtyHours, dirtyDays []int64 // closed ones that have changed since the last tick

	// The window of 30 days that ends with the last closed day.
	total  total
	values []int64 // sorted
}

type total struct{ count, sum int64 }

// cells is one day.
type cells struct {
	all    total
	hours  [24]total
	values []value
}

type value struct {
	hour  int64
	value int64
}

func (t *team) put(j *job, metric int32, time, v, sign int64) {
	s := t.metrics[metric]
	d, h := time/day, time/hour
	if s == nil {
		s = &series{exact: metric == pickup || metric == review, first: d}
		t.metrics[metric] = s
	}
	if d < s.first {
		s.days = slices.Insert(s.days, 0, make([]cells, s.first-d)...)
		s.first = d
	}
	for int(d-s.first) >= len(s.days) {
		s.days = append(s.days, cells{})
	}
	c := &s.days[d-s.first]
	c.all.add(sign, sign*v)
	c.hours[h%24].add(sign, sign*v)
	if s.exact {
		if sign > 0 {
			c.values = append(c.values, value{h, v})
		} else {
			i := slices.Index(c.values, value{h, v})
			c.values = slices.Delete(c.values, i, i+1)
		}
	}
	if h < j.hours {
		s.dirtyHours = append(s.dirtyHours, h)
	}
	if d < j.days {
		s.dirtyDays = append(s.dirtyDays, d)
		if d >= j.days-trailing {
			s.total.add(sign, sign*v)
			if s.exact {
				i, _ := slices.BinarySearch(s.values, v)
				if sign > 0 {
					s.values = slices.Insert(s.values, i, v)
				} else {
					s.values = slices.Delete(s.values, i, i+1)
				}
			}
		}
	}
}

func (t *total) add(count, sum int64) { t.count, t.sum = t.count+count, t.sum+sum }

// at returns a day's cells, nil where there are none.
func (s *series) at(d int64) *cells {
	if d < s.first || int(d-s.first) >= len(s.days) {
		return nil
	}
	return &s.days[d-s.first]
}

// tick emits what has changed among the closed windows, and closes those before
// hour hours and day days.
func (s *series) tick(j *job, hours, days int64, emit func(row)) {
	if len(s.dirtyHours) > 0 {
		slices.Sort(s.dirtyHours)
		for _, h := range slices.Compact(s.dirtyHours) {
			s.emitHour(h, emit)
		}
		s.dirtyHours = s.dirtyHours[:0]
	}
	end := s.first + int64(len(s.days))
	for h := max(j.hours, s.first*24); h < min(hours, end*24); h++ {
		if s.at(h / 24).hours[h%24].count > 0 {
			s.emitHour(h, emit)
		}
	}
	if len(s.dirtyDays) > 0 {
		s.emitDirty(j.days, emit)
	}
	for d := max(j.days, s.first); d < min(days, end+trailing); d++ {
		s.slide(d)
		if s.total.count > 0 {
			emit(row{days: true, end: (d + 1) * day, window: window{s.total.count, s.total.sum, median(s.values)}})
		}
	}
}

func (s *series) emitHour(h int64, emit func(row)) {
	c := s.at(h / 24)
	r := row{end: (h + 1) * hour, window: window{count: c.hours[h%24].count, sum: c.hours[h%24].sum}}
	if s.exact {
		var room [16]int64
		of := room[:0]
		for _, v := range c.values {
			if v.hour == h {
				of = append(of, v.value)
			}
		}
		slices.Sort(of)
		r.median = median(of)
	}
	emit(r)
}

// emitDirty emits the closed windows of 30 days that changed days lie in.
func (s *series) emitDirty(closed int64, emit func(row)) {
	slices.Sort(s.dirtyDays)
	next := int64(0)
	for _, changed := range s.dirtyDays {
		for d := max(next, changed); d < min(closed, changed+trailing); d++ {
			w := window{s.total.count, s.total.sum, 0}
			if d == closed-1 {
				w.median = median(s.values)
			} else {
				w = s.window30(d)
			}
			emit(row{days: true, end: (d + 1) * day, window: w})
			next = d + 1
		}
	}
	s.dirtyDays = s.dirtyDays[:0]
}

// window30 works out the 30 days that end with d from their cells.
func (s *series) window30(d int64) (w window) {
	var all []int64
	for of := d - trailing + 1; of <= d; of++ {
		if c := s.at(of); c != nil {
			w.count, w.sum = w.count+c.all.count, w.sum+c.all.sum
			for _, v := range c.values {
				all = append(all, v.value)
			}
		}
	}
	slices.Sort(all)
	w.median = median(all)
	return w
}

// slide moves the window of 30 days to end with d, the day after.
func (s *series) slide(d int64) {
	var in, out []int64
	if c := s.at(d); c != nil {
		s.total.add(c.all.count, c.all.sum)
		in = sorted(c.values)
	}
	if c := s.at(d - trailing); c != nil {
		s.total.add(-c.all.count, -c.all.sum)
		out = sorted(c.values)
	}
	if len(in)+len(out) == 0 {
		return
	}
	merged := make([]int64, 0, len(s.values)+len(in))
	for _, v := range s.values {
		if len(out) > 0 && out[0] == v {
			out = out[1:]
			continue
		}
		for len(in) > 0 && in[0] < v {
			merged, in = append(merged, in[0]), in[1:]
		}
		merged = append(merged, v)
	}
	s.values = append(merged, in...)
}

func sorted(values []value) []int64 {
	out := make([]int64, len(values))
	for i := range values {
		out[i] = values[i].value
	}
	slices.Sort(out)
	return out
}

func median(sorted []int64) int64 {
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return sorted[(n-1)/2] + sorted[n/2]
}
