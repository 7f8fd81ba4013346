package views

import (
	"math"
	"strconv"
	"strings"
)

// thin is the narrow no-break space between a number and its unit.
const thin = "\u202f"

// Duration writes seconds for people, in the two largest units that matter:
// 45 s, 12 min 30 s, 2 h 30 min, 3 d 4 h.
func Duration(seconds float64) string {
	if seconds < 0 {
		return "−" + Duration(-seconds)
	}
	switch s := int64(math.Round(seconds)); {
	case seconds == 0:
		return "0" + thin + "s"
	case s < 1:
		return strconv.FormatFloat(math.Max(seconds, 0.001), 'f', 3, 64) + thin + "s"
	case s < 60:
		return unit(s, "s")
	case s < 10*60:
		return two(s/60, "min", s%60, "s")
	case s < 60*60-30:
		return unit((s+30)/60, "min")
	case s < 48*3600-30:
		m := (s + 30) / 60
		return two(m/60, "h", m%60, "min")
	case s < 100*24*3600:
		h := (s + 1800) / 3600
		return two(h/24, "d", h%24, "h")
	default:
		return unit((s+12*3600)/(24*3600), "d")
	}
}

func unit(n int64, name string) string { return Int(n) + thin + name }

func two(a int64, an string, b int64, bn string) string {
	if b == 0 {
		return unit(a, an)
	}
	return unit(a, an) + " " + unit(b, bn)
}

// Int writes a whole number with its thousands apart: 12,345.
func Int(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "−", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Share writes a share between 0 and 1 in per cent, with one decimal below ten.
func Share(v float64) string {
	p := v * 100
	if r := math.Round(p); p == r || math.Abs(p) >= 10 {
		return Int(int64(r)) + thin + "%"
	}
	return decimal(p, 1) + thin + "%"
}

// Rate writes a small number with as many decimals as it needs: 12, 3.4, 0.07.
func Rate(v float64) string {
	switch a := math.Abs(v); {
	case v == math.Trunc(v) || a >= 100:
		return Int(int64(math.Round(v)))
	case a >= 1:
		return decimal(v, 1)
	default:
		return decimal(v, 2)
	}
}

func decimal(v float64, places int) string {
	s := strconv.FormatFloat(v, 'f', places, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return strings.Replace(s, "-", "−", 1)
}

// Number writes v in the unit that points carry.
func Number(v float64, unit string) string {
	switch unit {
	case "seconds":
		return Duration(v)
	case "share":
		return Share(v)
	case "per_day":
		return Rate(v) + " a day"
	}
	return Rate(v)
}

// Exact writes v as it is, for the title of what Number wrote.
func Exact(v float64, unit string) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	switch unit {
	case "seconds":
		return s + " s"
	case "per_day":
		return s + " a day"
	case "count", "share", "":
		return s
	}
	return s + " " + unit
}

// Plural is "1 item", "2 items".
func Plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Int(n) + " " + many
}
