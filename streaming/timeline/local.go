package timeline

// Offset is how far the zone's clocks are ahead of UTC at t (east is positive).
func (z *Zone) Offset(t Millis) Millis { return z.runs.at(t).offset }

// Steady is the longest window around t in which the offset stays what it is at t.
func (z *Zone) Steady(t Millis) (offset Millis, w Window) {
	r := z.runs.at(t)
	return r.offset, Window{r.start, r.end}
}

// local is the local time at t: what the zone's clocks show, counted as if in UTC.
func (z *Zone) local(t Millis) Millis { return t + z.runs.at(t).offset }

// Date is the local date at t.
func (z *Zone) Date(t Millis) Date { return dateOf(z.local(t)) }

// Clock is the local time of day at t.
func (z *Zone) Clock(t Millis) (hour, minute int) {
	m := z.MinuteOfDay(t)
	return m / 60, m % 60
}

// MinuteOfDay is the local time of day at t in minutes, 0 to 1439.
func (z *Zone) MinuteOfDay(t Millis) int { return int(floorMod(z.local(t), Day) / Minute) }

// Hour is the longest run of instants around t with one local date, hour and
// offset. It is an hour long except where the offset changes inside it.
func (z *Zone) Hour(t Millis) Window {
	r := z.runs.at(t)
	start := t - floorMod(t+r.offset, Hour)
	return Window{max(start, r.start), min(start+Hour, r.end)}
}

// Midnight is the first instant of local date d: 00:00, or what the clock shows
// first where a change of offset skips it. For a date that the zone skipped
// (Pacific/Apia 2011-12-30) it is the first instant after it.
func (z *Zone) Midnight(d Date) Millis {
	wanted := d.local()
	// No offset is larger than maxOffset, so nothing earlier has this date.
	r := z.runs.at(wanted - maxOffset)
	for {
		if t := max(r.start, wanted-r.offset); t < r.end {
			return t
		}
		r = z.runs.at(r.end)
	}
}

// Day is local date d: from its midnight to the next. It is empty for a date that
// the zone skipped.
func (z *Zone) Day(d Date) Window { return Window{z.Midnight(d), z.Midnight(d + 1)} }

// Days30 is the 30 local dates that end with d.
func (z *Zone) Days30(d Date) Window { return Window{z.Midnight(d - 29), z.Midnight(d + 1)} }
