package demo

import (
	"cmp"
	"fmt"
	"time"

	"meridian/streaming/timeline"
)

type ghDeployment struct {
	URL                   string         `json:"url"`
	ID                    int64          `json:"id"`
	NodeID                string         `json:"node_id"`
	SHA                   string         `json:"sha"`
	Ref                   string         `json:"ref"`
	Task                  string         `json:"task"`
	Payload               map[string]any `json:"payload"`
	Environment           string         `json:"environment"`
	OriginalEnvironment   string         `json:"original_environment"`
	Description           *string        `json:"description"`
	Creator               *ghUser        `json:"creator"`
	CreatedAt             string         `json:"created_at"`
	UpdatedAt             string         `json:"updated_at"`
	TransientEnvironment  bool           `json:"transient_environment"`
	ProductionEnvironment bool           `json:"production_environment"`
}

type ghDeploymentStatus struct {
	URL         string  `json:"url"`
	ID          int64   `json:"id"`
	NodeID      string  `json:"node_id"`
	State       string  `json:"state"`
	Creator     *ghUser `json:"creator"`
	Description string  `json:"description"`
	Environment string  `json:"environment"`
	TargetURL   string  `json:"target_url"`
	LogURL      string  `json:"log_url"`
	CreatedAt   string  `json:"created_at"`
	UpdatedAt   string  `json:"updated_at"`
}

type ghDeploymentDelivery struct {
	ghEnvelope
	Deployment *ghDeployment       `json:"deployment"`
	Status     *ghDeploymentStatus `json:"deployment_status,omitempty"`
}

// genericDeployment is a body of the generic format.
type genericDeployment struct {
	ID          string   `json:"id"`
	Service     string   `json:"service,omitempty"`
	Services    []string `json:"services,omitempty"`
	Environment string   `json:"environment"`
	Status      string   `json:"status"`
	Revision    string   `json:"revision,omitempty"`
	Repository  string   `json:"repository,omitempty"`
	StartedAt   string   `json:"started_at,omitempty"`
	FinishedAt  string   `json:"finished_at,omitempty"`
	Actor       string   `json:"actor,omitempty"`
	Labels      []string `json:"labels,omitempty"`
	Incident    string   `json:"incident,omitempty"`
	URL         string   `json:"url,omitempty"`
}

// shipment is one deployment of a service.
type shipment struct {
	service     *service
	sha         string
	environment string
	started     timeline.Millis
	takes       timeline.Millis
	outcome     string  // success or failure
	by          *person // nil: the pipeline by itself
	labels      []string
	incident    string
	together    *service // deployed by the same body
}

// deploy tells of one, in the words of the system that does it, and returns its id.
func (w *world) deploy(s shipment) string {
	if s.service.through == "github" {
		return w.deployGitHub(s)
	}
	id := fmt.Sprintf("run-%d", w.nextID()-1_900_000_000)
	w.told(s, id, "running")
	if s.started+s.takes < w.now || w.live {
		w.told(s, id, s.outcome)
	}
	return id
}

// told is one body of the generic format.
func (w *world) told(s shipment, id, status string) {
	g := &genericDeployment{
		ID: id, Service: cmp.Or(s.service.called, s.service.name), Environment: s.environment, Status: status, Revision: s.sha,
		Repository: s.service.repository.name, Labels: s.labels, Incident: s.incident,
		URL: "https://conveyor." + company + ".example/runs/" + id,
	}
	if s.together != nil {
		g.Services, g.Service = []string{g.Service, s.together.name}, ""
	}
	at, zone := s.started, timeline.UTC()
	if s.by != nil {
		g.Actor, zone = s.by.email, s.by.zone
	}
	g.StartedAt = localTime(at, zone, time.RFC3339)
	if status != "running" {
		at += s.takes
		g.FinishedAt = localTime(at, zone, time.RFC3339)
	}
	w.ship(at, g)
}

func (w *world) deployGitHub(s shipment) string {
	r, id, by := s.service.repository, w.nextID(), builder()
	if s.by != nil {
		by = s.by.user()
	}
	d := &ghDeployment{
		URL: api(fmt.Sprintf("repos/%s/deployments/%d", r.name, id)), ID: id, NodeID: node("DE", id), SHA: s.sha, Ref: "main", Task: "deploy",
		Payload: map[string]any{"service": s.service.name}, Environment: s.environment, OriginalEnvironment: s.environment,
		Creator: by, CreatedAt: s.started.String(), UpdatedAt: s.started.String(), ProductionEnvironment: s.environment == s.service.production,
	}
	if len(s.labels) > 0 {
		text := map[string]string{"rollback": "Revert ", "hotfix": "Hotfix of "}[s.labels[0]] + s.service.name
		d.Description = &text
	}
	w.github(s.started, r, "deployment", &ghDeploymentDelivery{ghEnvelope: envelope("created", r, s.started, by), Deployment: d})
	tell := func(at timeline.Millis, state string) {
		if at >= w.now && !w.live {
			return
		}
		n := w.nextID()
		page := fmt.Sprintf("https://github.com/%s/actions/runs/%d", r.name, id+7)
		w.github(at, r, "deployment_status", &ghDeploymentDelivery{
			ghEnvelope: envelope("created", r, at, builder()), Deployment: d,
			Status: &ghDeploymentStatus{
				URL: d.URL + fmt.Sprintf("/statuses/%d", n), ID: n, NodeID: node("DES", n), State: state, Creator: builder(), Environment: s.environment,
				TargetURL: page, LogURL: page, CreatedAt: at.String(), UpdatedAt: at.String(),
			},
		})
	}
	tell(s.started+4*timeline.Second, "in_progress")
	tell(s.started+s.takes, s.outcome)
	return fmt.Sprint(id)
}
