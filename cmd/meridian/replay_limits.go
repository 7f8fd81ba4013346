package main

import (
	"context"
	"slices"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// limitedSink lets those rows through that a run was asked to write. What is left
// out was folded all the same, so what is written is as it would be without limits;
// and progress is told, since the shard is there.
type limitedSink struct {
	historySink
	limits runLimits
}

// limited returns a sink that writes what the limits leave.
func limited(s historySink, l runLimits) historySink {
	if l.none() {
		return s
	}
	return limitedSink{s, l}
}

// Put implements [streaming.Sink].
func (s limitedSink) Put(ctx context.Context, shard int32, rows []metrics.Row) error {
	kept := slices.DeleteFunc(rows, func(r metrics.Row) bool { return !s.limits.want(r) })
	if len(kept) == 0 {
		return nil
	}
	return s.historySink.Put(ctx, shard, kept)
}

func (s limitedSink) writer(shard int32) rowWriter {
	return limitedWriter{s.historySink.writer(shard), s.limits}
}

type limitedWriter struct {
	rowWriter
	limits runLimits
}

// Add implements [rowWriter].
func (w limitedWriter) Add(r metrics.Row) error {
	if !w.limits.want(r) {
		return nil
	}
	return w.rowWriter.Add(r)
}

// want reports whether a row is written. A window is, when it overlaps the range.
func (l runLimits) want(r metrics.Row) bool {
	switch r := r.(type) {
	case *metrics.Point:
		return l.team(r.Team) && l.metric(r.Metric) && l.overlaps(r.Start, r.End)
	case *metrics.ObservationRow:
		return l.team(r.Team) && l.metric(r.Metric) && l.overlaps(r.At, r.At+1)
	case *metrics.QualityRow:
		return l.team(r.Team) && l.overlaps(r.Cell.Start(), r.Cell.End())
	case *metrics.RejectRow:
		return l.team(r.Team) && l.overlaps(r.Received, r.Received+1)
	case *metrics.CoverageRow:
		return l.team(r.Team)
	}
	return true // a kind of row that these limits do not know is not lost
}

func (l runLimits) team(t string) bool { return len(l.Teams) == 0 || slices.Contains(l.Teams, t) }

func (l runLimits) metric(m metrics.Name) bool {
	return len(l.Metrics) == 0 || slices.Contains(l.Metrics, m)
}

func (l runLimits) overlaps(start, end timeline.Millis) bool {
	return (l.From == 0 || end > l.From) && (l.To == 0 || start < l.To)
}
