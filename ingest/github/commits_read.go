package github

import (
	"meridian/ingest/event"
	"meridian/ingest/payload"
)

// commitsDelivery is Meridian's own: the commits of a pull request as a backfill
// has read them, for no webhook tells those of a fork, nor those that were pushed
// before the hook was made. It is filed at the creation of the pull request, for
// nobody says when they were pushed.
type commitsDelivery struct {
	envelope
	PullRequest *pullRequest         `json:"pull_request,omitempty"`
	Commits     payload.List[commit] `json:"commits,omitempty"`
}

func (d *commitsDelivery) strip(hash Hasher, kept bool) {
	d.PullRequest.strip(kept)
	for i := range d.Commits {
		d.Commits[i].strip(hash, kept, nil)
	}
}

func (d *commitsDelivery) read(r *reading) {
	p := d.PullRequest
	switch {
	case !r.viaAPI:
		r.ignore("GitHub sends no such event; a backfill reads it")
		return
	case !r.aboutPullRequest(p):
		return
	}
	id := event.CommitsReadID(d.Repository.ID, p.Number, p.Head.SHA)
	e := r.addPullRequest(event.CommitsRead, id, p.CreatedAt, "pull_request.created_at", p)
	if e == nil {
		return
	}
	e.Push = &event.Push{Ref: "refs/heads/" + p.Head.Ref, After: p.Head.SHA}
	first := p.CreatedAt.At
	for i := range d.Commits {
		c := &d.Commits[i]
		if c.Learned.Defect != "" {
			continue // the push that brought it, where there was one, says so
		}
		fact := c.fact()
		if e.PullRequest.FirstAuthored == 0 || fact.Authored < first {
			first, e.PullRequest.FirstAuthored = fact.Authored, fact.Authored
		}
		e.Push.Commits = append(e.Push.Commits, fact)
	}
}
