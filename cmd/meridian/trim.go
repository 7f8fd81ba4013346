package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"meridian/cmd/meridian/config"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Deliveries older than retention.deliveries are trimmed by whole months, and their
// numbers outlive them. In this order, each step of which can be done again:
//
//	keep     rows of windows that the rest of the log can no longer give are copied
//	         to generation 0, and readers take them from there
//	begin    a generation begins whose history starts behind the month
//	promote  readers see it
//	trim     the month's files are removed
//
// What the log can give whole begins a horizon and 30 days behind its start: a
// window of 30 days needs all facts that are still accepted for any of its days.
// The border is the first month of the instance's zone after that.

// trimming is what the ledger says of the trimming that is under way.
type trimming struct {
	Day     string               `json:"day"`     // the archive's first that stays
	Offsets []int64              `json:"offsets"` // of the first record that stays, by partition
	Border  timeline.Millis      `json:"border"`
	Above   streaming.Generation `json:"above,omitempty"` // the newest one when the next was asked for; 0: not yet
}

// Keys of the ledger.
const (
	trimmingKey = "trimming"
	startKey    = "start" // of every later generation's history: offsets
)

func (l ledger) trimming() (t trimming, any bool, err error) {
	data, ok := l.control.Get(trimmingKey)
	if !ok {
		return t, false, nil
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return t, false, fmt.Errorf("the record of the trimming that is under way cannot be read: %w", err)
	}
	return t, true, nil
}

func (l ledger) setTrimming(ctx context.Context, t trimming) error {
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return l.control.Put(ctx, trimmingKey, data)
}

// start returns where histories begin; nil is at offset 0.
func (l ledger) start() (offsets []int64, err error) {
	data, ok := l.control.Get(startKey)
	if !ok {
		return nil, nil
	}
	if err := json.Unmarshal(data, &offsets); err != nil {
		return nil, fmt.Errorf("the record of where histories begin cannot be read: %w", err)
	}
	return offsets, nil
}

func (l ledger) setStart(ctx context.Context, offsets []int64) error {
	data, err := json.Marshal(offsets)
	if err != nil {
		return err
	}
	return l.control.Put(ctx, startKey, data)
}

// trimEvery is how often the archive is looked at; trimLook how often a trimming
// that is under way is.
const (
	trimEvery = time.Hour
	trimLook  = time.Second
)

// trimDeliveries trims what is too old until ctx ends.
func (m *machine) trimDeliveries(ctx context.Context) error {
	for _, ready := range []chan struct{}{m.tables, m.coordinator.checked} {
		select {
		case <-ready:
		case <-ctx.Done():
			return nil
		}
	}
	for ctx.Err() == nil {
		wait := trimEvery
		switch going, err := m.trim(ctx, timeline.FromTime(time.Now()), m.config.Retention.Deliveries.Millis()); {
		case err != nil && ctx.Err() == nil:
			m.app.log.Warn("old deliveries are not trimmed yet; it is tried again", "error", err)
		case going:
			wait = trimLook
		}
		if pause(ctx, wait) != nil {
			return nil
		}
	}
	return nil
}

// trim does the next step; going says that there is another.
func (m *machine) trim(ctx context.Context, now, keep timeline.Millis) (going bool, err error) {
	t, any, err := m.room.trimming()
	if err != nil {
		return false, err
	}
	if !any {
		if t, any, err = m.tooOld(now, keep); err != nil || !any {
			return false, err
		}
		if err := m.room.setTrimming(ctx, t); err != nil {
			return false, err
		}
		m.app.log.Info("deliveries are trimmed", "before", t.Day, "numbers from generation 0 before", t.Border)
	}
	turn, err := m.room.live()
	if err != nil || turn.Generation == 0 {
		return true, err
	}
	if t.Above == 0 {
		return true, m.beginTrimmed(ctx, t, turn.Generation)
	}
	live, ok, err := m.room.manifestOf(turn.Generation)
	if err != nil || !ok || !slices.Equal(live.First, t.Offsets) {
		return true, err // it is computed, or waits for a word
	}
	return false, m.trimArchive(ctx, t)
}

// beginTrimmed keeps the rows and begins the generation that can do without.
func (m *machine) beginTrimmed(ctx context.Context, t trimming, live streaming.Generation) error {
	if err := m.database.Keep(ctx, live, t.Border); err != nil {
		return err
	}
	if err := m.database.SetHistoryFrom(ctx, t.Border); err != nil {
		return err
	}
	if err := m.room.setStart(ctx, t.Offsets); err != nil {
		return err
	}
	newest, _, err := currentManifest(m.control)
	if err != nil {
		return err
	}
	if err := m.coordinator.Begin(ctx, "deliveries before "+t.Day+" are trimmed (retention.deliveries)"); err != nil {
		return err
	}
	t.Above = newest.Number
	return m.room.setTrimming(ctx, t)
}

func (m *machine) trimArchive(ctx context.Context, t trimming) error {
	gate := sealing{m}
	gate.Lock()
	defer gate.Unlock()
	for p, offset := range t.Offsets {
		if _, err := m.log.archive.TrimDays(int32(p), offset); err != nil {
			return err
		}
	}
	m.app.log.Info("deliveries are gone", "before", t.Day)
	return m.control.Delete(ctx, trimmingKey)
}

// tooOld finds whole months of the archive that are older than deliveries are kept.
func (m *machine) tooOld(now, keep timeline.Millis) (t trimming, any bool, err error) {
	if keep <= 0 {
		return t, false, nil
	}
	year, month, _ := timeline.UTC().Date(now - keep).Civil()
	first := timeline.MakeDate(year, month, 1)
	t = trimming{Day: first.String(), Offsets: make([]int64, m.log.partitions)}
	for p := range m.log.partitions {
		start, boundary, err := m.log.archive.Boundary(p, t.Day)
		if err != nil {
			return t, false, err
		}
		any, t.Offsets[p] = any || boundary > start, boundary
	}
	if !any {
		return t, false, nil
	}
	if t.Border, err = borderBehind(timeline.UTC().Midnight(first), m.config); err != nil {
		return t, false, err
	}
	if t.Border >= now {
		return t, false, fmt.Errorf("retention.deliveries is %s, which is not longer than time.horizon and two months: no number could be computed from the rest; make it longer",
			timeline.FormatLength(keep))
	}
	return t, true, nil
}

// borderBehind is the first local month whose windows the log can give whole when it
// begins at start.
func borderBehind(start timeline.Millis, c config.Config) (timeline.Millis, error) {
	zone, err := timeline.LoadZone(c.Zone)
	if err != nil {
		return 0, err
	}
	whole := start + c.Time.Horizon.Millis() + 30*timeline.Day
	year, month, _ := zone.Date(whole).Civil()
	if first := zone.Midnight(timeline.MakeDate(year, month, 1)); first >= whole {
		return first, nil
	}
	return zone.Midnight(timeline.MakeDate(year, month+1, 1)), nil
}
