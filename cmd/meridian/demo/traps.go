package demo

import (
	"meridian/streaming/timeline"
)

// traps are the deliveries that go wrong on purpose, besides those that come late
// or twice. Each is in every history, a test counts them.
func (w *world) traps() {
	at := func(day int, minutes int64) timeline.Millis {
		return w.start + timeline.Millis(day)*timeline.Day + timeline.Millis(minutes)*timeline.Minute
	}
	repository := w.repositories[0]
	who := w.person("Jonas")

	// Types that nobody here reads.
	for day := 1; day < HistoryDays; day += 2 {
		w.github(at(day, 600), repository, "check_run", map[string]any{
			"action": "completed", "repository": repository.state(at(day, 600)), "organization": organization(), "sender": builder(),
			"check_run": map[string]any{"id": w.nextID(), "name": "checks", "conclusion": "success", "created_at": at(day, 595).String()},
		})
	}
	w.jira(at(12, 500), map[string]any{"timestamp": int64(at(12, 500)), "webhookEvent": "sprint_started", "sprint": map[string]any{"id": 31, "name": "Sprint 31"}})

	// A review from the year 2099: somebody's clock is wrong.
	future := w.newPull(repository, who, at(47, 700))
	w.open(future, future.created, []timeline.Millis{future.created - timeline.Hour})
	future2099, _ := timeline.ParseInstant("2099-01-01T00:00:00Z")
	w.futureReview(future, at(47, 760), future2099)
	w.abandon(future, at(47, 900), who.user())

	// A review whose account was deleted since.
	gone := w.newPull(repository, who, at(51, 600))
	w.open(gone, gone.created, []timeline.Millis{gone.created - timeline.Hour})
	w.review(gone, at(51, 640), nil, "approved")
	w.judge(gone, at(51, 700), w.person("Annika"), "approved")
	w.abandon(gone, at(51, 900), who.user())

	// A commit with an offset that no place has; its push has a good one as well.
	pushed := at(55, 650)
	good := w.commit(repository, who.author(), who.zone, pushed-2*timeline.Minute, "Sort the imports", "src/")
	bad := w.commit(repository, who.author(), who.zone, pushed-timeline.Minute, "Set the clock", "src/")
	bad.Timestamp = bad.Timestamp[:len(bad.Timestamp)-6] + "+27:00"
	w.push(repository, pushed, "refs/heads/clock", nowhere, bad.ID, []ghCommit{good, bad}, who.user())

	// A delivery that cannot be read: its pull request has no usable time.
	lost := w.newPull(repository, who, at(58, 640))
	d := ghPullDelivery{ghEnvelope: envelope("opened", repository, lost.created, who.user()), Number: lost.number, PullRequest: lost.whole()}
	d.PullRequest.CreatedAt = "0000-00-00T00:00:00Z"
	w.github(lost.created, repository, "pull_request", &d)
}

func (w *world) futureReview(p *pull, at, dated timeline.Millis) {
	id := w.nextID()
	by := w.person("Greta").user()
	d := &ghReviewDelivery{
		ghEnvelope:  envelope("submitted", p.repository, at, by),
		Review:      ghReview{ID: id, NodeID: node("PRR", id), User: by, CommitID: p.head, SubmittedAt: dated.String(), State: "approved"},
		PullRequest: p.payload(),
	}
	w.github(at, p.repository, "pull_request_review", d)
}
