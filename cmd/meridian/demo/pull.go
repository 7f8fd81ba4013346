package demo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"meridian/streaming/timeline"
)

// pull is a pull request as it stands.
type pull struct {
	repository *repository
	service    *service // in a repository of several
	author     *person  // nil: a bot's
	user       *ghUser
	issue      *issue // that it works on; nil: none
	number, id int64
	title      string
	branch     string
	head       string

	created, updated, merged, closed timeline.Millis

	draft     bool
	auto      bool // merged by GitHub, when everything was green
	mergedBy  *ghUser
	mergeSHA  string
	asked     []*person
	commits   []ghCommit
	comments  int
	remarks   int // in reviews
	added     int
	removed   int
	judged    timeline.Millis // when it was last reviewed by a human other than the author
	reviewed  bool
	approved  bool
	corrected bool // there are new commits since changes were asked for
}

func (p *pull) folder() string {
	if p.service != nil && p.service.paths != "" {
		return p.service.paths
	}
	return p.repository.folder
}

func text(t timeline.Millis) *string {
	if t == 0 {
		return nil
	}
	s := t.String()
	return &s
}

// payload is p as deliveries about reviews have it.
func (p *pull) payload() *ghPull {
	state := "open"
	if p.closed != 0 {
		state = "closed"
	}
	var asked []*ghUser
	for _, a := range p.asked {
		asked = append(asked, a.user())
	}
	var labels []ghLabel
	if p.author == nil {
		labels = []ghLabel{{6_100_221, "dependencies"}}
	}
	var auto *ghAuto
	if p.auto {
		auto = &ghAuto{p.user, "squash"}
	}
	var sha *string
	if p.mergeSHA != "" {
		sha = &p.mergeSHA
	}
	repo := p.repository.state(p.updated)
	page := fmt.Sprintf("%s/pull/%d", p.repository.name, p.number)
	return &ghPull{
		URL: api(fmt.Sprintf("repos/%s/pulls/%d", p.repository.name, p.number)), ID: p.id, NodeID: node("PR", p.id), HTMLURL: web(page),
		Number: p.number, State: state, Title: p.title, User: p.user, Body: p.describe(),
		CreatedAt: p.created.String(), UpdatedAt: p.updated.String(), ClosedAt: text(p.closed), MergedAt: text(p.merged), MergeCommitSHA: sha,
		RequestedReviewers: asked, Labels: labels, Draft: p.draft,
		Head:              ghTip{company + ":" + p.branch, p.branch, p.head, repo},
		Base:              ghTip{company + ":main", "main", p.repository.tip, repo},
		AuthorAssociation: "MEMBER", AutoMerge: auto,
	}
}

func (p *pull) describe() string {
	if p.issue == nil {
		return "What was and what is, in the commits."
	}
	return "For " + p.issue.key + ". See there for the reasons."
}

func (p *pull) whole() ghWholePull {
	return ghWholePull{p.payload(), &ghPullSums{
		Merged: p.merged != 0, MergedBy: p.mergedBy, Comments: p.comments, ReviewComments: p.remarks,
		Commits: len(p.commits), Additions: p.added, Deletions: p.removed, ChangedFiles: max(1, (p.added+p.removed)/40),
	}}
}

func envelope(action string, r *repository, at timeline.Millis, sender *ghUser) ghEnvelope {
	return ghEnvelope{action, r.state(at), organization(), sender}
}

// tell sends a pull_request delivery of an action at a time.
func (w *world) tell(p *pull, at timeline.Millis, action string, sender *ghUser, more ...func(*ghPullDelivery)) {
	p.updated = max(p.updated, at)
	d := ghPullDelivery{ghEnvelope: envelope(action, p.repository, at, sender), Number: p.number, PullRequest: p.whole()}
	for _, m := range more {
		m(&d)
	}
	w.github(at, p.repository, "pull_request", &d)
}

// newPull begins a pull request; open makes it known.
func (w *world) newPull(r *repository, author *person, at timeline.Millis) *pull {
	r.number++
	p := &pull{repository: r, author: author, number: r.number, id: w.nextID(), created: at, updated: at, title: w.title()}
	if author == nil {
		p.user = updater()
		p.title = "Bump " + pick(w.dice, []string{"chi", "zap", "esbuild", "vite", "pgx", "sqlite", "okhttp"}) + fmt.Sprintf(" to %d.%d.%d", w.IntN(9), w.IntN(20), w.IntN(9))
	} else {
		p.user = author.user()
	}
	var services []*service
	for _, s := range r.team.services {
		if s.repository == r && s.paths != "" {
			services = append(services, s)
		}
	}
	if len(services) > 0 {
		p.service = pick(w.dice, services)
	}
	slug := strings.ReplaceAll(lower(p.title), " ", "-")
	p.branch = fmt.Sprintf("%s/%s-%d", cmp.Or(p.user.Login, "bot"), slug, p.number)
	size := r.team.size
	if r.team.name == platform {
		size = w.improving(at, 260, 90) // ever smaller
	}
	p.added = w.size(size)
	p.removed = w.size(max(1, size/3))
	return p
}

