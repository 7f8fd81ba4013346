package metrics

import (
	"errors"
	"fmt"

	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Config is what pins an engine's rows: the same configuration and log give
// the same rows. All of it stands in the generation's manifest.
type Config struct {
	Generation  streaming.Generation
	Catalog     *catalog.Catalog
	Definitions []*Definition
	Folds       []FoldKind

	// Horizon is how long after its time an event is accepted (H, 92 days);
	// an observation that is older does not change any more.
	Horizon timeline.Millis

	// Bounds holds the bound of out-of-orderness of each configured source. A
	// source that is not configured has none, and nobody waits for it.
	Bounds map[event.Source]timeline.Millis

	// HistoryEnd is the round at which a recomputed history ends, 0 without
	// one. Rounds before it emit nothing, at it everything is emitted once.
	HistoryEnd streaming.Round

	// Keep turns off the eviction of cells, windows and quality, so that Final
	// knows windows of any age. Rows do not depend on it; memory does.
	Keep bool
}

// DefaultHorizon is 92 days: 30-day windows and a 90-day backfill are inside.
const DefaultHorizon = 92 * timeline.Day

const (
	openLife = 400 * timeline.Day // how long an open entity, or a stub, is kept after its last fact
	cellLife = 31 * timeline.Day  // how much longer than the horizon a change can touch a 30-day window
)

// Validate reports all problems at once.
func (c *Config) Validate() error {
	var problems []error
	problem := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("metrics: "+format, args...))
	}
	if c.Catalog == nil {
		problem("the engine needs a catalog; catalog.Empty makes one")
	}
	if c.Horizon <= 0 {
		problem("the horizon is %s; it must be above 0 (default 92d)", timeline.FormatLength(c.Horizon))
	}
	for _, s := range event.Sources {
		if b := c.Bounds[s]; b < 0 || b > c.Horizon {
			problem("the bound of %s is %s; it must lie between 0 and the horizon", s, timeline.FormatLength(b))
		}
	}
	kinds := map[Subject]bool{}
	for _, k := range c.Folds {
		if kinds[k.Subject] || k.New == nil || k.Entity == nil && k.Spell == nil && k.Entities == nil {
			problem("subject %d must have one complete fold kind", k.Subject)
		}
		kinds[k.Subject] = true
	}
	names := map[Name]bool{}
	for _, d := range c.Definitions {
		switch {
		case d.Name == "" || names[d.Name]:
			problem("metric %q is in the list twice, or has no name", d.Name)
		case !kinds[d.Subject]:
			problem("metric %s reads subject %d, which has no fold kind", d.Name, d.Subject)
		case d.Observe == nil:
			problem("metric %s observes nothing", d.Name)
		case d.Accept < 0 || d.Accept > c.Horizon:
			problem("metric %s accepts for %s; it must be within the horizon", d.Name, timeline.FormatLength(d.Accept))
		}
		names[d.Name] = true
	}
	return errors.Join(problems...)
}

// lag is how far a metric's clock is behind the shard's: the largest bound of
// its configured sources and its own wait.
func (c *Config) lag(d *Definition) timeline.Millis {
	var bound timeline.Millis
	for _, s := range d.Sources {
		bound = max(bound, c.Bounds[s])
	}
	return bound + d.Wait
}
