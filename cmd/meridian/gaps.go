package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// Keys of control about gaps.
const (
	aliveKey = "door/alive" // until when webhooks were taken, in milliseconds
	gapKeys  = "gap/"       // gaps that nothing has closed yet: gap/<source>/<from>
)

const (
	aliveEvery  = 10 * time.Second
	shortestGap = 30 * timeline.Second // of nobody taking webhooks: three times it has not been said that somebody does
)

// gap is a time of which deliveries may be missing, until something closes it.
type gap struct {
	Source event.Source    `json:"source"`
	From   timeline.Millis `json:"from"`
	To     timeline.Millis `json:"to"`
	Why    string          `json:"why"`
}

func (g gap) key() string { return fmt.Sprintf("%s%s/%d", gapKeys, g.Source, g.From) }

// watchGaps writes down of which time deliveries may be missing: while nobody took
// them, and while the log did not. GitHub does not send them again by itself, so a
// gap of its asks for that at once.
func (m *machine) watchGaps(ctx context.Context) error {
	if err := m.gapBeforeStart(ctx); err != nil && ctx.Err() == nil {
		m.app.log.Warn("it could not be written down since when no webhooks were taken", "error", err)
	}
	again := time.NewTicker(aliveEvery)
	defer again.Stop()
	for {
		for _, lost := range m.door.losses.Take() {
			if err := m.noteGap(ctx, gap{lost.Source, lost.From, lost.To, "the log did not take deliveries"}); err != nil {
				m.door.losses.Give(lost) // the log is away still
			}
		}
		if err := m.control.Put(ctx, aliveKey, strconv.AppendInt(nil, time.Now().UnixMilli(), 10)); err != nil && ctx.Err() == nil {
			m.app.log.Warn("it could not be written down that webhooks are taken; a restart will tell of a gap", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-again.C:
		}
	}
}

// gapBeforeStart is the time since webhooks were last taken by anybody.
func (m *machine) gapBeforeStart(ctx context.Context) error {
	value, ok := m.control.Get(aliveKey)
	if !ok {
		return nil // a new instance, or an import
	}
	last, err := strconv.ParseInt(string(value), 10, 64)
	now := timeline.FromTime(time.Now())
	if err != nil || now-timeline.Millis(last) < shortestGap {
		return nil
	}
	for _, s := range m.webhookSources() {
		if err := m.noteGap(ctx, gap{s, timeline.Millis(last), now, "no webhooks were taken"}); err != nil {
			return err
		}
	}
	return nil
}

// webhookSources are the families that webhooks are taken of.
func (m *machine) webhookSources() (families []event.Source) {
	for _, s := range m.door.receiver.Sources() {
		if !slices.Contains(families, s.Source) {
			families = append(families, s.Source)
		}
	}
	slices.Sort(families)
	return families
}

// noteGap puts a gap on the log, where it takes part in what numbers say, and into
// control, where it waits for being closed.
func (m *machine) noteGap(ctx context.Context, g gap) error {
	to := appendTo{m.door.appender}
	if err := to.Append(ctx, "gap/"+g.Source.String(), ingest.Entry{Gap: &ingest.Gap{Source: g.Source, From: g.From, To: g.To}}); err != nil {
		return err
	}
	data, err := json.Marshal(g)
	if err != nil {
		return err
	}
	if err := m.control.Put(ctx, g.key(), data); err != nil {
		return err
	}
	m.app.log.Warn("deliveries may be missing", "source", g.Source, "from", g.From, "to", g.To, "because", g.Why)
	if g.Source != event.GitHub || len(m.config.APIs.GitHub) == 0 {
		return nil
	}
	_, err = m.jobs.Start(ctx, redeliverGitHub, "failed deliveries of "+g.From.String()+" to "+g.To.String(), redeliverSpec{Seen: true, From: g.From, To: g.To})
	return err
}

// gaps are those that nothing has closed, the oldest first.
func (m *machine) gaps() (list []gap) {
	for _, e := range m.control.All(gapKeys) {
		var g gap
		if json.Unmarshal(e.Value, &g) == nil && strings.HasPrefix(e.Key, gapKeys) {
			list = append(list, g)
		}
	}
	slices.SortFunc(list, func(a, b gap) int { return strings.Compare(a.key(), b.key()) })
	return list
}

// closeGaps says that everything of a source between two times is on the log after
// all, and forgets the gaps that lie in it.
func (m *machine) closeGaps(ctx context.Context, s event.Source, from, to timeline.Millis) error {
	var closed []gap
	for _, g := range m.gaps() {
		if g.Source == s && from <= g.From && g.To <= to {
			closed = append(closed, g)
		}
	}
	if len(closed) == 0 {
		return nil
	}
	for _, g := range closed {
		entry := ingest.Entry{Coverage: &ingest.Coverage{Source: s, From: g.From, To: g.To}}
		if err := (appendTo{m.door.appender}).Append(ctx, "gap/"+s.String(), entry); err != nil {
			return err
		}
		if err := m.control.Delete(ctx, g.key()); err != nil {
			return err
		}
		m.app.log.Info("a gap is closed", "source", s, "from", g.From, "to", g.To)
	}
	return nil
}
