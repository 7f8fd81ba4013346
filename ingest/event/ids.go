package event

import (
	"strconv"

	"meridian/streaming/timeline"
)

// Natural ids: one function for each fact, so that every way by which a fact
// can come (two hooks, a redelivery, an API read) is given the same id. The
// table with the reasons is docs/natural-ids.md.
//
// A fact that its provider numbers is named by that number. A fact without one
// (ready, draft, closed, reopened, review requested) is the assertion "so at t":
// its id holds the time, and copies some seconds apart are two ids that say the
// same, which changes no fold. What a payload only repeats (labels, sizes) is
// named by time and content, so that two changes of one second both count.
//
// Names that can be changed (repository, login, project key, status) are in no
// id. Repositories and pull requests are GitHub's numeric ids and numbers, which
// survive a rename and a transfer.

func number(n int64) string            { return strconv.FormatInt(n, 10) }
func instant(t timeline.Millis) string { return strconv.FormatInt(int64(t), 10) }

func pullRequestFact(repository, pr int64, fact string, more ...string) ID {
	return NewID(append([]string{"github", "repo", number(repository), "pr", number(pr), fact}, more...)...)
}

// PullRequestOpenedID: a pull request is opened once.
func PullRequestOpenedID(repository, pr int64) ID {
	return pullRequestFact(repository, pr, "opened")
}

// PullRequestMergedID: and merged once.
func PullRequestMergedID(repository, pr int64) ID {
	return pullRequestFact(repository, pr, "merged")
}

// PullRequestClosedID is of a close without a merge; at is closed_at.
func PullRequestClosedID(repository, pr int64, at timeline.Millis) ID {
	return pullRequestFact(repository, pr, "closed", instant(at))
}

// PullRequestReopenedID asserts "open" at updated_at.
func PullRequestReopenedID(repository, pr int64, at timeline.Millis) ID {
	return pullRequestFact(repository, pr, "reopened", instant(at))
}

// PullRequestReadyID asserts "draft = false" at updated_at.
func PullRequestReadyID(repository, pr int64, at timeline.Millis) ID {
	return pullRequestFact(repository, pr, "ready", instant(at))
}

// PullRequestDraftedID asserts "draft = true" at updated_at.
func PullRequestDraftedID(repository, pr int64, at timeline.Millis) ID {
	return pullRequestFact(repository, pr, "draft", instant(at))
}

// PullRequestUpdatedID is of facts that changed at updated_at. GitHub's times
// have seconds, and two labels are often set in one: content is whatever of the
// payload the decoder takes over (head, labels, sizes), in a fixed order.
func PullRequestUpdatedID(repository, pr int64, at timeline.Millis, content ...string) ID {
	return pullRequestFact(repository, pr, "updated", append([]string{instant(at)}, content...)...)
}

// ReviewRequestedID asserts that a review by reviewer (an account's key, or
// "team/" and a team's id) is wanted at updated_at.
func ReviewRequestedID(repository, pr int64, reviewer string, at timeline.Millis) ID {
	return pullRequestFact(repository, pr, "review_requested", reviewer, instant(at))
}

// ReviewRequestRemovedID asserts that it is no longer.
func ReviewRequestRemovedID(repository, pr int64, reviewer string, at timeline.Millis) ID {
	return pullRequestFact(repository, pr, "review_request_removed", reviewer, instant(at))
}

// ReviewSubmittedID: review is the review's own id. Editing it later is no fact.
func ReviewSubmittedID(repository, pr, review int64) ID {
	return pullRequestFact(repository, pr, "review", number(review), "submitted")
}

// ReviewDismissedID: a review is dismissed at most once.
func ReviewDismissedID(repository, pr, review int64) ID {
	return pullRequestFact(repository, pr, "review", number(review), "dismissed")
}

// ReviewCommentedID is of a comment on a line of the diff; comment is its id.
func ReviewCommentedID(repository, pr, comment int64) ID {
	return pullRequestFact(repository, pr, "review_comment", number(comment))
}

// PullRequestCommentedID is of a comment in the conversation, which has ids of
// its own (those of GitHub's issues).
func PullRequestCommentedID(repository, pr, comment int64) ID {
	return pullRequestFact(repository, pr, "comment", number(comment))
}

// PushedID: a push has no id. A branch can go from one commit to another more
// than once (a force-push there and back), hence the time.
func PushedID(repository int64, ref, before, after string, at timeline.Millis) ID {
	return NewID("github", "repo", number(repository), "push", ref, before, after, instant(at))
}

// RefID is of a branch or tag that was made or deleted at pushed_at. The push
// that did it is a fact of its own.
func RefID(repository int64, ref string, deleted bool, at timeline.Millis) ID {
	fact := "created"
	if deleted {
		fact = "deleted"
	}
	return NewID("github", "repo", number(repository), "ref", ref, fact, instant(at))
}

