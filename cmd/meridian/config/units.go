package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"meridian/streaming/timeline"
)

// Length is a length of time, written with ms, s, m, h or d: 92d, 1h30m. A bare
// 0 needs no unit.
type Length timeline.Millis

// Millis returns l in the unit that everything else uses.
func (l Length) Millis() timeline.Millis { return timeline.Millis(l) }

// UnmarshalYAML reads a length.
func (l *Length) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Value == "0" {
		*l = 0
		return nil
	}
	m, err := timeline.ParseLength(n.Value)
	if err != nil || n.Kind != yaml.ScalarNode {
		return typeError(n, "not a length of time: write a number and a unit of ms, s, m, h or d, such as 92d or 1h30m")
	}
	*l = Length(m)
	return nil
}

// MarshalYAML writes a length as it is read.
func (l Length) MarshalYAML() (any, error) {
	if l == 0 {
		return 0, nil
	}
	return timeline.FormatLength(l.Millis()), nil
}

// Bytes is an amount of memory, written with KiB, MiB or GiB.
type Bytes int64

var byteUnits = []struct {
	suffix string
	size   int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

// UnmarshalYAML reads an amount of memory.
func (b *Bytes) UnmarshalYAML(n *yaml.Node) error {
	for _, u := range byteUnits {
		digits, ok := strings.CutSuffix(n.Value, u.suffix)
		if !ok {
			continue
		}
		v, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err == nil && v >= 0 && v <= math.MaxInt64/u.size {
			*b = Bytes(v * u.size)
			return nil
		}
	}
	return typeError(n, "not an amount of memory: write a number and KiB, MiB or GiB, such as 512MiB")
}

// MarshalYAML writes an amount as it is read.
func (b Bytes) MarshalYAML() (any, error) {
	for _, u := range byteUnits {
		if b != 0 && int64(b)%u.size == 0 {
			return strconv.FormatInt(int64(b)/u.size, 10) + u.suffix, nil
		}
	}
	return "0B", nil
}

// typeError is collected by the decoder with all others.
func typeError(n *yaml.Node, text string) error {
	return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: %q is %s", n.Line, n.Value, text)}}
}
