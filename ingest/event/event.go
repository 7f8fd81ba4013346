package event

import "meridian/streaming/timeline"

// Event is one canonical fact. One of the bodies is set, the one of its Kind;
// reviews, comments and read commits have theirs beside the entity's. Events are
// values: nobody changes one after its decoder made it.
type Event struct {
	ID     ID
	Source Source
	Kind   Kind
	Time   timeline.Millis // of the fact itself, not of what told of it
	Entity EntityID        // the pull request, deployment, issue or repository it is about

	// Created is when the entity came into being, as the payload says (0 when
	// it does not): the catalog of that date decides its home team.
	Created timeline.Millis

	Scope Scope
	Actor Account       // who did it; the zero Account when nobody did it by hand
	Local LocalEvidence // what this very event says of the actor's local time

	// Defect, when set, says why this event cannot be accepted; route
	// quarantines it as invalid. Its siblings in the delivery are not touched.
	Defect string

	PullRequest *PullRequest // all pull request and review kinds
	Review      *Review      // review kinds, beside PullRequest
	Comment     *Comment     // comment kinds
	Push        *Push        // pushes, branches and tags; beside PullRequest the commits that an API tells of it
	Deployment  *Deployment
	Issue       *Issue
	Repository  *Repository
}

// Source is the family of systems whose bound of out-of-orderness applies.
type Source uint8

// Argo CD and CDEvents are Deploy; GitHub deployments are GitHub.
const (
	SourceUnknown Source = iota
	GitHub
	Jira
	Deploy
)

// Sources lists all, in their order everywhere.
var Sources = [...]Source{GitHub, Jira, Deploy}

func (s Source) String() string {
	return [...]string{"unknown", "github", "jira", "deploy"}[min(s, Deploy+1)%4]
}

// EntityID names an entity by what never changes about it, such as
// "github/repo/42/pr/7", "jira/acme.atlassian.net/issue/10010",
// "deploy/ci/run-42/checkout". Never by a name that can be changed.
type EntityID string

// Scope is what an event says of where it belongs. Names are those at the
// event's time; the catalog matches them.
type Scope struct {
	Provider    string // github, jira, deploy, argocd, cdevents
	Name        string // the configured source it came through
	Repository  string // full name: acme/web
	DefaultTip  string // name of the repository's default branch, where stated
	Project     string // Jira project key: OPS
	Service     string // what the deploy system calls the service; GitHub: payload.service
	Environment string
	Components  []string // Jira components
	Labels      []string
}

// LocalEvidence is what an event itself says of its actor's zone.
type LocalEvidence struct {
	HasOffset bool
	Offset    int16  // minutes east; an offset of 0 is no evidence
	Profile   string // IANA zone of the actor's profile in the payload; UTC and GMT are no evidence
}

// PullRequest is a pull request as one delivery states it.
type PullRequest struct {
	Number    int64
	Author    Account
	Created   timeline.Millis
	Draft     bool // at the event's time
	State     string
	Merged    timeline.Millis // 0: not merged
	Closed    timeline.Millis // 0: not closed
	MergedBy  Account
	AutoMerge bool
	BaseRef   string
	HeadRef   string
	HeadSHA   string
	MergeSHA  string
	FromFork  bool
	IntoMain  bool // the base is the repository's default branch
	Additions int64
	Deletions int64
	Commits   int64
	Labels    []string
	IssueKeys []string // from title, branch and body, before free text is removed
	Marks     Marks
	URL       string

	RequestedReviewer Account // review requested
	RequestedTeam     string  // review requested from a team

	FirstAuthored timeline.Millis // earliest author time of its commits; 0: not stated, as in every webhook
}

// Marks are what free text said before it was removed.
type Marks struct {
	Revert bool
	Hotfix bool
}

// ReviewState is what a review said.
type ReviewState uint8

// States of a review. Dismissed ones were submitted once.
const (
	ReviewUnknown ReviewState = iota
	ReviewPending
	ReviewCommented
	ReviewApproved
	ReviewChangesRequested
	ReviewDismissed
)

