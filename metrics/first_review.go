package metrics

import "meridian/streaming/timeline"

// wait is the wait of a pull request for an answer, as far as it is known: from
// Start, when it was first ready, to First, the first answer that counts.
type wait struct {
	Start   timeline.Millis
	Started bool // a draft that never became ready has no start
	First   timeline.Millis
	Item    string // the answer that ended it; "" while there is none
	By      *who
	Ignored []ignoredAnswer
}

// answer is what somebody says about a pull request: a review or a comment.
type answer struct {
	Item    string
	At      timeline.Millis
	By      *who
	Pending bool // not submitted yet
}

// ignoredAnswer is one that did not count, before the first one that did.
type ignoredAnswer struct {
	Item   string
	At     timeline.Millis
	Reason Reason
}

// startBy returns the start of a variation, which may be another fact.
func (f *PullRequestFold) startBy(fact StartFact) (start timeline.Millis, ok bool) {
	switch fact {
	case StartOpened:
		return f.Created, f.Created != 0
	case StartRequested:
		for _, q := range f.Requests {
			if !q.Withdrawn && q.At >= f.Created && !f.afterMerge(q.At) {
				earliest(&start, q.At)
			}
		}
		return start, start != 0
	}
	return f.start()
}

// firstReview is the wait for a review as it was last found, by the fact that
// starts it: four metrics ask for it.
type firstReview struct {
	found bool
	start StartFact
	wait  wait
}

// firstReview finds the review that ended the wait, and those before it that
// did not.
func (f *PullRequestFold) firstReview(v View) wait {
	if !f.first.found || f.first.start != v.Vary.Start {
		var few [fewAnswers]answer
		f.first = firstReview{true, v.Vary.Start, f.firstOf(v, f.reviewAnswers(few[:0]))}
	}
	return f.first.wait
}

// fewAnswers are as many as nearly all have: for them no memory is asked for.
const fewAnswers = 16

// reviewAnswers appends the reviews as answers.
func (f *PullRequestFold) reviewAnswers(list []answer) []answer {
	for i := range f.Reviews {
		list = append(list, f.Reviews[i].answer())
	}
	return list
}

// firstOf is the wait for the first of some answers.
func (f *PullRequestFold) firstOf(v View, answers []answer) (w wait) {
	if f.Created == 0 {
		return w
	}
	w.Start, w.Started = f.startBy(v.Vary.Start)
	var ignored []ignoredAnswer
	for i := range answers {
		a := &answers[i]
		if a.At == 0 || !a.By.known() {
			continue // only its dismissal has been heard of
		}
		if reason := f.notFirst(a, &w); reason != "" {
			if reason != Draft || v.Vary.Start != StartRequested { // what nobody asked for was none of its business
				ignored = append(ignored, ignoredAnswer{a.Item, a.At, reason})
			}
			continue
		}
		if w.Item == "" || a.At < w.First {
			w.First, w.Item, w.By = a.At, a.Item, a.By
		}
	}
	for _, g := range ignored {
		if w.Item == "" || g.At < w.First {
			w.Ignored = append(w.Ignored, g)
		}
	}
	return w
}

// notFirst says why an answer cannot end the wait, or "".
func (f *PullRequestFold) notFirst(a *answer, w *wait) Reason {
	switch reason := f.uncounted(a); {
	case reason != "":
		return reason
	case f.afterMerge(a.At):
		return AfterMerge
	case !w.Started || a.At < w.Start:
		return Draft
	}
	return ""
}

// uncounted says why an answer never counts, or "". Who it is by comes before
// when: a bot's review of a draft is a bot's.
func (f *PullRequestFold) uncounted(a *answer) Reason {
	switch {
	case a.By.Bot:
		return Bot
	case a.By.Deleted:
		return DeletedUser
	case a.By.same(&f.Author):
		return Self
	case a.Pending:
		return Pending
	case a.At < f.Created:
		return Anomaly
	}
	return ""
}

func (f *PullRequestFold) afterMerge(t timeline.Millis) bool { return f.Merged != 0 && t > f.Merged }

// tell gives the wait, once it has ended, and what did not end it.
func (w *wait) tell(yield func(Observation)) {
	if w.Item != "" {
		yield(duration(w.Start, w.First))
	}
	w.tellIgnored(yield)
}

func (w *wait) tellIgnored(yield func(Observation)) {
	for _, g := range w.Ignored {
		at := g.At
		if w.Item != "" {
			at = w.First // beside the wait that it did not end
		}
		yield(Observation{Item: g.Item, At: at, Outcome: Ignored, Reason: g.Reason})
	}
}