// open pushes the branch and opens the pull request.
func (w *world) open(p *pull, at timeline.Millis, authored []timeline.Millis) {
	w.pushBranch(p, at, authored, true)
	w.tell(p, p.created, "opened", p.user)
}

func (w *world) ready(p *pull, at timeline.Millis) {
	p.draft = false
	w.tell(p, at, "ready_for_review", p.user)
}

func (w *world) toDraft(p *pull, at timeline.Millis) {
	p.draft = true
	w.tell(p, at, "converted_to_draft", p.user)
}

func (w *world) ask(p *pull, at timeline.Millis, who *person) {
	if slices.Contains(p.asked, who) {
		return
	}
	p.asked = append(p.asked, who)
	w.tell(p, at, "review_requested", p.user, func(d *ghPullDelivery) { d.RequestedReviewer = who.user() })
}

// correct pushes more commits to the branch.
func (w *world) correct(p *pull, at timeline.Millis, authored []timeline.Millis) {
	before := p.head
	w.pushBranch(p, at, authored, false)
	p.added += w.IntN(30)
	p.corrected = true
	w.tell(p, at, "synchronize", p.user, func(d *ghPullDelivery) { d.Before, d.After = before, p.head })
}

// review submits one; by nil is an account that was deleted since.
func (w *world) review(p *pull, at timeline.Millis, by *ghUser, state string) {
	id := w.nextID()
	var body *string
	if state != "approved" || w.chance(200) {
		s := "Some thoughts in the lines."
		body = &s
	}
	p.updated = max(p.updated, at)
	w.github(at, p.repository, "pull_request_review", &ghReviewDelivery{
		ghEnvelope: envelope("submitted", p.repository, at, by),
		Review: ghReview{
			ID: id, NodeID: node("PRR", id), User: by, Body: body, CommitID: p.head, SubmittedAt: at.String(), State: state,
			HTMLURL:        web(fmt.Sprintf("%s/pull/%d#pullrequestreview-%d", p.repository.name, p.number, id)),
			PullRequestURL: api(fmt.Sprintf("repos/%s/pulls/%d", p.repository.name, p.number)), AuthorAssociation: "MEMBER",
		},
		PullRequest: p.payload(),
	})
}

// judge is a review by a colleague.
func (w *world) judge(p *pull, at timeline.Millis, by *person, state string) {
	p.asked = slices.DeleteFunc(p.asked, func(a *person) bool { return a == by })
	p.judged, p.reviewed, p.approved, p.corrected = at, true, state == "approved", false
	if state != "approved" {
		p.remarks += 1 + w.IntN(5)
	}
	w.review(p, at, by.user(), state)
}

// remark is a comment in the conversation.
func (w *world) remark(p *pull, at timeline.Millis, by *ghUser) {
	id := w.nextID()
	p.comments++
	p.updated = max(p.updated, at)
	whole := p.payload()
	w.github(at, p.repository, "issue_comment", &ghCommentDelivery{
		ghEnvelope: envelope("created", p.repository, at, by),
		Issue: ghIssue{
			URL: api(fmt.Sprintf("repos/%s/issues/%d", p.repository.name, p.number)), ID: p.id + 1, Number: p.number, Title: p.title, User: p.user,
			Labels: whole.Labels, State: whole.State, Comments: p.comments, CreatedAt: whole.CreatedAt, UpdatedAt: whole.UpdatedAt, Draft: p.draft,
			PullRequest: map[string]string{"url": whole.URL, "html_url": whole.HTMLURL}, Body: whole.Body,
		},
		Comment: ghComment{
			ID: id, NodeID: node("IC", id), HTMLURL: fmt.Sprintf("%s#issuecomment-%d", whole.HTMLURL, id), User: by,
			CreatedAt: at.String(), UpdatedAt: at.String(), Body: "Have you thought of the empty list?",
		},
	})
}

// merge closes the pull request with a merge, and pushes it to the default branch.
func (w *world) merge(p *pull, at timeline.Millis, by *ghUser) {
	p.merged, p.closed, p.mergedBy, p.mergeSHA = at, at, by, w.sha()
	w.tell(p, at, "closed", by)
	w.pushMerge(p, at)
	if w.chance(350) {
		w.deleteBranch(p, at+timeline.Second, by)
	}
}

func (w *world) abandon(p *pull, at timeline.Millis, by *ghUser) {
	p.closed = at
	w.tell(p, at, "closed", by)
}

func (w *world) reopen(p *pull, at timeline.Millis) {
	p.closed = 0
	w.tell(p, at, "reopened", p.user)
}
