package github

import (
	"encoding/json"

	"meridian/ingest/event"
	"meridian/ingest/payload"
)

type deploymentDelivery struct {
	envelope
	Deployment *deployment `json:"deployment,omitempty"`
}

type deployment struct {
	ID          int64        `json:"id"`
	SHA         string       `json:"sha,omitempty"`
	Ref         string       `json:"ref,omitempty"`
	Task        string       `json:"task,omitempty"`
	Environment string       `json:"environment,omitempty"`
	Production  bool         `json:"production_environment,omitempty"` // often null or absent
	Payload     instructions `json:"payload,omitzero"`
	Creator     *user        `json:"creator,omitempty"`
	CreatedAt   payload.Time `json:"created_at,omitzero"`

	Description string          `json:"description,omitempty"`
	Learned     payload.Learned `json:"meridian,omitzero"`
}

// instructions are what the creator of a deployment wrote for whoever carries it
// out: any JSON at all, also JSON inside a string.
type instructions struct {
	Service string `json:"service,omitempty"`
}

const maxService = 255

// UnmarshalJSON never fails: anything may stand there, and only service is read.
func (p *instructions) UnmarshalJSON(data []byte) error {
	*p = instructions{}
	var inner string
	if data[0] == '"' && json.Unmarshal(data, &inner) == nil {
		data = []byte(inner)
	}
	var known struct {
		Service string `json:"service"`
	}
	if json.Unmarshal(data, &known) == nil && len(known.Service) <= maxService {
		p.Service = known.Service
	}
	return nil
}

func (d *deploymentDelivery) strip(_ Hasher, kept bool) { d.Deployment.strip(kept) }

func (d *deployment) strip(kept bool) {
	if d == nil {
		return
	}
	if !kept {
		d.Learned = payload.Learn(d.Description, "", d.Ref)
	}
	d.Description = ""
}

func (d *deploymentDelivery) read(r *reading) {
	switch d.Action {
	case "created", "": // Enterprise servers of old send no action
	default:
		r.ignore("Meridian does not read this action of a deployment")
		return
	}
	dep := d.Deployment
	if !r.aboutDeployment(dep) {
		return
	}
	id := event.DeploymentCreatedID(d.Repository.ID, dep.ID)
	e := r.addDeployment(event.DeploymentCreated, id, dep.CreatedAt, "deployment.created_at", dep)
	if e == nil {
		return
	}
	e.Actor = dep.Creator.account()
	e.Deployment.State = event.DeploymentPending
}

// aboutDeployment reports whether the delivery says which deployment it is
// about, or finds it wrong.
func (r *reading) aboutDeployment(d *deployment) bool {
	if d == nil || d.ID <= 0 {
		r.wrong("deployment.id is missing")
		return false
	}
	return r.inRepository()
}

// addDeployment begins an event about d and adds it; see [reading.add].
func (r *reading) addDeployment(kind event.Kind, id event.ID, at payload.Time, timeName string, d *deployment) *event.Event {
	e := r.add(kind, id, at, timeName)
	if e == nil {
		return nil
	}
	e.Entity = deploymentEntity(r.env.Repository.ID, d.ID)
	e.Created = d.CreatedAt.At
	e.Scope.Service = d.Payload.Service
	e.Scope.Environment = d.Environment
	e.Deployment = &event.Deployment{
		Key:             number(d.ID),
		Created:         d.CreatedAt.At,
		SaysProduction:  d.Production,
		Ref:             d.Ref,
		Task:            d.Task,
		Creator:         d.Creator.account(),
		Marks:           d.Learned.Marks(),
		OriginalService: d.Payload.Service,
	}
	if d.SHA != "" {
		e.Deployment.Revisions = []string{d.SHA}
	}
	return e
}
