package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"meridian/cmd/meridian/config"
	"meridian/ingest"
	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// resultSettings are the settings that change results. Their canonical JSON
// stands in a generation's manifest.
type resultSettings struct {
	Zone       string   `json:"zone"`
	Horizon    string   `json:"horizon"`
	GitHub     string   `json:"github"`
	Jira       string   `json:"jira"`
	Deploy     string   `json:"deploy"`
	FutureSkew string   `json:"future_skew"`
	Disabled   []string `json:"disabled"`

	Variations []metrics.Variation `json:"variations,omitempty"`

	Decoders map[string]int32 `json:"decoders,omitempty"` // versions, by provider: what older ones have decoded is read again
}

func settingsOf(c config.Config) resultSettings {
	length := func(l config.Length) string { return timeline.FormatLength(l.Millis()) }
	disabled := slices.Clone(c.Metrics.Disabled)
	slices.Sort(disabled)
	return resultSettings{
		Zone: c.Zone, Horizon: length(c.Time.Horizon), GitHub: length(c.Time.Bounds.GitHub), Jira: length(c.Time.Bounds.Jira),
		Deploy: length(c.Time.Bounds.Deploy), FutureSkew: length(c.Time.FutureSkew), Disabled: slices.Compact(disabled),
		Variations: pinnedVariations(c.Metrics),
		Decoders:   ingest.Versions(decoders(catalog.Empty(catalog.Options{}))),
	}
}

// boundsOf returns the bound of each source.
func boundsOf(c config.Config) map[event.Source]timeline.Millis {
	b := c.Time.Bounds
	return map[event.Source]timeline.Millis{event.GitHub: b.GitHub.Millis(), event.Jira: b.Jira.Millis(), event.Deploy: b.Deploy.Millis()}
}

// pinsOf returns what the generation of a manifest computes, with its catalog.
func pinsOf(m streaming.GenerationManifest, cat *catalog.Catalog) (pins, error) {
	bad := func(err error) (pins, error) {
		return pins{}, fmt.Errorf("the settings of generation %d cannot be read: %w", m.Number, err)
	}
	var s resultSettings
	if err := json.Unmarshal(m.Config, &s); err != nil {
		return bad(err)
	}
	definitions, err := definitionsOf(s.Disabled, s.Variations)
	if err != nil {
		return bad(err)
	}
	p := pins{
		generation: m.Number, historyEnd: m.HistoryEnd, eventPartitions: m.EventsPartitions,
		bounds: map[event.Source]timeline.Millis{}, definitions: definitions, catalog: cat, decoders: s.Decoders,
	}
	var errs []error
	length := func(text string) timeline.Millis {
		l, err := timeline.ParseLength(text)
		errs = append(errs, err)
		return l
	}
	p.horizon, p.futureSkew = length(s.Horizon), length(s.FutureSkew)
	p.bounds[event.GitHub], p.bounds[event.Jira], p.bounds[event.Deploy] = length(s.GitHub), length(s.Jira), length(s.Deploy)
	if err := errors.Join(errs...); err != nil {
		return bad(err)
	}
	return p, nil
}

// manifest returns what a generation that begins now would be pinned to.
func manifest(c config.Config, cat *catalog.Catalog, deliveries int32) (streaming.GenerationManifest, error) {
	logic, err := parseLogic(metrics.LogicVersion)
	if err != nil {
		return streaming.GenerationManifest{}, err
	}
	settings, err := json.Marshal(settingsOf(c))
	if err != nil {
		return streaming.GenerationManifest{}, err
	}
	m := streaming.GenerationManifest{
		Logic: logic, Config: settings, First: make([]int64, deliveries),
		EventsPartitions: eventPartitions(c), Begun: timeline.FromTime(time.Now()),
	}
	return m, errors.Join(parseHash(cat.Hash(), &m.CatalogHash), parseHash(timeline.DataHash(), &m.ZoneHash))
}

func parseLogic(version string) (int32, error) {
	n, err := strconv.ParseInt(version, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("the logic version %q is no number", version)
	}
	return int32(n), nil
}

// zoneOf returns the instance's zone that a manifest is pinned to.
func zoneOf(m streaming.GenerationManifest) (*timeline.Zone, error) {
	var s resultSettings
	if err := json.Unmarshal(m.Config, &s); err != nil {
		return nil, fmt.Errorf("the settings of generation %d cannot be read: %w", m.Number, err)
	}
	return timeline.LoadZone(s.Zone)
}

func parseHash(text string, to *streaming.Hash) error {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != sha256.Size {
		return fmt.Errorf("%q is no SHA-256", text)
	}
	copy(to[:], b)
	return nil
}

