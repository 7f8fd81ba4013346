package metrics

import (
	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// ofIssue makes an observe function of one that reads a work item.
func ofIssue(observe func(f *IssueFold, v View, yield func(Observation))) func(Fold, View, func(Observation)) {
	return func(fold Fold, v View, yield func(Observation)) {
		f := fold.(*IssueFold)
		if f.counts(v.Catalog) {
			observe(f, v, func(o Observation) {
				o.Primary, o.Label, o.URL = true, f.Key.Value, f.URL.Value
				yield(o)
			})
		}
	}
}

// ofIncident is the same for one that reads an incident, with its service.
func ofIncident(observe func(f *IssueFold, v View, yield func(Observation))) func(Fold, View, func(Observation)) {
	return func(fold Fold, v View, yield func(Observation)) {
		f := fold.(*IssueFold)
		if f.isIncident(v.Catalog) {
			observe(f, v, func(o Observation) {
				o.Primary, o.Service, o.Label, o.URL = true, f.Service.Value, f.Key.Value, f.URL.Value
				yield(o)
			})
		}
	}
}

// gaugeOf makes observations of a gauge of intervals.
func gaugeOf(yield func(Observation)) func(from, to timeline.Millis) {
	return func(from, to timeline.Millis) {
		o := Observation{Item: from.String(), Start: from, At: from, Value: StillOpen, Outcome: Observed}
		if to != never {
			o.Value = int64(to - from)
		}
		yield(o)
	}
}

// done returns the last entry into a status of done, of an issue that is done.
// Being created in one is no entry.
func (f *IssueFold) done(category func(status) event.StatusCategory) (at timeline.Millis, ok bool) {
	done := false
	for _, c := range f.history() {
		if done = category(c.To) == event.CategoryDone; done && category(c.From) != event.CategoryDone {
			at, ok = c.At, true
		}
	}
	return at, ok && done
}

// opened yields the times in which an incident was not over: from its creation,
// whatever status it was created in, unless that is one of those.
func (f *IssueFold) opened(c *catalog.Catalog, yield func(from, to timeline.Millis)) {
	from := f.Created
	open := from != 0
	f.stays(func(s status) bool { return c.Over(event.Status{Name: s.Name, Category: s.Category}) }, func(over, again timeline.Millis) {
		if open && over > from {
			yield(from, over)
		}
		from, open = again, again != never
	})
	if open {
		yield(from, never)
	}
}
