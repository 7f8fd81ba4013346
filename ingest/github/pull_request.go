package github

import (
	"meridian/ingest/event"
	"meridian/ingest/payload"
)

type pullRequestDelivery struct {
	envelope
	PullRequest       *pullRequest `json:"pull_request,omitempty"`
	RequestedReviewer *user        `json:"requested_reviewer,omitempty"`
	RequestedTeam     *team        `json:"requested_team,omitempty"`
	Label             *label       `json:"label,omitempty"`
}

type pullRequest struct {
	Number    int64        `json:"number"`
	State     string       `json:"state,omitempty"`
	Draft     bool         `json:"draft,omitempty"`
	User      *user        `json:"user,omitempty"`
	CreatedAt payload.Time `json:"created_at,omitzero"`
	UpdatedAt payload.Time `json:"updated_at,omitzero"`
	ClosedAt  payload.Time `json:"closed_at,omitzero"`
	MergedAt  payload.Time `json:"merged_at,omitzero"`
	Merged    bool         `json:"merged,omitempty"` // absent where the delivery is about a review
	MergedBy  *user        `json:"merged_by,omitempty"`
	MergeSHA  string       `json:"merge_commit_sha,omitempty"`
	AutoMerge *struct{}    `json:"auto_merge,omitempty"`
	Head      tip          `json:"head,omitzero"`
	Base      tip          `json:"base,omitzero"`
	Additions int64        `json:"additions,omitempty"`
	Deletions int64        `json:"deletions,omitempty"`
	Commits   int64        `json:"commits,omitempty"`
	Labels    []label      `json:"labels,omitempty"`
	URL       string       `json:"html_url,omitempty"`

	Title   string          `json:"title,omitempty"`
	Body    string          `json:"body,omitempty"`
	Learned payload.Learned `json:"meridian,omitzero"`
}

// tip is the head or the base of a pull request. The repository of a head is
// null when the fork has been deleted.
type tip struct {
	Ref  string      `json:"ref,omitempty"`
	SHA  string      `json:"sha,omitempty"`
	Repo *repository `json:"repo,omitempty"`
}

type label struct {
	Name string `json:"name"`
}

type team struct {
	ID   int64  `json:"id,omitempty"`
	Slug string `json:"slug,omitempty"`
}

func (d *pullRequestDelivery) strip(_ Hasher, kept bool) { d.PullRequest.strip(kept) }

func (p *pullRequest) strip(kept bool) {
	if p == nil {
		return
	}
	if !kept {
		p.Learned = payload.Learn(p.Title, p.Body, p.Head.Ref)
	}
	p.Title, p.Body, p.URL = "", "", payload.WebURL(p.URL)
}

func (d *pullRequestDelivery) read(r *reading) {
	p := d.PullRequest
	if !r.aboutPullRequest(p) {
		return
	}
	repo, n, updated := d.Repository.ID, p.Number, p.UpdatedAt
	switch d.Action {
	case "opened":
		d.add(r, event.PullRequestOpened, event.PullRequestOpenedID(repo, n), p.CreatedAt, "pull_request.created_at", p.User)
	case "closed":
		d.closed(r)
	case "reopened":
		d.assert(r, event.PullRequestReopened, event.PullRequestReopenedID(repo, n, updated.At))
	case "ready_for_review":
		d.assert(r, event.PullRequestReady, event.PullRequestReadyID(repo, n, updated.At))
	case "converted_to_draft":
		d.assert(r, event.PullRequestDrafted, event.PullRequestDraftedID(repo, n, updated.At))
	case "review_requested":
		d.assert(r, event.ReviewRequested, event.ReviewRequestedID(repo, n, d.asked(), updated.At))
	case "review_request_removed":
		d.assert(r, event.ReviewRequestRemoved, event.ReviewRequestRemovedID(repo, n, d.asked(), updated.At))
	case "synchronize", "edited", "labeled", "unlabeled", "assigned", "unassigned", "locked", "unlocked",
		"milestoned", "demilestoned", "auto_merge_enabled", "auto_merge_disabled", "enqueued", "dequeued":
		// GitHub sends one delivery for each of several labels set at once, each with
		// all of them: the label tells the deliveries apart.
		which := ""
		if d.Label != nil {
			which = d.Label.Name
		}
		d.assert(r, event.PullRequestUpdated, event.PullRequestUpdatedID(repo, n, updated.At, d.Action, p.Head.SHA, which))
	case "":
		r.wrong("action is missing")
	default:
		r.ignore("Meridian does not read this action of a pull request")
	}
}

