package storage

import "meridian/metrics"

// Side is which half of each pair of tables is meant.
type Side string

// Sides. A generation that has never been the current one is in replay.
const (
	Live   Side = "live"
	Replay Side = "replay"
)

// table says how rows of one type are written.
type table[R metrics.Row] struct {
	name    string        // without its side
	keys    int           // so many columns, the first ones, are its sorting key: rows that agree in them replace each other
	columns []columnOf[R] // all that are written
}

// heads are its columns, whatever their rows are.
func (t *table[R]) heads() []columnHead {
	heads := make([]columnHead, len(t.columns))
	for i := range t.columns {
		heads[i] = t.columns[i].columnHead
	}
	return heads
}

// newBatch is an empty batch of its rows.
func (t *table[R]) newBatch() *batch { return &batch{table: t.name, heads: t.heads()} }

// on is the name of the SQL table of a side.
func (t *table[R]) on(s Side) string { return onSide(t.name, s) }

func onSide(table string, s Side) string { return table + "_" + string(s) }
