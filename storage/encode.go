package storage

import (
	"fmt"

	"meridian/metrics"
	"meridian/streaming"
)

// encoded is rows in blocks of their tables, by the place of the table in batches.
// Nothing in it points to the rows.
type encoded struct {
	blocks [tableCount][]*block
	rounds []reachedRound
}

// reachedRound is the highest round that some rows of a generation are of.
type reachedRound struct {
	generation streaming.Generation
	round      streaming.Round
}

// encode makes blocks of rows. It is most of the work of writing them, and needs
// nothing of the sink: shards do it side by side.
func encode(rows []metrics.Row) (*encoded, error) {
	e := newEncoder(encodedAtOnce)
	for _, r := range rows {
		if err := e.take(r); err != nil {
			return nil, err
		}
	}
	return e.done()
}

// encoder makes blocks of rows that come one by one.
type encoder struct {
	made         *encoded
	points       tableEncoder[*metrics.Point]
	observations tableEncoder[*metrics.ObservationRow]
	quality      tableEncoder[*metrics.QualityRow]
	rejects      tableEncoder[*metrics.RejectRow]
	coverage     tableEncoder[*metrics.CoverageRow]
}

// newEncoder returns an encoder that holds up to so many rows of a table before it
// writes them down. Column by column that is quicker, as long as they are still
// near; 1 is for rows that are lent.
func newEncoder(atOnce int) *encoder {
	made := new(encoded)
	return &encoder{
		made:         made,
		points:       tableEncoder[*metrics.Point]{table: pointsTable, blocks: &made.blocks[pointsPlace], atOnce: atOnce},
		observations: tableEncoder[*metrics.ObservationRow]{table: observationsTable, blocks: &made.blocks[observationsPlace], atOnce: atOnce},
		quality:      tableEncoder[*metrics.QualityRow]{table: qualityTable, blocks: &made.blocks[qualityPlace], atOnce: atOnce},
		rejects:      tableEncoder[*metrics.RejectRow]{table: rejectsTable, blocks: &made.blocks[rejectsPlace], atOnce: atOnce},
		coverage:     tableEncoder[*metrics.CoverageRow]{table: coverageTable, blocks: &made.blocks[coveragePlace], atOnce: atOnce},
	}
}

func (e *encoder) take(r metrics.Row) error {
	e.made.reached(VersionOf(r))
	switch r := r.(type) {
	case *metrics.Point:
		return e.points.take(r)
	case *metrics.ObservationRow:
		return e.observations.take(r)
	case *metrics.QualityRow:
		return e.quality.take(r)
	case *metrics.RejectRow:
		return e.rejects.take(r)
	case *metrics.CoverageRow:
		return e.coverage.take(r)
	}
	return fmt.Errorf("storage: a row of type %T has no table", r)
}

// done returns what was made. The encoder takes no more.
func (e *encoder) done() (*encoded, error) {
	for _, flush := range []func() error{e.points.flush, e.observations.flush, e.quality.flush, e.rejects.flush, e.coverage.flush} {
		if err := flush(); err != nil {
			return nil, err
		}
	}
	return e.made, nil
}

// reached notes a version. Nearly all rows of a call are of one.
func (e *encoded) reached(v streaming.Version) {
	g, round := v.Generation(), v.Round()
	for i := range e.rounds {
		if r := &e.rounds[i]; r.generation == g {
			r.round = max(r.round, round)
			return
		}
	}
	e.rounds = append(e.rounds, reachedRound{g, round})
}

// release gives back the memory of blocks that went into no batch.
func (e *encoded) release() {
	for _, blocks := range e.blocks {
		for _, b := range blocks {
			b.release()
		}
	}
}

// tableEncoder is the encoder of one table.
type tableEncoder[R metrics.Row] struct {
	table  *table[R]
	blocks *[]*block
	rows   []R
	atOnce int
}

// encodedAtOnce rows fit into the nearer caches.
const encodedAtOnce = 128

func (e *tableEncoder[R]) take(r R) error {
	e.rows = append(e.rows, r)
	if len(e.rows) < e.atOnce {
		return nil
	}
	return e.flush()
}

func (e *tableEncoder[R]) flush() error {
	if len(e.rows) == 0 {
		return nil
	}
	last := len(*e.blocks) - 1
	if last < 0 || (*e.blocks)[last].rows+len(e.rows) > blockRows {
		*e.blocks = append(*e.blocks, newBlock(len(e.table.columns)))
		last++
	}
	err := e.table.add((*e.blocks)[last], e.rows)
	e.rows = e.rows[:0]
	return err
}
