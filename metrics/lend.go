package metrics

// lending is the rows that an engine lends, one of each kind.
type lending struct {
	observation ObservationRow
	point       madePoint
	quality     QualityRow
}

// Lend makes the engine lend its rows from now on: a row, and all that it points to,
// is good until emit returns, and is then used again. For whoever writes rows down as
// they come, half of the memory that a tick asks for is so not asked for. An engine
// that was not told to lend gives its rows away.
func (e *Engine) Lend() { e.lent = new(lending) }

// observationRow returns a row of which every field is to be set.
func (t *tick) observationRow() *ObservationRow {
	if t.lent != nil {
		return &t.lent.observation
	}
	return fresh(&t.rows, 256)
}

// madePoint returns a point that holds nothing.
func (t *tick) madePoint() *madePoint {
	if t.lent != nil {
		made := &t.lent.point
		made.Point = Point{}
		made.Aggregate.clear()
		return made
	}
	return fresh(&t.made, 64)
}

// qualityRow returns a row of which every field is to be set.
func (t *tick) qualityRow() *QualityRow {
	if t.lent != nil {
		return &t.lent.quality
	}
	return fresh(&t.counts, 64)
}

// clear empties an aggregate, and keeps its memory.
func (a *Aggregate) clear() {
	a.All.clear()
	a.Primary, a.People, a.Quantiles = nil, a.People[:0], nil
}

func (p *Part) clear() {
	*p = Part{
		Values: p.Values[:0], Excluded: p.Excluded[:0], Ignored: p.Ignored[:0], Basis: p.Basis[:0], Heat: p.Heat[:0],
	}
}

// set makes a what b is, in the memory that it has.
func (a *Aggregate) set(b *Aggregate) {
	a.All.set(&b.All)
	a.People, a.Quantiles = append(a.People[:0], b.People...), append(a.Quantiles[:0], b.Quantiles...)
	if a.Primary = nil; b.Primary != nil {
		p := b.Primary.clone()
		a.Primary = &p
	}
}

func (p *Part) set(q *Part) {
	had := *p
	*p = *q
	p.Values = append(had.Values[:0], q.Values...)
	p.Excluded = append(had.Excluded[:0], q.Excluded...)
	p.Ignored = append(had.Ignored[:0], q.Ignored...)
	p.Basis = append(had.Basis[:0], q.Basis...)
	p.Heat = append(had.Heat[:0], q.Heat...)
}
