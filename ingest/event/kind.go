package event

// Kind says what happened. Numbers are written to the log: never change or
// reuse one, only add.
type Kind uint8

// All kinds.
const (
	KindUnknown Kind = 0

	PullRequestOpened    Kind = 1
	PullRequestReady     Kind = 2
	PullRequestDrafted   Kind = 3
	PullRequestClosed    Kind = 4 // without a merge
	PullRequestMerged    Kind = 5
	PullRequestReopened  Kind = 6
	PullRequestUpdated   Kind = 7 // synchronize, edited, labeled: facts only
	ReviewRequested      Kind = 8
	ReviewRequestRemoved Kind = 9
	ReviewSubmitted      Kind = 10
	ReviewDismissedKind  Kind = 11
	ReviewCommentedKind  Kind = 12
	PullRequestCommented Kind = 13
	Pushed               Kind = 20
	CommitsRead          Kind = 21 // commits of a branch or a pull request, read through an API: nobody says when they were pushed
	RefCreated           Kind = 22 // a branch or tag
	RefDeleted           Kind = 23
	DeploymentCreated    Kind = 30
	DeploymentStatus     Kind = 31
	IssueCreated         Kind = 40
	IssueTransitioned    Kind = 41
	IssueUpdated         Kind = 42 // type, labels, components, key: facts only
	IssueDeleted         Kind = 43
	IssueCommented       Kind = 44
	RepositoryChanged    Kind = 50 // renamed, transferred, archived, deleted: facts only
	CommitDefective      Kind = 60 // a commit of a push that cannot be read; always with a Defect

	// No events: what a control record of deliveries says of a scope, on its way to
	// the scope's teams. Created is where the time begins, Time where it ends; Scope
	// holds a repository or a project, or neither, and it is the whole source.
	ScopeCovered Kind = 70 // everything of it is on the log
	ScopeGap     Kind = 71 // deliveries may be missing
)

var kindNames = map[Kind]string{
	KindUnknown:          "unknown",
	PullRequestOpened:    "pull_request_opened",
	PullRequestReady:     "pull_request_ready",
	PullRequestDrafted:   "pull_request_drafted",
	PullRequestClosed:    "pull_request_closed",
	PullRequestMerged:    "pull_request_merged",
	PullRequestReopened:  "pull_request_reopened",
	PullRequestUpdated:   "pull_request_updated",
	ReviewRequested:      "review_requested",
	ReviewRequestRemoved: "review_request_removed",
	ReviewSubmitted:      "review_submitted",
	ReviewDismissedKind:  "review_dismissed",
	ReviewCommentedKind:  "review_commented",
	PullRequestCommented: "pull_request_commented",
	Pushed:               "pushed",
	CommitsRead:          "commits_read",
	RefCreated:           "ref_created",
	RefDeleted:           "ref_deleted",
	DeploymentCreated:    "deployment_created",
	DeploymentStatus:     "deployment_status",
	IssueCreated:         "issue_created",
	IssueTransitioned:    "issue_transitioned",
	IssueUpdated:         "issue_updated",
	IssueDeleted:         "issue_deleted",
	IssueCommented:       "issue_commented",
	RepositoryChanged:    "repository_changed",
	CommitDefective:      "commit_defective",
	ScopeCovered:         "scope_covered",
	ScopeGap:             "scope_gap",
}

// String returns the kind's name in logs, tables and pages.
func (k Kind) String() string {
	if n, ok := kindNames[k]; ok {
		return n
	}
	return "unknown"
}
