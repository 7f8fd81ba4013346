package metrics

import "meridian/streaming/timeline"

// ofPullRequest makes an observe function of one that reads a pull request by
// a human; what bots open is left out of every metric, at its merge.
func ofPullRequest(observe func(f *PullRequestFold, yield func(Observation))) func(Fold, View, func(Observation)) {
	return ofPullRequestIn(func(f *PullRequestFold, _ View, yield func(Observation)) { observe(f, yield) })
}

// ofPullRequestIn is the same for one that asks the catalog, too.
func ofPullRequestIn(observe func(f *PullRequestFold, v View, yield func(Observation))) func(Fold, View, func(Observation)) {
	return func(fold Fold, v View, yield func(Observation)) {
		f := fold.(*PullRequestFold)
		tell := f.telling(yield)
		if v.Vary.People.includes(f.Author.Bot) {
			observe(f, v, tell)
		} else {
			f.leftOut(tell)
		}
	}
}

// telling is described, of a function that is made once.
func (f *PullRequestFold) telling(yield func(Observation)) func(Observation) {
	if f.tell == nil {
		f.tell = f.described(func(o Observation) { f.to(o) })
	}
	f.to = yield
	return f.tell
}

// described says of observations which pull request they are of.
func (f *pull) described(yield func(Observation)) func(Observation) {
	return func(o Observation) {
		o.Primary, o.Label, o.URL = true, f.label(), f.URL.Value
		yield(o)
	}
}

// leftOut tells of a pull request that the metric is not about, once it is merged.
func (f *pull) leftOut(yield func(Observation)) {
	if f.Author.Bot && f.Merged != 0 {
		yield(Observation{Start: f.Created, At: f.Merged, Outcome: Excluded, Reason: Bot})
	}
}

// duration is an observation of the time between two facts. What ends before
// it starts was told wrongly, and is counted instead of measured.
func duration(start, end timeline.Millis) Observation {
	if end < start {
		return Observation{Start: start, At: end, Outcome: Excluded, Reason: Anomaly}
	}
	return Observation{Start: start, At: end, Value: int64(end - start), Outcome: Observed}
}
