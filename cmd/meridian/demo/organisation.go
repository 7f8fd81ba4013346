package demo

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"

	"meridian/ingest"
	"meridian/streaming/timeline"
)

// HistoryDays is how long the history is.
const HistoryDays = 90

// Organisation is the synthetic organisation at one moment. It holds no more than
// what it was made of: each call computes what it returns.
type Organisation struct {
	seed  uint64
	now   timeline.Millis
	start timeline.Millis
}

// New returns the organisation of a seed, with its history up to now. It costs
// nothing yet.
func New(seed uint64, now timeline.Millis) *Organisation {
	// GitHub's times have seconds, and so has the moment that splits history from
	// what is live.
	now -= now % timeline.Second
	return &Organisation{seed: seed, now: now, start: now - HistoryDays*timeline.Day}
}

// Source is one endpoint that the organisation sends to, /webhooks/Provider/Name.
type Source struct {
	Provider string
	Name     string
	Secret   string // what its deliveries are signed with (HMAC-SHA256)
}

// Names of the sources.
const (
	hostingName = "quillhaven" // github
	trackerName = "tracker"    // jira
	shipperName = "conveyor"   // deploy
)

// Sources returns the sources to configure, with secrets that depend on the seed
// alone: they protect invented data on a loopback address.
func (o *Organisation) Sources() []Source {
	return []Source{
		o.source("github", hostingName),
		o.source("jira", trackerName),
		o.source("deploy", shipperName),
	}
}

func (o *Organisation) source(provider, name string) Source {
	sum := sha256.Sum256(fmt.Appendf(nil, "demo secret %d %s %s", o.seed, provider, name))
	return Source{provider, name, hex.EncodeToString(sum[:20])}
}

// History returns the deliveries of the days before now, in order of receipt and
// all received before now. There are no ticks among them; an archive without ticks
// gets them where something can happen.
func (o *Organisation) History() iter.Seq[ingest.ArchiveLine] {
	return func(yield func(ingest.ArchiveLine) bool) {
		w := o.simulate(true)
		for i, m := range w.out {
			if m.received >= o.now {
				return
			}
			if !yield(ingest.ArchiveLine{Number: i + 1, Delivery: m.delivery()}) {
				return
			}
		}
	}
}
