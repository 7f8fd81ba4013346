package github

import (
	"fmt"
	"testing"

	"github.com/google/go-github/v62/github"

	"meridian/ingest/event"
	"meridian/ingest/payload/decodertest"
	"meridian/streaming/timeline"
)

// go-github reads the same deliveries with types of its own. Where it can, both
// must have read the same.
func TestAgreesWithGoGitHub(t *testing.T) {
	compared := 0
	decodertest.Each(t, "testdata", decoder(), provider, "X-Github-Event", func(t *testing.T, name string, body []byte, events []event.Event) {
		if len(events) != 1 {
			return
		}
		parsed, err := github.ParseWebHook(name, body)
		if err != nil {
			return
		}
		compared++
		e := events[0]
		switch p := parsed.(type) {
		case *github.PullRequestEvent:
			pr := p.PullRequest
			same(t, "number", e.PullRequest.Number, int64(pr.GetNumber()))
			same(t, "created", e.PullRequest.Created, millis(pr.CreatedAt))
			same(t, "merged", e.PullRequest.Merged, millis(pr.MergedAt))
			same(t, "closed", e.PullRequest.Closed, millis(pr.ClosedAt))
			same(t, "draft", e.PullRequest.Draft, pr.GetDraft())
			same(t, "author", e.PullRequest.Author.Login, pr.GetUser().GetLogin())
			same(t, "merged by", e.PullRequest.MergedBy.Login, pr.GetMergedBy().GetLogin())
			same(t, "auto-merge", e.PullRequest.AutoMerge, pr.AutoMerge != nil)
			same(t, "size", e.PullRequest.Additions+e.PullRequest.Deletions, int64(pr.GetAdditions()+pr.GetDeletions()))
			same(t, "merge commit", e.PullRequest.MergeSHA, pr.GetMergeCommitSHA())
			same(t, "is a merge", e.Kind == event.PullRequestMerged, p.GetAction() == "closed" && pr.GetMerged())
		case *github.PullRequestReviewEvent:
			if e.Review == nil {
				return // edited
			}
			same(t, "review", e.Review.Key, number(p.Review.GetID()))
			same(t, "submitted", e.Review.Submitted, millis(p.Review.SubmittedAt))
		case *github.PullRequestReviewCommentEvent:
			same(t, "time", e.Time, millis(p.Comment.CreatedAt))
			same(t, "actor", e.Actor.Login, p.Comment.GetUser().GetLogin())
		case *github.IssueCommentEvent:
			same(t, "time", e.Time, millis(p.Comment.CreatedAt))
			same(t, "actor", e.Actor.Login, p.Comment.GetUser().GetLogin())
		case *github.IssuesEvent:
			same(t, "number", e.Issue.Key, fmt.Sprintf("acme/web#%d", p.Issue.GetNumber()))
			same(t, "created", e.Issue.Created, millis(p.Issue.CreatedAt))
			same(t, "closed", e.Issue.Resolved, millis(p.Issue.ClosedAt))
			same(t, "labels", len(e.Issue.Labels), len(p.Issue.Labels))
			same(t, "is closed", e.Issue.Current.Category == event.CategoryDone, p.Issue.GetState() == "closed")
		case *github.CreateEvent:
			same(t, "ref", e.Push.Ref, map[string]string{"branch": "refs/heads/", "tag": "refs/tags/"}[p.GetRefType()]+p.GetRef())
			same(t, "time", e.Time, millis(p.Repo.PushedAt))
		case *github.DeleteEvent:
			same(t, "ref", e.Push.Ref, "refs/heads/"+p.GetRef())
			same(t, "deleted", e.Push.Deleted, true)
		case *github.RepositoryEvent:
			same(t, "change", e.Repository.Change, p.GetAction())
			same(t, "time", e.Time, millis(p.Repo.UpdatedAt))
			if from := p.Changes.Repo; from != nil {
				same(t, "former name", e.Repository.Former, "acme/"+from.Name.GetFrom())
			}
		case *github.WorkflowRunEvent:
			same(t, "run", e.Deployment.Key, number(p.WorkflowRun.GetID()))
			same(t, "workflow", e.Deployment.Task, "workflow/"+p.WorkflowRun.GetName())
			same(t, "revision", e.Deployment.Revisions[0], p.WorkflowRun.GetHeadSHA())
			same(t, "succeeded", e.Deployment.State == event.DeploymentSuccess, p.WorkflowRun.GetConclusion() == "success")
		case *github.ReleaseEvent:
			same(t, "time", e.Time, millis(p.Release.PublishedAt))
			same(t, "tag", e.Deployment.Key, p.Release.GetTagName())
		case *github.PushEvent:
			same(t, "time", e.Time, millis(p.GetRepo().PushedAt))
			same(t, "commits", len(e.Push.Commits), len(p.Commits))
			for i, c := range e.Push.Commits {
				same(t, "commit", c.SHA, p.Commits[i].GetID())
				if p.Commits[i].GetAuthor().Date == nil {
					same(t, "authored", c.Authored, millis(p.Commits[i].Timestamp))
				}
			}
		case *github.DeploymentEvent:
			same(t, "time", e.Time, millis(p.Deployment.CreatedAt))
			same(t, "creator", e.Actor.Login, p.Deployment.GetCreator().GetLogin())
		case *github.DeploymentStatusEvent:
			same(t, "time", e.Time, millis(p.DeploymentStatus.CreatedAt))
		default:
			t.Errorf("%T is not compared", parsed)
		}
	})
	if compared < 25 {
		t.Errorf("only %d deliveries were compared", compared)
	}
}

func millis(t *github.Timestamp) timeline.Millis {
	if t == nil {
		return 0
	}
	return timeline.FromTime(t.Time)
}

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, go-github reads %v", what, got, want)
	}
}