// CommitsReadID is of the commits of a pull request up to head, as an API lists
// them. After another push the list is another fact.
func CommitsReadID(repository, pr int64, head string) ID {
	return pullRequestFact(repository, pr, "commits", head)
}

// RepositoryChangedID asserts what became of a repository at updated_at.
func RepositoryChangedID(repository int64, change string, at timeline.Millis) ID {
	return NewID("github", "repo", number(repository), "changed", change, instant(at))
}

// WorkflowRunID is "run is in state since at". A run that is tried again reaches
// its states again, at other times.
func WorkflowRunID(repository, run int64, state DeploymentState, at timeline.Millis) ID {
	return NewID("github", "repo", number(repository), "run", number(run), number(int64(state)), instant(at))
}

// ReleasePublishedID: a release is published once.
func ReleasePublishedID(repository, release int64) ID {
	return NewID("github", "repo", number(repository), "release", number(release), "published")
}

// CommitDefectiveID is of a commit of a push that cannot be read. It lies in
// that push and not in the repository: the next push may tell it properly.
func CommitDefectiveID(push ID, place int, sha string) ID {
	return NewID("commit", string(push[:]), number(int64(place)), sha)
}

// DeploymentCreatedID is of a GitHub deployment.
func DeploymentCreatedID(repository, deployment int64) ID {
	return NewID("github", "repo", number(repository), "deployment", number(deployment), "created")
}

// DeploymentStatusID is of a GitHub deployment status; status is its own id.
func DeploymentStatusID(repository, deployment, status int64) ID {
	return NewID("github", "repo", number(repository), "deployment", number(deployment), "status", number(status))
}

// GitHubIssueFactID is of issues in a repository, for the facts without an id
// of their own: fact is "opened", or "closed", "reopened" and the like with
// their time. Comments use [PullRequestCommentedID]'s numbers.
func GitHubIssueFactID(repository, issue int64, fact string, at timeline.Millis) ID {
	return NewID("github", "repo", number(repository), "issue", number(issue), fact, instant(at))
}

// DeployStateID is of the generic deployment: "run of service is in state since
// at". A body sent again has the same time; a run that reaches a state a second
// time has another. Environment is part of it because one run may pass through
// several, and each body states one.
func DeployStateID(source, run, service, environment string, state DeploymentState, at timeline.Millis) ID {
	return NewID("deploy", source, "run", run, service, environment, number(int64(state)), instant(at))
}

// ArgoCDSyncID is of a finished sync of an application: the same notice comes
// again, months later too. outcome is what it says, so that a Degraded notice
// does not use up the Healthy one's id. Revisions keep their order, which is
// that of the application's sources.
func ArgoCDSyncID(source, application string, revisions []string, finished timeline.Millis, outcome string) ID {
	parts := append([]string{"argocd", source, "app", application, outcome, instant(finished)}, revisions...)
	return NewID(parts...)
}

// CDEventID: an event is named by its context's source and id (CDEvents: the two
// together are unique). service tells apart what one event deploys.
func CDEventID(source, contextSource, contextID, service string) ID {
	return NewID("cdevents", source, contextSource, contextID, service)
}

// IssueCreatedID: site is the host of the Jira site, issue its numeric id. The
// key (OPS-7) changes when an issue is moved.
func IssueCreatedID(site, issue string) ID {
	return NewID("jira", site, "issue", issue, "created")
}

// IssueTransitionedID: change is the id of the changelog entry (webhook:
// changelog.id; API and Automation: histories[].id, the same number). One entry
// may move the status more than once; from and to are the ids of the statuses.
// Where there is no changelog id, change is "" and the time stands for it.
func IssueTransitionedID(site, issue, change, from, to string, at timeline.Millis) ID {
	if change != "" {
		return NewID("jira", site, "issue", issue, "change", change, "status", from, to)
	}
	return NewID("jira", site, "issue", issue, "change at", instant(at), "status", from, to)
}

// IssueUpdatedID is of facts that changed: type, labels, components, key. Where
// there is no changelog id, time and content stand for it.
func IssueUpdatedID(site, issue, change string, at timeline.Millis, content ...string) ID {
	if change != "" {
		return NewID("jira", site, "issue", issue, "change", change, "facts")
	}
	return NewID(append([]string{"jira", site, "issue", issue, "change at", instant(at), "facts"}, content...)...)
}

// IssueDeletedID: an issue is deleted once.
func IssueDeletedID(site, issue string) ID {
	return NewID("jira", site, "issue", issue, "deleted")
}

// IssueCommentedID: ids of comments are unique in a site. The issue is left out,
// because Jira Server's comment_created does not name it and jira:issue_updated
// does: both tell one fact. The creation is part of it, and not the webhook's
// timestamp, which differs between the two.
func IssueCommentedID(site, comment string, created timeline.Millis) ID {
	return NewID("jira", site, "comment", comment, "created", instant(created))
}