// closed is a merge where it was one: a merge wins over what state says.
func (d *pullRequestDelivery) closed(r *reading) {
	p, repo := d.PullRequest, d.Repository.ID
	if p.Merged || p.MergedAt.Known() {
		e := d.add(r, event.PullRequestMerged, event.PullRequestMergedID(repo, p.Number),
			p.MergedAt.Or(p.ClosedAt), "pull_request.merged_at", p.MergedBy)
		if e != nil {
			// Here, and only here, no merged_by means that the account is gone:
			// deliveries about reviews never have one.
			e.PullRequest.MergedBy = e.Actor
		}
		return
	}
	d.add(r, event.PullRequestClosed, event.PullRequestClosedID(repo, p.Number, p.ClosedAt.At),
		p.ClosedAt, "pull_request.closed_at", d.Sender)
}

// assert adds a fact without a time of its own: "this holds at updated_at".
func (d *pullRequestDelivery) assert(r *reading, kind event.Kind, id event.ID) {
	d.add(r, kind, id, d.PullRequest.UpdatedAt, "pull_request.updated_at", d.Sender)
}

func (d *pullRequestDelivery) add(r *reading, kind event.Kind, id event.ID, at payload.Time, timeName string, actor *user) *event.Event {
	e := r.addPullRequest(kind, id, at, timeName, d.PullRequest)
	if e == nil {
		return nil
	}
	e.Actor = actor.account()
	if d.RequestedReviewer != nil {
		e.PullRequest.RequestedReviewer = d.RequestedReviewer.account()
	}
	if d.RequestedTeam != nil {
		e.PullRequest.RequestedTeam = d.RequestedTeam.Slug
	}
	return e
}

// asked is who was asked for a review: an account's key, or a team.
func (d *pullRequestDelivery) asked() string {
	switch {
	case d.RequestedReviewer != nil:
		return d.RequestedReviewer.account().Key
	case d.RequestedTeam != nil:
		return "team/" + number(d.RequestedTeam.ID)
	}
	return ""
}

// aboutPullRequest reports whether the delivery says which pull request it is
// about, or finds it wrong.
func (r *reading) aboutPullRequest(p *pullRequest) bool {
	if p == nil || p.Number <= 0 {
		r.wrong("pull_request.number is missing")
		return false
	}
	return r.inRepository()
}

// addPullRequest begins an event about p and adds it; see [reading.add].
func (r *reading) addPullRequest(kind event.Kind, id event.ID, at payload.Time, timeName string, p *pullRequest) *event.Event {
	e := r.add(kind, id, at, timeName)
	if e == nil {
		return nil
	}
	e.Entity = pullRequestEntity(r.env.Repository.ID, p.Number)
	e.Created = p.CreatedAt.At
	e.PullRequest = p.fact(r.env.Repository)
	return e
}

// fact is p in canonical language.
func (p *pullRequest) fact(repo *repository) *event.PullRequest {
	f := &event.PullRequest{
		Number:    p.Number,
		Author:    p.User.account(),
		Created:   p.CreatedAt.At,
		Draft:     p.Draft,
		State:     p.State,
		Merged:    p.MergedAt.At,
		Closed:    p.ClosedAt.At,
		AutoMerge: p.AutoMerge != nil,
		BaseRef:   p.Base.Ref,
		HeadRef:   p.Head.Ref,
		HeadSHA:   p.Head.SHA,
		MergeSHA:  p.MergeSHA,
		IntoMain:  p.Base.Ref != "" && p.Base.Ref == repo.DefaultBranch,
		Additions: p.Additions,
		Deletions: p.Deletions,
		Commits:   p.Commits,
		Labels:    labelNames(p.Labels),
		IssueKeys: p.Learned.IssueKeys,
		Marks:     p.Learned.Marks(),
		URL:       p.URL,
	}
	f.FromFork = p.Head.Ref != "" && (p.Head.Repo == nil || p.Head.Repo.ID != repo.ID)
	if p.Merged && f.Merged == 0 {
		f.Merged = f.Closed
	}
	if p.MergedBy != nil {
		f.MergedBy = p.MergedBy.account()
	}
	return f
}

func labelNames(labels []label) []string {
	var names []string
	for _, l := range labels {
		names = append(names, l.Name)
	}
	return names
}
