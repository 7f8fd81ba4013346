package web

import (
	"sync"

	"meridian/metrics"
)

// cuts keeps partitions for the newest clock, as memo does answers: rows change
// with every round, and nothing has to be invalidated.
type cuts struct {
	mu sync.Mutex
	as metrics.AsOf
	of map[metrics.Name]map[int]*judged
}

// known returns the partitions of periods [from, to] that are kept, and the
// periods that are not. The map is the caller's.
func (c *cuts) known(as metrics.AsOf, name metrics.Name, from, to int) (found map[int]*judged, missing []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found = map[int]*judged{}
	for period := from; period <= to; period++ {
		if j := c.of[name][period]; j != nil && c.as == as {
			found[period] = j
		} else {
			missing = append(missing, period)
		}
	}
	return found, missing
}

func (c *cuts) keep(as metrics.AsOf, name metrics.Name, cut map[int]*judged) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if as.Generation == c.as.Generation && as.Clock < c.as.Clock {
		return // somebody who began earlier
	}
	if c.as != as || c.of == nil {
		c.as, c.of = as, map[metrics.Name]map[int]*judged{}
	}
	if c.of[name] == nil {
		c.of[name] = map[int]*judged{}
	}
	for period, j := range cut {
		c.of[name][period] = j
	}
}
