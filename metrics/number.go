package metrics

import "strconv"

// Number is a statistic as points show it. It is written as the shortest
// decimal that reads back as the same number, without an exponent.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) { return n.append(nil), nil }

// String returns n as JSON has it.
func (n Number) String() string { return string(n.append(nil)) }

func (n Number) append(dst []byte) []byte {
	return strconv.AppendFloat(dst, float64(n), 'f', -1, 64)
}

func numberOrNull(n Number, ok bool) *Number {
	if !ok {
		return nil
	}
	return &n
}