// samePins reports whether a manifest's rows would be those of another, and in
// words what differs.
func samePins(old, now streaming.GenerationManifest) (same bool, why string) {
	switch {
	case old.Logic != now.Logic:
		return false, fmt.Sprintf("the program's logic is version %d, and was %d", now.Logic, old.Logic)
	case old.ZoneHash != now.ZoneHash:
		return false, "the time zone data has changed"
	case old.CatalogHash != now.CatalogHash:
		return false, "the catalog has changed"
	case !bytes.Equal(old.Config, now.Config):
		if decodersOf(old) != decodersOf(now) {
			return false, "what sources send is read by newer decoders"
		}
		return false, "a setting that changes results has changed"
	}
	return true, ""
}

// pinsKey names everything that a manifest's rows depend on besides the log: two
// with one key have the same rows.
func pinsKey(m streaming.GenerationManifest) string {
	sum := sha256.Sum256(m.Config)
	return fmt.Sprintf("%d %s %s %x", m.Logic, m.CatalogHash, m.ZoneHash, sum)
}

// decodersOf are the decoders' versions that a manifest is pinned to, as text.
func decodersOf(m streaming.GenerationManifest) string {
	var s resultSettings
	_ = json.Unmarshal(m.Config, &s) // what cannot be read differs otherwise too
	return fmt.Sprint(s.Decoders)
}

// currentManifest returns the manifest of the generation that numbers come from, or
// will ([ledger.course]).
func currentManifest(control *kafka.Control) (streaming.GenerationManifest, bool, error) {
	return ledger{control}.course()
}

// snapshotStore keeps snapshots, and knows of which generations.
type snapshotStore interface {
	streaming.Snapshots
	NewestGeneration(context.Context) (streaming.Generation, error) // 0 is none
}

// ensureGeneration returns the generation to run: the newest one while its pins
// are those of this process and the log is the one that it has read, else a new
// one over all history, which takes over when it has caught up. last is the tick
// that every partition of the log has reached.
func ensureGeneration(ctx context.Context, c config.Config, cat *catalog.Catalog, l *deliveryLog, control *kafka.Control, snapshots snapshotStore, last streaming.Clock) (streaming.GenerationManifest, error) {
	m, err := manifest(c, cat, l.partitions)
	if err != nil {
		return m, err
	}
	old, any, err := currentManifest(control)
	if err != nil {
		return m, err
	}
	if !any {
		if err := cutOff(ctx, l, control); err != nil {
			return m, err
		}
		// Snapshots without a manifest are of a log that is gone, and are not
		// to be taken for those of a generation to come.
		before, err := snapshots.NewestGeneration(ctx)
		if err != nil {
			return m, err
		}
		number, err := ledger{control}.next(ctx, before)
		if err != nil {
			return m, err
		}
		if before == 0 {
			m.Number, m.Reason = number, becauseMade
			return m, beginGeneration(ctx, l, control, m)
		}
		return nextGeneration(ctx, l, control, m, number-1, "the log that earlier generations were computed from is gone", last)
	}
	same, why := samePins(old, m)
	if same {
		if err := kafka.EnsureTopics(ctx, l.Config, l.Events(old.Number, old.EventsPartitions)); err != nil {
			return m, err
		}
		if why, err = rebased(ctx, l, snapshots, old); err != nil || why == "" {
			return old, err
		}
	}
	number, err := ledger{control}.next(ctx, old.Number)
	if err != nil {
		return m, err
	}
	return nextGeneration(ctx, l, control, m, number-1, why, last)
}

// nextGeneration begins the generation after another one, with the pins of m.
func nextGeneration(ctx context.Context, l *deliveryLog, control *kafka.Control, m streaming.GenerationManifest, after streaming.Generation, why string, last streaming.Clock) (streaming.GenerationManifest, error) {
	m.Number, m.Reason = after+1, why
	m.HistoryEnd, m.HistoryOffsets = 0, nil
	if start, err := (ledger{control}).start(); err != nil {
		return m, err
	} else if len(start) == len(m.First) {
		m.First = start // what was before is trimmed, or is about to be
	}
	if last != streaming.NoClock {
		m.HistoryEnd = streaming.RoundOf(last)
	}
	return m, beginGeneration(ctx, l, control, m)
}

// beginGeneration makes the topic of a generation's events and writes its
// manifest, which begins it.
func beginGeneration(ctx context.Context, l *deliveryLog, control *kafka.Control, m streaming.GenerationManifest) error {
	if m.HistoryEnd != 0 && m.HistoryOffsets == nil {
		offsets, err := historyOffsets(ctx, l, m.HistoryEnd)
		if err != nil {
			return err
		}
		m.HistoryOffsets = offsets
	}
	if err := kafka.EnsureTopics(ctx, l.Config, l.Events(m.Number, m.EventsPartitions)); err != nil {
		return err
	}
	data, err := kafka.EncodeGeneration(m)
	if err != nil {
		return err
	}
	return control.Put(ctx, kafka.GenerationKey(m.Number), data)
}
