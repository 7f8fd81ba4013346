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
	e := new(encoded)
	points := encoder[*metrics.Point]{table: pointsTable, blocks: &e.blocks[pointsPlace]}
	observations := encoder[*metrics.ObservationRow]{table: observationsTable, blocks: &e.blocks[observationsPlace]}
	quality := encoder[*metrics.QualityRow]{table: qualityTable, blocks: &e.blocks[qualityPlace]}
	rejects := encoder[*metrics.RejectRow]{table: rejectsTable, blocks: &e.blocks[rejectsPlace]}
	coverage := encoder[*metrics.CoverageRow]{table: coverageTable, blocks: &e.blocks[coveragePlace]}
	for _, r := range rows {
		var err error
		switch r := r.(type) {
		case *metrics.Point:
			err = points.take(r)
		case *metrics.ObservationRow:
			err = observations.take(r)
		case *metrics.QualityRow:
			err = quality.take(r)
		case *metrics.RejectRow:
			err = rejects.take(r)
		case *metrics.CoverageRow:
			err = coverage.take(r)
		default:
			err = fmt.Errorf("storage: a row of type %T has no table", r)
		}
		if err != nil {
			return nil, err
		}
		e.reached(VersionOf(r))
	}
	for _, flush := range []func() error{points.flush, observations.flush, quality.flush, rejects.flush, coverage.flush} {
		if err := flush(); err != nil {
			return nil, err
		}
	}
	return e, nil
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

// encoder collects some rows of one table before they go into a block: column by
// column it is quicker, as long as the rows are still near.
type encoder[R metrics.Row] struct {
	table  *table[R]
	rows   []R
	blocks *[]*block
}

// encodedAtOnce rows fit into the nearer caches.
const encodedAtOnce = 128

func (e *encoder[R]) take(r R) error {
	e.rows = append(e.rows, r)
	if len(e.rows) < encodedAtOnce {
		return nil
	}
	return e.flush()
}

func (e *encoder[R]) flush() error {
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
