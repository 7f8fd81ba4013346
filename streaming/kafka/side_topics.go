package kafka

import "time"

// PointsTopic holds the points of the generation that readers see, as it emits
// them, for programs beside this one. It can be thrown away: tables have them all.
func (c Config) PointsTopic() string { return c.prefix() + ".points" }

// LateTopic and QuarantineTopic hold the events that the generation that readers
// see did not accept, each with its reason, its origin and the clock that judged.
func (c Config) LateTopic() string       { return c.prefix() + ".late" }
func (c Config) QuarantineTopic() string { return c.prefix() + ".quarantine" }

// How long side outputs are kept: by the broker's own clock, for nothing is
// computed from them. Of points a served broker keeps the last one of each key.
const (
	embeddedSide = 24 * time.Hour
	servedSide   = 7 * 24 * time.Hour
)

// SideTopics returns the topics that nothing is computed from.
func (c Config) SideTopics(partitions int32) []Topic {
	keep := servedSide
	if c.Embedded {
		keep = embeddedSide
	}
	return []Topic{
		{Name: c.PointsTopic(), Partitions: partitions, Compact: true, Keep: keep},
		{Name: c.LateTopic(), Partitions: partitions, Keep: keep},
		{Name: c.QuarantineTopic(), Partitions: partitions, Keep: keep},
	}
}
