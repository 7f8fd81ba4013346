package github

import (
	"meridian/ingest/event"
	"meridian/ingest/payload"
)

// workflowRunDelivery is a run of a workflow of GitHub Actions. Most deploy
// nothing: it is a deployment where the catalog names the workflow among the
// `deploys` of a service, as `workflow/NAME`, and else nothing at all.
type workflowRunDelivery struct {
	envelope
	Run *workflowRun `json:"workflow_run,omitempty"`
}

type workflowRun struct {
	ID         int64        `json:"id"`
	Name       string       `json:"name,omitempty"`
	Path       string       `json:"path,omitempty"` // .github/workflows/deploy.yml
	HeadBranch string       `json:"head_branch,omitempty"`
	HeadSHA    string       `json:"head_sha,omitempty"`
	Event      string       `json:"event,omitempty"`
	Status     string       `json:"status,omitempty"`
	Conclusion string       `json:"conclusion,omitempty"`
	Attempt    int64        `json:"run_attempt,omitempty"`
	Actor      *user        `json:"actor,omitempty"`
	CreatedAt  payload.Time `json:"created_at,omitzero"`
	StartedAt  payload.Time `json:"run_started_at,omitzero"`
	UpdatedAt  payload.Time `json:"updated_at,omitzero"`
	URL        string       `json:"html_url,omitempty"`
}

func (d *workflowRunDelivery) strip(Hasher, bool) {
	if d.Run != nil {
		d.Run.URL = payload.WebURL(d.Run.URL)
	}
}

// state is where a run stands. An attempt again of a failed run is the same run.
func (w *workflowRun) state() event.DeploymentState {
	if w.Status != "completed" {
		if w.Status == "in_progress" {
			return event.DeploymentRunning
		}
		return event.DeploymentPending
	}
	switch w.Conclusion {
	case "success":
		return event.DeploymentSuccess
	case "failure", "timed_out", "startup_failure":
		return event.DeploymentFailure
	case "cancelled", "skipped", "neutral", "stale", "action_required":
		return event.DeploymentCancelled
	}
	return event.DeploymentUnknown
}

// at is when the run came into its state.
func (w *workflowRun) at() (at payload.Time, name string) {
	switch w.state() {
	case event.DeploymentPending:
		return w.StartedAt.Or(w.CreatedAt), "workflow_run.created_at"
	case event.DeploymentRunning:
		return w.StartedAt.Or(w.UpdatedAt), "workflow_run.run_started_at"
	}
	return w.UpdatedAt, "workflow_run.updated_at"
}

func (d *workflowRunDelivery) read(r *reading) {
	w := d.Run
	switch {
	case w == nil || w.ID <= 0:
		r.wrong("workflow_run.id is missing")
		return
	case !r.inRepository():
		return
	case w.state() == event.DeploymentUnknown:
		r.wrong("workflow_run.conclusion is none that Meridian knows")
		return
	}
	at, timeName := w.at()
	id := event.WorkflowRunID(d.Repository.ID, w.ID, w.state(), at.At)
	e := r.add(event.DeploymentStatus, id, at, timeName)
	if e == nil {
		return
	}
	e.Entity, e.Created, e.Actor = workflowRunEntity(d.Repository.ID, w.ID), w.CreatedAt.At, w.Actor.account()
	e.Deployment = &event.Deployment{
		Key: number(w.ID), State: w.state(), Created: w.CreatedAt.At, Started: w.StartedAt.At, Ref: w.HeadBranch,
		Task: "workflow/" + w.Name, Creator: w.creator(), URL: w.URL, OnlyIfNamed: true,
	}
	if w.HeadSHA != "" {
		e.Deployment.Revisions = []string{w.HeadSHA}
	}
	if w.Status == "completed" {
		e.Deployment.Finished = w.UpdatedAt.At
	}
}

// creator started the run by hand: nobody did where a push or a clock did.
func (w *workflowRun) creator() event.Account {
	if w.Event != "workflow_dispatch" {
		return event.Account{}
	}
	return w.Actor.account()
}
