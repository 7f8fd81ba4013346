package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"meridian/metrics"
	"meridian/storage"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// verifyAnswer says whether everything that holds results agrees.
type verifyAnswer struct {
	Generation  uint32             `json:"generation"`
	Clock       string             `json:"clock"` // up to which rows are compared
	Checked     verifyChecked      `json:"checked"`
	Differences []verifyDifference `json:"differences"`
	More        int                `json:"more,omitempty"`        // differences that are not listed
	Repaired    int                `json:"repaired,omitempty"`    // rows that were written again
	Reversioned int                `json:"reversioned,omitempty"` // of these, those with their snapshot's version, since nothing knows their own
	Notes       []string           `json:"notes,omitempty"`       // what could not be compared
}

// verifyChecked counts what was compared.
type verifyChecked struct {
	Snapshots int   `json:"snapshots"` // shards whose snapshot was read
	Points    int64 `json:"points"`    // of the snapshots, looked for in the tables
	Rounds    int64 `json:"rounds"`    // rows of all tables, computed again from the oldest snapshots
	Rows      int64 `json:"rows"`      // keys of all tables, with FINAL and by hand
	Topic     int64 `json:"topic"`     // keys of the topic of points
}

// verifyDifference is one key that is not the same everywhere.
type verifyDifference struct {
	Between string `json:"between"` // snapshot, rounds, final or topic: what the tables were compared with
	Table   string `json:"table"`
	Key     string `json:"key"`
	Why     string `json:"why"`
}

// verifyListed bounds the differences of an answer; the others are counted.
const verifyListed = 1000

// verification compares, for the generation that readers see: its tables with
// themselves, with what the shards' snapshots hold, with the rows of the rounds since
// the oldest kept snapshot computed once more, and with the topic of points.
//
// It runs beside everything else. Tables are read last, and what has become of a
// key since is higher there, never lower; so a row that is newer than what it is
// compared with agrees.
type verification struct {
	m      *machine
	answer verifyAnswer
	repair bool

	generation streaming.GenerationManifest
	pins       pins
	clock      timeline.Millis // readers' clock when it began
	settled    timeline.Millis // up to here no shard gives rows once more: the lowest clock of the newest snapshots
	kept       timeline.Millis // what is older has been dropped

	lost map[storage.RowKey]metrics.Row // to be written again
	ages map[storage.RowKey]bool        // of these, those whose own version is unknown
}

func (m *machine) verify(ctx context.Context, repair bool) (verifyAnswer, error) {
	as, err := m.database.NewReader().AsOf(ctx)
	if err != nil {
		return verifyAnswer{}, err
	}
	g, ok, err := m.room.manifestOf(as.Generation)
	if err == nil && !ok {
		err = storage.ErrNothingYet
	}
	if err != nil {
		return verifyAnswer{}, err
	}
	p := pins{definitions: metrics.Definitions()}
	if g.Logic == logicVersion() {
		cat, err := m.room.catalogOf(g)
		if err != nil {
			return verifyAnswer{}, err
		}
		if p, err = pinsOf(g, cat); err != nil {
			return verifyAnswer{}, err
		}
	}
	v := &verification{
		m: m, repair: repair, generation: g, pins: p, clock: as.Clock, settled: as.Clock, lost: map[storage.RowKey]metrics.Row{}, ages: map[storage.RowKey]bool{},
		kept:   storage.Kept(timeline.FromTime(time.Now()), m.config.Retention.Points.Millis()),
		answer: verifyAnswer{Generation: uint32(g.Number), Clock: as.Clock.String(), Differences: []verifyDifference{}},
	}
	steps := []func(context.Context) error{v.snapshots, v.rounds, v.topic, v.tables, v.mend}
	if g.Logic != logicVersion() {
		v.note("generation %d is of logic version %d, and this program has %d: its snapshots and its last rounds are not compared, for this program reads them otherwise; verify with the program that computed it, or once a generation of this one has taken over", g.Number, g.Logic, logicVersion())
		steps = steps[2:]
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return v.answer, err
		}
	}
	return v.answer, nil
}

func (v *verification) differ(between string, key storage.RowKey, why string) {
	table, rest, _ := cutKey(key)
	v.list(verifyDifference{between, table, rest, why})
}

func (v *verification) list(d verifyDifference) {
	if len(v.answer.Differences) == verifyListed {
		v.answer.More++
		return
	}
	v.answer.Differences = append(v.answer.Differences, d)
}

func (v *verification) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(v.answer.Notes, text) {
		v.answer.Notes = append(v.answer.Notes, text)
	}
}

// reader knows the metrics of the generation.
func (v *verification) reader() *storage.Reader {
	return v.m.database.NewReader().Knowing(v.pins.definitions...)
}

// tables compares FINAL with the highest version of each key.
func (v *verification) tables(ctx context.Context) error {
	n, err := v.m.database.Agree(ctx, v.generation.Number, func(x storage.Disagreement) {
		v.list(verifyDifference{"final", x.Table, x.Key, x.Why})
	})
	v.answer.Checked.Rows = int64(n)
	return err
}

// mend writes again what the tables have lost: with the versions that it had, or with
// its snapshot's where neither topic knows which that was. That one is not below the
// row's own, so what comes later replaces it, and no other row has it: in a round in
// which the window was given, it would be the row's own.
func (v *verification) mend(ctx context.Context) error {
	if !v.repair || len(v.lost) == 0 {
		return nil
	}
	t, err := v.m.room.live()
	if err != nil {
		return err
	}
	if t.Generation != v.generation.Number {
		return fmt.Errorf("generation %d has been replaced while it was verified; verify again", v.generation.Number)
	}
	rows := make([]metrics.Row, 0, len(v.lost))
	for _, r := range v.lost {
		rows = append(rows, r)
	}
	for piece := range slices.Chunk(rows, 10_000) {
		if err := v.m.database.Rewrite(ctx, storage.Live, piece); err != nil {
			return err
		}
	}
	v.answer.Repaired, v.answer.Reversioned = len(v.lost), len(v.ages)
	return nil
}

// shards are the names of the engine's.
func (v *verification) shards() (names []string) {
	for p := range v.generation.EventsPartitions {
		names = append(names, kafka.ShardName("engine", v.generation.Number, p))
	}
	return names
}
