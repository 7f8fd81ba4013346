package ingest

import (
	"encoding/hex"
	"strconv"
	"strings"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// act is one activity that an event tells of, before it is known whose teams it
// belongs to.
type act struct {
	key     string
	kind    event.ActKind
	at      timeline.Millis
	teamsAt timeline.Millis // when the person's teams are asked for; 0 is at
	who     event.Account
	local   event.LocalEvidence
	ignored string // a reason of the event itself, or ""
}

// Reasons for which an act does not count. They are the metrics' own words.
const (
	ignoredBot       = "bot"
	ignoredDeleted   = "deleted_user"
	ignoredAutoMerge = "auto_merge"
)

// actsOf appends the acts of an event that is no push, whose commits are acts of
// their own; see [Route.commits]. Pushing, asking for review, becoming ready,
// closing without a merge and creating an issue are no acts.
func actsOf(e *event.Event, acts []act) []act {
	a := act{at: e.Time, who: e.Actor, local: e.Local}
	switch e.Kind {
	case event.PullRequestOpened:
		a.kind = event.ActOpened
	case event.ReviewSubmitted:
		if e.Review != nil && e.Review.State == event.ReviewPending {
			return acts // nobody but its author has seen it yet
		}
		a.kind = event.ActReviewed
	case event.ReviewCommentedKind, event.PullRequestCommented, event.IssueCommented:
		a.kind = event.ActCommented
	case event.PullRequestMerged:
		a.kind = event.ActMerged
		if p := e.PullRequest; p != nil {
			if !p.MergedBy.IsZero() {
				a.as(p.MergedBy, e)
			}
			if p.AutoMerge {
				a.ignored = ignoredAutoMerge
			}
		}
	case event.IssueTransitioned:
		a.kind = event.ActTransitioned
	case event.DeploymentCreated, event.DeploymentStatus:
		a.kind = event.ActDeployed
		// Started once, told by each of its states: all give the same key, and the
		// earliest time that any of them knows is when it was started.
		a.key = "deployment/" + string(e.Entity)
		if d := e.Deployment; d != nil {
			if !d.Creator.IsZero() {
				a.as(d.Creator, e)
			}
			for _, t := range []timeline.Millis{d.Created, d.Started} {
				if t != 0 {
					a.at = t
					break
				}
			}
		}
	default:
		return acts
	}
	if a.who.IsZero() {
		return acts
	}
	if a.key == "" {
		a.key = eventKey(&e.ID)
	}
	return append(acts, a)
}

// as says that somebody other than the event's actor did it; what the event says
// of the actor's zone is then no evidence.
func (a *act) as(who event.Account, e *event.Event) {
	a.who = who
	if !who.Same(e.Actor) {
		a.local = event.LocalEvidence{}
	}
}

// commitKey identifies a commit as an activity: author, author time, repository.
// A rebase keeps all three, so it adds none. The author is the person, so that
// their two addresses are one author once the catalog knows both.
func commitKey(author event.PersonID, authored timeline.Millis, repository event.EntityID) string {
	var room [128]byte // keys are made for most events, and this one is copied once
	b := append(room[:0], "commit/"...)
	b = hex.AppendEncode(b, author[:])
	b = append(b, '/')
	b = strconv.AppendInt(b, int64(authored), 10)
	b = append(b, '/')
	return string(append(b, repository...))
}

// eventKey identifies an act that one event tells of.
func eventKey(id *event.ID) string {
	var room [64]byte
	return string(hex.AppendEncode(append(room[:0], "event/"...), id[:]))
}

// repositoryOf is the repository that an entity of GitHub's lies in: commits are
// acts in it, whether a push told of them or a read of their pull request.
func repositoryOf(id event.EntityID) event.EntityID {
	if repository, _, ok := strings.Cut(string(id), "/pr/"); ok {
		return event.EntityID(repository)
	}
	return id
}
