package metrics

import (
	"math"

	"meridian/streaming/timeline"
)

// Given is what the final row of a window said that was revised since: who took that
// number down finds it again beside the one that holds now. It is what the row said
// when it was final, however often it is revised; a window that was never final, or
// whose final row had no value, has none.
type Given struct {
	N     int64
	Value Number // in the unit of the point
}

// give notes what a window said before these changes, if that was its final row and
// had a value. The changes are in the cells already, so they are taken out again.
func (s *series) give(g grainIndex, key int64, from, to timeline.Cell, changes []change) {
	p := Point{Metric: s.def.Name, Definition: s.def, Grain: g.grain(), Aggregate: s.unchanged(g, from, to, changes)}
	p.Missing = p.missing()
	value, ok := p.Value()
	if !ok {
		return
	}
	if s.given == nil {
		s.given = map[keptWindow]Given{}
	}
	s.given[keptWindow{g, key}] = Given{p.N(), value}
}

// gave is what a window said when it was final, nil where it was not or is so still.
func (s *series) gave(k keptWindow) *Given {
	if g, ok := s.given[k]; ok {
		return &g
	}
	return nil
}

// code is what a snapshot holds of a window's, with its key.
func (g *Given) code(c *coder, key *int64) {
	bits := math.Float64bits(float64(g.Value))
	c.signed(key)
	c.signed(&g.N)
	c.fixed(&bits)
	g.Value = Number(math.Float64frombits(bits))
}
