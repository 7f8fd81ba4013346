package timeline

// WorkingTime is the working-hours clock: how much of w is [Working] for somebody
// with schedule s in zone z. It is never negative, and it adds up: the clock over
// [a, b) and [b, c) is the clock over [a, c).
//
// Inside a run of one offset the wall clock is a straight line, so spans are moved
// by the offset and cut to the run. Minutes that a change skips are then never
// counted, and minutes that it repeats are counted twice, as they are worked twice:
// a night 22:00-06:00 has 7 hours in spring and 9 in autumn. The cost is one look
// at the schedule for each date.
func WorkingTime(z *Zone, s Schedule, w Window) Millis {
	var total Millis
	for t := w.Start; t < w.End; {
		r := z.runs.at(t)
		end := min(w.End, r.end)
		total += workingWall(s, t+r.offset, end+r.offset)
		t = end
	}
	return total
}

// workingWall is the working time between two local times of one offset.
func workingWall(s Schedule, from, to Millis) Millis {
	var total Millis
	counted := from // a night may reach into the hours of the day after it
	// The day before the first may have a night that reaches into it.
	for d := dateOf(from) - 1; d.local() < to; d++ {
		plan := s.On(d)
		if plan.Kind == Holiday {
			continue
		}
		for _, span := range plan.Spans {
			begin := max(d.local()+Millis(span.From)*Minute, counted)
			end := min(d.local()+Millis(span.To)*Minute, to)
			if begin < end {
				total += end - begin
				counted = end
			}
		}
	}
	return total
}