// Review is one submitted review, or a review comment outside one.
type Review struct {
	Key       string // the review's or comment's own id at its provider
	State     ReviewState
	Submitted timeline.Millis

	// Author submitted it: of a dismissal too, where the event's actor is somebody
	// else, and whose submission may never have been delivered.
	Author Account
}

// Comment is a comment on a pull request or an issue, without its text.
type Comment struct {
	Key     string
	Created timeline.Millis
}

// Push is a push to a branch or tag.
type Push struct {
	Ref     string
	Default bool // Ref is the default branch
	Tag     bool
	Before  string
	After   string
	Created bool
	Deleted bool
	Forced  bool
	Commits []Commit // in the order of the push, oldest first
}

// Commit is one commit of a push.
type Commit struct {
	SHA       string
	Author    Account
	Authored  timeline.Millis
	Local     LocalEvidence
	Merge     bool // has several parents, where that is known
	Paths     []string
	Marks     Marks
	IssueKeys []string

	// Elsewhere says that the repository had the commit before this push: a
	// branch that merges the default branch pushes what others did long ago.
	Elsewhere bool

	CoAuthors   []Account       // of its Co-authored-by lines, without the author
	PullRequest int64           // number of the one that its message says it merges or squashes; 0: none
	Parents     []string        // SHAs, where they are known: through the API
	Committed   timeline.Millis // the committer's time, where it is known: through the API
}

// DeploymentState is where a deployment stands.
type DeploymentState uint8

// States of a deployment.
const (
	DeploymentUnknown DeploymentState = iota
	DeploymentPending
	DeploymentRunning
	DeploymentSuccess
	DeploymentFailure
	DeploymentRolledBack
	DeploymentCancelled
	DeploymentInactive
)

// Deployment is the state of one deployment of one service.
type Deployment struct {
	Key             string // identity at its source
	State           DeploymentState
	Created         timeline.Millis // 0: not stated
	Started         timeline.Millis
	Finished        timeline.Millis
	SaysProduction  bool // the payload says that the environment is production
	Revisions       []string
	Ref             string
	Task            string
	Creator         Account
	Labels          []string
	Marks           Marks
	FixesIncident   string // an issue key that this deployment fixes
	URL             string
	OriginalService string // as the payload names it

	// OnlyIfNamed says that the payload is about something that need not be a
	// deployment (a workflow's run, a release): it is one where the catalog names
	// Task, and else it is counted and means nothing.
	OnlyIfNamed bool

	// OfPrevious says that the state is that of the deployment before this one, of
	// the same service and environment, which the payload does not name: a
	// CDEvents rollback.
	OfPrevious bool
}

// StatusCategory is Jira's classification of a status, or the catalog's.
type StatusCategory uint8

// Categories of a status.
const (
	CategoryUnknown StatusCategory = iota
	CategoryToDo
	CategoryInProgress
	CategoryDone
)

// Status is a workflow status. Category is CategoryUnknown where the payload
// does not say; the catalog and then the well-known names decide.
type Status struct {
	Name     string
	Category StatusCategory
}

// Issue is a Jira issue, or a GitHub issue, as one delivery states it.
type Issue struct {
	Key        string // OPS-7; may change when the issue is moved
	Type       string
	Created    timeline.Millis
	Reporter   Account
	Current    Status // at the event's time
	From, To   Status // of a transition
	Change     string // the transition's own id
	Components []string
	Labels     []string
	Resolved   timeline.Millis
	URL        string

	FormerKeys []string // as far as the payload tells of a move
	IsIncident bool     // its source knows nothing but incidents
	CausedBy   []string // deployments (id, revision or address) that it says have caused it; from labels and free text
}

// Repository is what became of a repository. Its name after that is in Scope.
type Repository struct {
	Key    string // its numeric id, which survives everything
	Change string // renamed, transferred, archived, ...: the provider's word
	Former string // full name before it was renamed or transferred
}
