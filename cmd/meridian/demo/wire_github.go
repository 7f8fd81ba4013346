package demo

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"meridian/streaming/timeline"
)

// The types here have the shapes of GitHub's deliveries, cut down to what somebody
// who reads them would miss.

type ghOrganization struct {
	Login string `json:"login"`
	ID    int64  `json:"id"`
	URL   string `json:"url"`
}

func organization() *ghOrganization {
	return &ghOrganization{company, 20_260_301, api("orgs/" + company)}
}

func api(path string) string { return "https://api.github.com/" + path }
func web(path string) string { return "https://github.com/" + path }

func node(kind string, id int64) string {
	return kind + "_" + base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d", id))
}

type ghUser struct {
	Login     string `json:"login"`
	ID        int64  `json:"id"`
	NodeID    string `json:"node_id"`
	URL       string `json:"url"`
	HTMLURL   string `json:"html_url"`
	Type      string `json:"type"`
	SiteAdmin bool   `json:"site_admin"`
}

func newUser(login string, id int64, kind string) *ghUser {
	name := strings.TrimSuffix(login, "[bot]")
	page := web(name)
	if kind == "Bot" {
		page = web("apps/" + name)
	}
	return &ghUser{login, id, node("U", id), api("users/" + login), page, kind, false}
}

func (p *person) user() *ghUser { return newUser(p.login, p.id, "User") }

// Bots: two that say so, and one that only the catalog's patterns tell.
func updater() *ghUser { return newUser("dependabot[bot]", 49_699_333, "Bot") }
func robot() *ghUser   { return newUser("review-buddy[bot]", 151_000_042, "Bot") }
func builder() *ghUser { return newUser(company+"-ci", 88_120_007, "User") }

type ghRepository struct {
	ID            int64           `json:"id"`
	NodeID        string          `json:"node_id"`
	Name          string          `json:"name"`
	FullName      string          `json:"full_name"`
	Private       bool            `json:"private"`
	Owner         *ghOrganization `json:"owner"`
	HTMLURL       string          `json:"html_url"`
	Fork          bool            `json:"fork"`
	URL           string          `json:"url"`
	CreatedAt     any             `json:"created_at"`
	UpdatedAt     string          `json:"updated_at"`
	PushedAt      any             `json:"pushed_at"` // text, but seconds in a push
	DefaultBranch string          `json:"default_branch"`
}

// state is what a delivery at a time says of r.
func (r *repository) state(at timeline.Millis) *ghRepository {
	_, name, _ := strings.Cut(r.name, "/")
	const created = timeline.Millis(1_704_100_000_000)
	return &ghRepository{
		ID: r.id, NodeID: node("R", r.id), Name: name, FullName: r.name, Private: true, Owner: organization(),
		HTMLURL: web(r.name), URL: api("repos/" + r.name),
		CreatedAt: created.String(), UpdatedAt: seconds(at).String(), PushedAt: seconds(at).String(), DefaultBranch: "main",
	}
}

// pushed is state in a push, where two times are numbers.
func (r *repository) pushed(at timeline.Millis) *ghRepository {
	s := r.state(at)
	s.CreatedAt, s.PushedAt = 1_704_100_000, int64(at/timeline.Second)
	return s
}

type ghEnvelope struct {
	Action       string          `json:"action,omitempty"`
	Repository   *ghRepository   `json:"repository,omitempty"`
	Organization *ghOrganization `json:"organization,omitempty"`
	Sender       *ghUser         `json:"sender,omitempty"`
}

type ghTip struct {
	Label string        `json:"label"`
	Ref   string        `json:"ref"`
	SHA   string        `json:"sha"`
	Repo  *ghRepository `json:"repo"`
}

type ghLabel struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// ghPull is a pull request as deliveries about reviews have it.
type ghPull struct {
	URL                string    `json:"url"`
	ID                 int64     `json:"id"`
	NodeID             string    `json:"node_id"`
	HTMLURL            string    `json:"html_url"`
	Number             int64     `json:"number"`
	State              string    `json:"state"`
	Locked             bool      `json:"locked"`
	Title              string    `json:"title"`
	User               *ghUser   `json:"user"`
	Body               string    `json:"body"`
	CreatedAt          string    `json:"created_at"`
	UpdatedAt          string    `json:"updated_at"`
	ClosedAt           *string   `json:"closed_at"`
	MergedAt           *string   `json:"merged_at"`
	MergeCommitSHA     *string   `json:"merge_commit_sha"`
	RequestedReviewers []*ghUser `json:"requested_reviewers"`
	Labels             []ghLabel `json:"labels"`
	Draft              bool      `json:"draft"`
	Head               ghTip     `json:"head"`
	Base               ghTip     `json:"base"`
	AuthorAssociation  string    `json:"author_association"`
	AutoMerge          *ghAuto   `json:"auto_merge"`
}

