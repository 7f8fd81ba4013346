package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"meridian/cmd/meridian/jobs"
	"meridian/ingest"
	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// erasePerson is the kind of job that takes a person out of an instance.
const erasePerson jobs.Kind = "erase"

// eraseSpec is what it is asked for. Jobs are kept, so it holds pseudonyms alone.
type eraseSpec struct {
	IDs []personHash `json:"ids"`
	By  string       `json:"by,omitempty"`
}

func (s eraseSpec) ids() (ids []event.PersonID) {
	for _, text := range s.IDs {
		if id, ok := pseudonymOf(string(text)); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// erased is what the job has done.
type eraseResult struct {
	Deliveries int                  `json:"deliveries"` // of the archive, that were redacted
	Catalogs   int                  `json:"catalogs"`   // kept files, that were removed
	Generation streaming.Generation `json:"generation"` // that knows nothing of them
	Dropped    int                  `json:"dropped"`    // generations before it
	Broker     string               `json:"broker"`     // what has become of its copy
	AgedOut    bool                 `json:"aged_out"`
}

const becauseErased = "a person was erased"

// erase takes a person out of everything that the instance keeps. Each step can be
// done again, so a job that was interrupted begins from its first: what is redacted
// already stays as it is.
func (m *machine) erase(ctx context.Context, t *jobs.Task) (any, error) {
	var spec eraseSpec
	if err := t.Spec(&spec); err != nil {
		return nil, err
	}
	ids := spec.ids()
	if len(ids) == 0 {
		return nil, errors.New("nobody is named")
	}
	var r eraseResult
	if saved := t.Saved(); saved != nil {
		_ = json.Unmarshal(saved, &r) // what an interrupted run has counted already
	}
	var behind map[int32]int64
	steps := []struct {
		what string
		do   func() error
	}{
		{"what comes in from now on is taken without them", func() (err error) { behind, err = m.eraseAtDoor(ctx, spec.By, ids); return err }},
		{"the archive is redacted", func() error {
			return m.redactArchive(ctx, ids, &r, func(day string) {
				t.Report(ctx, jobs.Progress{Share: 2.0 / 10, Text: "the archive is redacted: " + day})
			})
		}},
		{"the broker's copy is trimmed", func() error { return m.trimErased(ctx, behind) }},
		{"catalogs that were replaced are looked through", func() error { return m.dropOldCatalogs(ids, &r.Catalogs) }},
		{"history is computed without them", func() (err error) { r.Generation, err = m.generationWithout(ctx, t); return err }},
		{"generations that knew them are dropped", func() error { return m.dropBefore(ctx, r.Generation, &r.Dropped) }},
		{"what was published of them is taken back", func() error { return m.emptySideTopics(ctx) }},
		{"generation 0 forgets them", func() error { return m.forgetKept(ctx, ids) }},
		{"the control topic is written anew", func() error { return m.control.Rewrite(ctx) }},
		{"it is looked at what brokers have left", func() (err error) {
			if r.Broker, r.AgedOut, err = m.brokersCopy(ctx, behind); err == nil {
				err = m.topicsLeft(ctx, &r)
			}
			return err
		}},
	}
	for i, step := range steps {
		t.Report(ctx, jobs.Progress{Share: float64(i) / float64(len(steps)), Text: step.what})
		if err := t.Save(ctx, true, func() ([]byte, error) { return json.Marshal(r) }); err != nil {
			return r, err
		}
		if m.erasing != nil {
			if err := m.erasing(i); err != nil {
				return r, err
			}
		}
		if err := step.do(); err != nil {
			return r, err
		}
	}
	return r, nil
}

// eraseAtDoor has every process that takes deliveries leave them out, and puts that on
// the log. It returns the offset of the first record of that in each partition.
func (m *machine) eraseAtDoor(ctx context.Context, by string, ids []event.PersonID) (map[int32]int64, error) {
	for _, id := range ids {
		if err := m.room.setErased(ctx, id, by); err != nil {
			return nil, err
		}
	}
	m.door.appender.erased.look()
	if !m.log.Embedded { // other processes look once a second
		if err := pause(ctx, 2*erasedLook+time.Second); err != nil {
			return nil, err
		}
	}
	return m.appendErasures(ctx, ids)
}

// forgetKept takes them out of what generation 0 keeps, which nothing computes again:
// their observations, and repositories of their own in names and addresses.
func (m *machine) forgetKept(ctx context.Context, ids []event.PersonID) error {
	for _, id := range ids {
		if err := m.database.Forget(ctx, id); err != nil {
			return err
		}
	}
	_, err := m.database.Redact(ctx, ingest.NewErasure(m.catalog, ids...).Text)
	return err
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// appendErasures puts ERASE records into every partition of deliveries, and returns
// the offset of the first in each: what was before is to be redacted.
func (m *machine) appendErasures(ctx context.Context, ids []event.PersonID) (map[int32]int64, error) {
	first := map[int32]int64{}
	err := kafka.AtSegment(ctx, m.log.Config, m.log.DeliveriesTopic(), func(ctx context.Context) error {
		for p := range m.log.partitions {
			for i, id := range ids {
				done, err := m.door.appender.AppendTo(ctx, p, nil, ingest.EncodeEntry(ingest.Entry{Erase: &ingest.Erase{Person: id}}))
				if err != nil {
					return err
				}
				if i == 0 {
					first[p] = done.Offset
				}
			}
		}
		return nil
	})
	return first, err
}

// redactArchive seals what the broker has, and takes the names out where they lie.
func (m *machine) redactArchive(ctx context.Context, ids []event.PersonID, r *eraseResult, day func(string)) error {
	if err := m.sealer().Seal(ctx); err != nil {
		return err
	}
	m.archiving.Lock()
	defer m.archiving.Unlock()
	m.still.RLock()
	defer m.still.RUnlock()
	erasure := ingest.NewErasure(m.catalog, ids...)
	for p := range m.log.partitions {
		err := m.log.archive.Rewrite(p, func(offset int64, value []byte) ([]byte, bool, error) {
			if err := ctx.Err(); err != nil {
				return nil, false, err
			}
			e, err := ingest.DecodeEntry(value)
			if err != nil {
				return nil, false, fmt.Errorf("offset %d: %w", offset, err)
			}
			d, changed := erasure.Delivery(e.Delivery)
			if !changed {
				return value, false, nil
			}
			r.Deliveries++
			return ingest.EncodeEntry(ingest.Entry{Delivery: d}), true, nil
		}, day)
		if err != nil {
			return err
		}
	}
	return nil
}

// trimErased removes from the broker what the archive has.
func (m *machine) trimErased(ctx context.Context, behind map[int32]int64) error {
	m.still.RLock()
	defer m.still.RUnlock()
	for p, offset := range behind {
		if err := kafka.Trim(ctx, m.log.Config, m.log.DeliveriesTopic(), p, offset); err != nil {
			return err
		}
	}
	return nil
}

// brokersCopy says whether the broker has anything left of before the erasure.
func (m *machine) brokersCopy(ctx context.Context, behind map[int32]int64) (said string, gone bool, err error) {
	bounds, err := kafka.Offsets(ctx, m.log.Config, m.log.DeliveriesTopic())
	if err != nil {
		return "", false, err
	}
	for p, offset := range behind {
		if bounds[p].Start < offset {
			return "the broker still gives out what it held before", false, nil
		}
	}
	if m.log.Embedded {
		return "gone, files included", true, nil
	}
	return fmt.Sprintf("trimmed: nobody can read it any more, and brokers remove its files by their own settings (segment.ms, segment.bytes, file.delete.delay.ms). "+
		"In %s, %s and %s, what was deleted may name them until brokers compact these (segment.ms, min.cleanable.dirty.ratio, delete.retention.ms)",
		m.log.ControlTopic(), m.log.SnapshotsTopic(), m.log.PointsTopic()), true, nil
}

// topicsLeft says of which generations that knew them the broker still has events: it
// does not let Meridian delete these topics.
func (m *machine) topicsLeft(ctx context.Context, r *eraseResult) error {
	left, err := kafka.Generations(ctx, m.log.Config)
	if err != nil && !errors.Is(err, kafka.ErrGroupsHidden) {
		return err
	}
	for _, g := range left {
		if g < r.Generation {
			r.Broker += fmt.Sprintf("; %s may name them and is still there: delete it by hand", m.log.EventsTopic(g))
			r.AgedOut = false
		}
	}
	return nil
}

// dropOldCatalogs removes files of replaced catalogs that name them. (The one in
// force does not; what generations are pinned to goes with these.)
func (m *machine) dropOldCatalogs(ids []event.PersonID, dropped *int) error {
	folder := m.instance.path("catalogs")
	entries, err := os.ReadDir(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	erasure := map[event.PersonID]bool{}
	for _, id := range ids {
		erasure[id] = true
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		data, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			continue // the job and those that watch walk one folder
		}
		if err != nil {
			return err
		}
		c, err := catalog.Parse(e.Name(), data, catalog.Options{Key: m.instance.Key, Zone: timeline.UTC()})
		names := err != nil // a piece of a folder is no catalog by itself: nobody can say that it does not name them
		if err == nil {
			for _, p := range c.People() {
				names = names || erasure[c.PersonIDOf(p.Name)]
				for _, n := range p.GitHub {
					names = names || erasure[c.NameID("github", n)]
				}
				for _, n := range p.Jira {
					names = names || erasure[c.NameID("jira", n)]
				}
				for _, n := range p.Emails {
					names = names || erasure[c.NameID("email", c.EmailHash(n))]
				}
			}
		}
		if names {
			err := os.Remove(path)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			*dropped++
		}
	}
	return nil
}

// generationWithout begins a generation and waits until readers see it. Where
// promotion waits for a word, this is the word.
func (m *machine) generationWithout(ctx context.Context, t *jobs.Task) (streaming.Generation, error) {
	newest, _, err := currentManifest(m.control)
	if err != nil {
		return 0, err
	}
	if err := m.coordinator.Begin(ctx, becauseErased); err != nil {
		return 0, err
	}
	asked := false
	for {
		turn, err := m.room.live()
		if err != nil {
			return 0, err
		}
		if turn.Generation > newest.Number {
			return turn.Generation, nil
		}
		now, any, err := m.room.course()
		if err != nil {
			return 0, err
		}
		if any && now.Number > newest.Number {
			t.Report(ctx, jobs.Progress{Share: 5.0 / 10, Text: fmt.Sprintf("history is computed without them: generation %d", now.Number)})
			j, _ := m.room.judged(now.Number, turn.Generation) // a new release may wait for a word, too
			if (m.config.Generations.Promote == "manual" || len(j.Outside) > 0) && m.room.following(now) && !asked {
				asked = true
				if err := m.room.ask(ctx, wish{Promote: now.Number, By: becauseErased}); err != nil {
					return 0, err
				}
			}
		}
		if err := pause(ctx, look); err != nil {
			return 0, err
		}
	}
}

// emptySideTopics empties what others may read beside the tables: points can be of
// a team that is called after somebody's own repository. The points that readers see
// are published again by themselves.
func (m *machine) emptySideTopics(ctx context.Context) error {
	for _, topic := range m.log.SideTopics(m.log.partitions) {
		if err := kafka.Empty(ctx, m.log.Config, topic.Name); err != nil {
			return err
		}
	}
	return m.control.Delete(ctx, publishedKey)
}

// dropBefore drops every generation before one, kept or not: none can come back.
func (m *machine) dropBefore(ctx context.Context, g streaming.Generation, dropped *int) error {
	asked := map[streaming.Generation]time.Time{}
	for {
		all, err := m.room.manifests()
		if err != nil {
			return err
		}
		left := 0
		for _, old := range all {
			if old.Number >= g {
				continue
			}
			left++
			if time.Since(asked[old.Number]) > 10*time.Second {
				if asked[old.Number].IsZero() {
					*dropped++
				}
				asked[old.Number] = time.Now()
				if err := m.room.ask(ctx, wish{Drop: old.Number, By: becauseErased}); err != nil {
					return err
				}
			}
		}
		if left == 0 {
			return nil
		}
		if err := pause(ctx, look); err != nil {
			return err
		}
	}
}
