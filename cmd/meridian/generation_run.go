package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"meridian/metrics"
	"meridian/storage"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// runKind says why a generation is computed. One that has no record of a run was
// begun by itself, and takes over as configured; the others wait for a word.
type runKind string

const (
	runUpgrade runKind = "upgrade" // begun by itself: a change of catalog, settings or logic, or something was lost
	runRestate runKind = "restate" // today's catalog and logic over all history
	runAudit   runKind = "audit"   // the live generation's manifest again, whose rows it has to reproduce
)

// Kinds that the first generations of an instance are shown with. They begin by
// themselves, and are no upgrade of anything.
const (
	runFirst  runKind = "first"
	runImport runKind = "import"
)

// The reasons of their manifests.
const (
	becauseMade     = "the instance was made"
	becauseImported = "an archive was imported"
	becauseHistory  = "a history was imported"
)

// shownKind is the kind of a generation for people.
func shownKind(m streaming.GenerationManifest, r runRecord) runKind {
	switch {
	case r.Kind == runUpgrade && m.Reason == becauseMade:
		return runFirst
	case r.Kind == runUpgrade && (m.Reason == becauseImported || m.Reason == becauseHistory):
		return runImport
	}
	return r.Kind
}

// runRecord is what the ledger holds of a run besides its manifest.
type runRecord struct {
	Kind    runKind              `json:"kind"`
	By      string               `json:"by,omitempty"`
	Of      streaming.Generation `json:"of,omitempty"` // of an audit: whose rows
	Limits  runLimits            `json:"limits"`
	MaxRate int64                `json:"max_rate,omitempty"` // deliveries a second; 0: as configured
	Problem string               `json:"problem,omitempty"`  // why it stands, until somebody resumes it
	Audit   *auditReport         `json:"audit,omitempty"`    // an audit that is over
	Ended   timeline.Millis      `json:"ended,omitempty"`
	Emptied bool                 `json:"emptied,omitempty"` // an audit's rows are gone
}

// stands reports whether nothing is done for the run at the moment.
func (r runRecord) stands() bool { return r.Problem != "" || r.Audit != nil }

// runLimits are what is written of a run. Everything is folded all the same.
type runLimits struct {
	From    timeline.Millis `json:"from,omitempty"` // of windows and instants; 0: no limit
	To      timeline.Millis `json:"to,omitempty"`   // exclusive
	Teams   []string        `json:"teams,omitempty"`
	Metrics []metrics.Name  `json:"metrics,omitempty"`
}

// none reports whether everything is written.
func (l runLimits) none() bool {
	return l.From == 0 && l.To == 0 && len(l.Teams) == 0 && len(l.Metrics) == 0
}

// String is for people; "" without limits.
func (l runLimits) String() string {
	var words []string
	if l.From != 0 {
		words = append(words, "from "+l.From.String())
	}
	if l.To != 0 {
		words = append(words, "before "+l.To.String())
	}
	if len(l.Teams) > 0 {
		words = append(words, "teams "+strings.Join(l.Teams, ", "))
	}
	if len(l.Metrics) > 0 {
		names := make([]string, len(l.Metrics))
		for i, n := range l.Metrics {
			names[i] = string(n)
		}
		words = append(words, "metrics "+strings.Join(names, ", "))
	}
	return strings.Join(words, "; ")
}

// runOf returns the record of a generation's run.
func (l ledger) runOf(g streaming.Generation) (r runRecord, err error) {
	data, ok := l.control.Get(numbered(runKeys, g))
	if !ok {
		return runRecord{Kind: runUpgrade}, nil
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("the record of run %d cannot be read: %w", g, err)
	}
	return r, nil
}

func (l ledger) setRun(ctx context.Context, g streaming.Generation, r runRecord) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return l.control.Put(ctx, numbered(runKeys, g), data)
}

// course returns the generation that numbers come from now, or will: the newest
// that was begun by itself since the last turn, else the one that readers see.
// Runs that somebody asked for are beside it.
func (l ledger) course() (m streaming.GenerationManifest, any bool, err error) {
	all, err := l.manifests()
	if err != nil {
		return m, false, err
	}
	t, err := l.live()
	if err != nil {
		return m, false, err
	}
	last := t.Generation
	for _, b := range t.Before {
		last = max(last, b)
	}
	for _, g := range slices.Backward(all) {
		if g.Number != t.Generation && g.Number <= last {
			continue
		}
		r, err := l.runOf(g.Number)
		if err != nil {
			return m, false, err
		}
		if g.Number == t.Generation || r.Kind == runUpgrade {
			return g, true, nil
		}
	}
	return m, false, nil
}

// next returns a number that no generation has had. Numbers of those that were
// dropped are not given again: a reader may still hold one.
func (l ledger) next(ctx context.Context, above streaming.Generation) (streaming.Generation, error) {
	highest, err := l.highest()
	if err != nil {
		return 0, err
	}
	if above > highest {
		if err := l.setOthers(ctx, above); err != nil {
			return 0, err
		}
	}
	for number := max(above, highest) + 1; ; number++ {
		// Another coordinator may not have ended yet, or have begun already.
		mine, err := l.control.Claim(ctx, fmt.Sprintf("generation/%d", number))
		if err != nil {
			return 0, err
		}
		if mine {
			return number, l.control.Put(ctx, highestKey, fmt.Appendf(nil, "%d", number))
		}
	}
}

// setOthers notes that numbers up to one may be of another log: the tables, or what
// snapshots there are, know of more than this one has given.
func (l ledger) setOthers(ctx context.Context, up streaming.Generation) error {
	return l.control.Put(ctx, othersKey, fmt.Appendf(nil, "%d", up))
}

// ours says which numbers were surely given to generations of this log, be they gone.
func (l ledger) ours() (func(streaming.Generation) bool, error) {
	var others, highest streaming.Generation
	for key, n := range map[string]*streaming.Generation{othersKey: &others, highestKey: &highest} {
		if data, ok := l.control.Get(key); ok {
			if err := json.Unmarshal(data, n); err != nil {
				return nil, fmt.Errorf("the control record %q cannot be read: %w", key, err)
			}
		}
	}
	return func(g streaming.Generation) bool { return g > others && g <= highest }, nil
}

// highest is the highest number that a generation has had.
func (l ledger) highest() (highest streaming.Generation, err error) {
	all, err := l.manifests()
	if err != nil {
		return 0, err
	}
	for _, m := range all {
		highest = max(highest, m.Number)
	}
	data, ok := l.control.Get(highestKey)
	if !ok {
		return highest, nil
	}
	var n streaming.Generation
	if err := json.Unmarshal(data, &n); err != nil {
		return 0, fmt.Errorf("the record of the highest generation cannot be read: %w", err)
	}
	return max(highest, n), nil
}

// side is where the rows of a generation are written: those of the one that
// readers see go into the live tables, all others into the replay tables. Before
// the first turn nobody reads, and the first need not be moved.
func (t turn) side(g streaming.Generation) storage.Side {
	if t.Generation == 0 || t.Generation == g {
		return storage.Live
	}
	return storage.Replay
}

// kept reports whether a generation that was replaced can be gone back to.
func (t turn) kept(g streaming.Generation, keep int, now time.Time) bool {
	return now.Sub(t.At) < keepFor && slices.Contains(t.Before[:min(len(t.Before), max(0, keep))], g)
}

// keepFor is how long generations that were replaced are kept.
const keepFor = 7 * 24 * time.Hour
