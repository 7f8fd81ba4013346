package github

import (
	"meridian/ingest/event"
	"meridian/ingest/payload"
)

type deploymentStatusDelivery struct {
	envelope
	Deployment *deployment       `json:"deployment,omitempty"`
	Status     *deploymentStatus `json:"deployment_status,omitempty"`
}

type deploymentStatus struct {
	ID        int64        `json:"id"`
	State     string       `json:"state,omitempty"`
	Creator   *user        `json:"creator,omitempty"`
	CreatedAt payload.Time `json:"created_at,omitzero"`
	LogURL    string       `json:"log_url,omitempty"`
	TargetURL string       `json:"target_url,omitempty"`
}

func (d *deploymentStatusDelivery) strip(_ Hasher, kept bool) {
	d.Deployment.strip(kept)
	if s := d.Status; s != nil {
		s.LogURL, s.TargetURL = payload.WebURL(s.LogURL), payload.WebURL(s.TargetURL)
	}
}

func (s *deploymentStatus) state() event.DeploymentState {
	switch s.State {
	case "queued", "pending", "waiting":
		return event.DeploymentPending
	case "in_progress":
		return event.DeploymentRunning
	case "success":
		return event.DeploymentSuccess
	case "failure", "error":
		return event.DeploymentFailure
	case "inactive":
		return event.DeploymentInactive
	}
	return event.DeploymentUnknown
}

func (d *deploymentStatusDelivery) read(r *reading) {
	s := d.Status
	switch {
	case d.Action != "created" && d.Action != "": // Enterprise servers of old send no action
		r.ignore("Meridian does not read this action of a deployment status")
		return
	case !r.aboutDeployment(d.Deployment):
		return
	case s == nil || s.ID <= 0:
		r.wrong("deployment_status.id is missing")
		return
	case s.state() == event.DeploymentUnknown:
		r.wrong("deployment_status.state is none that Meridian knows")
		return
	}
	id := event.DeploymentStatusID(d.Repository.ID, d.Deployment.ID, s.ID)
	e := r.addDeployment(event.DeploymentStatus, id, s.CreatedAt, "deployment_status.created_at", d.Deployment)
	if e == nil {
		return
	}
	e.Actor = s.Creator.account()
	e.Deployment.State = s.state()
	switch s.state() {
	case event.DeploymentRunning:
		e.Deployment.Started = s.CreatedAt.At
	case event.DeploymentSuccess, event.DeploymentFailure:
		e.Deployment.Finished = s.CreatedAt.At
	}
	e.Deployment.URL = s.LogURL
	if e.Deployment.URL == "" {
		e.Deployment.URL = s.TargetURL
	}
}
