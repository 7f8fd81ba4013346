package timeline

import (
	"fmt"
	"strconv"
	"strings"
)

// lengthUnits are the units of a length, from large to small. A week, a month and
// a year are missing on purpose: they are windows of a calendar, not lengths.
var lengthUnits = [...]struct {
	name   string
	length Millis
}{{"d", Day}, {"h", Hour}, {"m", Minute}, {"s", Second}, {"ms", 1}}

// ParseLength reads a length of time such as 92d, 1h30m or 500ms: whole numbers
// with a unit, from large to small, each unit at most once. A bare 0 is read too.
func ParseLength(s string) (Millis, error) {
	if s == "0" {
		return 0, nil
	}
	bad := func(why string) (Millis, error) {
		return 0, fmt.Errorf("%w: %q: %s; write it as 92d, 1h30m or 500ms (units ms, s, m, h, d)", ErrBadLength, s, why)
	}
	if s == "" {
		return bad("it is empty")
	}
	if s[0] == '-' {
		return bad("it is negative")
	}
	var total Millis
	next := 0 // the largest unit that may still come
	for rest := s; rest != ""; {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		if digits == 0 {
			return bad("a number is missing")
		}
		number, err := strconv.ParseInt(rest[:digits], 10, 64)
		if err != nil {
			return bad("it is too long")
		}
		rest = rest[digits:]
		name := rest
		if end := strings.IndexAny(rest, "0123456789"); end >= 0 {
			name = rest[:end]
		}
		rest = rest[len(name):]
		unit := -1
		for i := range lengthUnits {
			if lengthUnits[i].name == name {
				unit = i
			}
		}
		switch {
		case name == "":
			return bad("a unit is missing")
		case unit < 0:
			return bad(fmt.Sprintf("%q is no unit", name))
		case unit < next:
			return bad("units go from large to small, each once")
		}
		next = unit + 1
		length := lengthUnits[unit].length
		if Millis(number) > (maxMillis-total)/length {
			return bad("it is too long")
		}
		total += Millis(number) * length
	}
	return total, nil
}

// FormatLength writes a length so that [ParseLength] reads it again: 92d, 1h30m,
// 0s. A negative one gets a sign, for people; ParseLength refuses it.
func FormatLength(m Millis) string {
	if m == 0 {
		return "0s"
	}
	var b strings.Builder
	rest := uint64(m)
	if m < 0 {
		b.WriteByte('-')
		rest = -rest // right for the smallest int64 too
	}
	for _, unit := range lengthUnits {
		if n := rest / uint64(unit.length); n > 0 {
			b.WriteString(strconv.FormatUint(n, 10))
			b.WriteString(unit.name)
			rest %= uint64(unit.length)
		}
	}
	return b.String()
}