type ghAuto struct {
	EnabledBy   *ghUser `json:"enabled_by"`
	MergeMethod string  `json:"merge_method"`
}

// ghPullSums is what only deliveries about the pull request itself have.
type ghPullSums struct {
	Merged         bool    `json:"merged"`
	MergedBy       *ghUser `json:"merged_by"`
	Comments       int     `json:"comments"`
	ReviewComments int     `json:"review_comments"`
	Commits        int     `json:"commits"`
	Additions      int     `json:"additions"`
	Deletions      int     `json:"deletions"`
	ChangedFiles   int     `json:"changed_files"`
}

type ghWholePull struct {
	*ghPull
	*ghPullSums
}

type ghPullDelivery struct {
	ghEnvelope
	Number            int64       `json:"number"`
	PullRequest       ghWholePull `json:"pull_request"`
	RequestedReviewer *ghUser     `json:"requested_reviewer,omitempty"`
	Before            string      `json:"before,omitempty"`
	After             string      `json:"after,omitempty"`
}

type ghReview struct {
	ID                int64   `json:"id"`
	NodeID            string  `json:"node_id"`
	User              *ghUser `json:"user"`
	Body              *string `json:"body"`
	CommitID          string  `json:"commit_id"`
	SubmittedAt       string  `json:"submitted_at"`
	State             string  `json:"state"`
	HTMLURL           string  `json:"html_url"`
	PullRequestURL    string  `json:"pull_request_url"`
	AuthorAssociation string  `json:"author_association"`
}

type ghReviewDelivery struct {
	ghEnvelope
	Review      ghReview `json:"review"`
	PullRequest *ghPull  `json:"pull_request"`
}

type ghCommentDelivery struct {
	ghEnvelope
	Issue   ghIssue   `json:"issue"`
	Comment ghComment `json:"comment"`
}

type ghIssue struct {
	URL         string            `json:"url"`
	ID          int64             `json:"id"`
	Number      int64             `json:"number"`
	Title       string            `json:"title"`
	User        *ghUser           `json:"user"`
	Labels      []ghLabel         `json:"labels"`
	State       string            `json:"state"`
	Comments    int               `json:"comments"`
	CreatedAt   string            `json:"created_at"`
	UpdatedAt   string            `json:"updated_at"`
	Draft       bool              `json:"draft"`
	PullRequest map[string]string `json:"pull_request"`
	Body        string            `json:"body"`
}

type ghComment struct {
	ID        int64   `json:"id"`
	NodeID    string  `json:"node_id"`
	HTMLURL   string  `json:"html_url"`
	User      *ghUser `json:"user"`
	CreatedAt string  `json:"created_at"`
	UpdatedAt string  `json:"updated_at"`
	Body      string  `json:"body"`
}

type ghPush struct {
	ghEnvelope
	Ref        string     `json:"ref"`
	Before     string     `json:"before"`
	After      string     `json:"after"`
	Created    bool       `json:"created"`
	Deleted    bool       `json:"deleted"`
	Forced     bool       `json:"forced"`
	BaseRef    *string    `json:"base_ref"`
	Compare    string     `json:"compare"`
	Commits    []ghCommit `json:"commits"`
	HeadCommit *ghCommit  `json:"head_commit"`
	Pusher     ghAuthor   `json:"pusher"`
}

type ghCommit struct {
	ID        string   `json:"id"`
	TreeID    string   `json:"tree_id"`
	Distinct  bool     `json:"distinct"`
	Message   string   `json:"message"`
	Timestamp string   `json:"timestamp"`
	URL       string   `json:"url"`
	Author    ghAuthor `json:"author"`
	Committer ghAuthor `json:"committer"`
	Added     []string `json:"added"`
	Removed   []string `json:"removed"`
	Modified  []string `json:"modified"`
}

type ghAuthor struct {
	Name     string `json:"name"`
	Email    string `json:"email"`
	Username string `json:"username,omitempty"`
}

// localTime is t as git writes it for somebody in zone z.
func localTime(t timeline.Millis, z *timeline.Zone, layout string) string {
	return t.Time().In(time.FixedZone("", int(z.Offset(t)/timeline.Second))).Format(layout)
}
