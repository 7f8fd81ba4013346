// Package timeline knows time: instants, 15-minute cells, windows, local dates,
// zones and working hours. It is the only place where a zone is applied to an
// instant, and it does so from its own copy of the zone data, whose hash is part
// of every generation: the same log gives the same rows on every machine.
//
// It does not know what happens at an instant, who works in a zone, or what time
// it is now. It reads neither a clock nor the system's zone files.
//
// Surprising things:
//
//   - A day is not 24 hours and an hour is not 60 minutes. Days of 23, 24 and 25
//     hours exist every year; Lord Howe has days of 23.5 and 24.5 with an hour of
//     30 minutes; Samoa has no 2011-12-30, and its day is an empty window.
//   - Midnight may not exist (Cairo, Beirut, Santiago move their clocks at 00:00).
//     [Zone.Midnight] is the first instant of the date, whatever its clock shows.
//   - An hour that is repeated in autumn is two hours with the same name and two
//     offsets. [Zone.Hour] keeps them apart.
//   - Where clocks go back across a midnight that has passed (Newfoundland did so
//     at 00:01 until 2011), the repeated minutes of the old date lie inside the
//     day that had begun. Days must not overlap, so Midnight is the first instant
//     whose date is d or later, and [Zone.Date] tells the date on the clock.
//   - zoneinfo.zip is the copy of a Go distribution's lib/time/zoneinfo.zip
//     (see [DataVersion]). Replacing it changes [DataHash], and so begins a new generation.
package timeline
