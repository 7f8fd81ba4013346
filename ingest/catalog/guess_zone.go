package catalog

import (
	"fmt"
	"slices"
	"strings"

	"meridian/streaming/timeline"
)

// likelyZones are tried in this order: zones in which many people write software,
// one for each rule of offsets and summer time that is in use.
var likelyZones = []string{
	"Europe/Berlin", "Europe/London", "America/New_York", "America/Los_Angeles", "Asia/Kolkata", "Asia/Shanghai", "America/Sao_Paulo",
	"Asia/Tokyo", "Australia/Sydney", "America/Chicago", "America/Denver", "Europe/Kyiv", "Asia/Ho_Chi_Minh", "Asia/Singapore", "Europe/Istanbul",
	"Asia/Dubai", "Asia/Karachi", "Asia/Dhaka", "Asia/Jerusalem", "Africa/Lagos", "Africa/Johannesburg", "Africa/Nairobi", "Africa/Cairo",
	"America/Toronto", "America/Mexico_City", "America/Bogota", "America/Argentina/Buenos_Aires", "America/Santiago", "America/Phoenix",
	"America/Anchorage", "America/Halifax", "America/St_Johns", "Atlantic/Azores", "Asia/Kathmandu", "Asia/Colombo", "Asia/Yangon", "Asia/Tehran",
	"Asia/Kabul", "Asia/Tashkent", "Asia/Almaty", "Asia/Yekaterinburg", "Asia/Novosibirsk", "Australia/Brisbane", "Australia/Adelaide",
	"Australia/Darwin", "Australia/Perth", "Pacific/Auckland", "Pacific/Honolulu", "Europe/Chisinau", "Europe/Moscow", "Asia/Seoul",
}

// zoneGuess is a zone and what speaks for it.
type zoneGuess struct {
	zone string
	why  string
}

// agreement is the share of clocks that a zone has to explain: people travel.
const agreement = 0.8

// guessZone finds the zone whose offsets agree best with those that somebody's
// clocks have shown. preferred are tried first, so that a team that is known to
// be in Vienna is not taken to be in Berlin. Offsets of 0 say nothing by
// themselves, since services write in UTC whoever acts; they count once another
// offset has been seen.
func guessZone(offsets map[clockShown]*shown, profiles map[string]int64, preferred []string) (zoneGuess, bool) {
	var total, other int64
	for k, o := range offsets {
		total += o.n
		if k.offset != 0 {
			other += o.n
		}
	}
	if other == 0 {
		if name, n := most(profiles); profileZone(name) != nil {
			return zoneGuess{name, fmt.Sprintf("the profile of the account says so (%d times)", n)}, true
		}
		return zoneGuess{}, false
	}
	profile, _ := most(profiles)
	best, least := zoneGuess{}, int64(0)
	var fits []string
	for _, name := range slices.Concat([]string{profile}, preferred, likelyZones) {
		z, err := timeline.LoadZone(name)
		if err != nil || slices.Contains(fits, name) {
			continue
		}
		var agreed int64
		for k, o := range offsets {
			if z.Offset(o.at) == timeline.Millis(k.offset)*timeline.Minute {
				agreed += o.n
			}
		}
		switch {
		case agreed > least:
			best, least, fits = zoneGuess{zone: name}, agreed, []string{name}
		case agreed == least && agreed > 0:
			fits = append(fits, name)
		}
	}
	if float64(least) < agreement*float64(total) {
		return zoneGuess{}, false
	}
	best.why = fmt.Sprintf("%d of %d times of theirs have its offset", least, total)
	if best.zone == profile {
		best.why += ", and the profile of the account says so"
	}
	if len(fits) > 1 {
		best.why += "; so have " + strings.Join(fits[1:min(len(fits), 4)], ", ")
		if len(fits) > 4 {
			best.why += " and others"
		}
	}
	return best, true
}
