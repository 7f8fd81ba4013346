package deploy

import (
	"cmp"
	"strconv"
	"strings"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/ingest/payload"
)

// ArgoCD decodes notifications of Argo CD that hold the application, as the product's
// template sends it. An application is a service, and a finished sync of it a
// deployment.
type ArgoCD struct {
	hash Hasher
}

var _ ingest.Versioned = (*ArgoCD)(nil)

// NewArgoCD returns a decoder that replaces e-mail addresses by hash.
func NewArgoCD(hash Hasher) *ArgoCD { return &ArgoCD{hash} }

// Version implements [ingest.Versioned].
func (*ArgoCD) Version() int32 { return Version }

// Decode implements [ingest.Decoder].
func (d *ArgoCD) Decode(delivery ingest.Delivery) (ingest.Decoded, error) {
	return decodeNotice("argocd", new(argoNotice), d.hash, delivery)
}

// argoNotice: the same notice can come again months later. The time of the
// notification says nothing; that of the operation does.
type argoNotice struct {
	Context struct {
		Environment string `json:"environment,omitempty"` // of the product's template
	} `json:"context,omitzero"`
	App struct {
		Metadata struct {
			Name      string          `json:"name,omitempty"`
			Namespace string          `json:"namespace,omitempty"`
			Deletion  payload.Time    `json:"deletionTimestamp,omitzero"`
			Labels    environmentOnly `json:"labels,omitzero"`
		} `json:"metadata,omitzero"`
		Spec struct {
			Destination struct {
				Namespace string `json:"namespace,omitempty"`
			} `json:"destination,omitzero"`
		} `json:"spec,omitzero"`
		Status struct {
			Health struct {
				Status string `json:"status,omitempty"`
			} `json:"health,omitzero"`
			Operation argoOperation              `json:"operationState,omitzero"`
			Sync      argoRevisions              `json:"sync,omitzero"`
			Resources payload.List[argoResource] `json:"resources,omitempty"`
		} `json:"status,omitzero"`
	} `json:"app,omitzero"`
	Learned learned `json:"meridian,omitzero"`
}

type environmentOnly struct {
	Environment string `json:"environment,omitempty"`
}

type argoOperation struct {
	Phase      string        `json:"phase,omitempty"`
	StartedAt  payload.Time  `json:"startedAt,omitzero"`
	FinishedAt payload.Time  `json:"finishedAt,omitzero"`
	Result     argoRevisions `json:"syncResult,omitzero"`
	Operation  struct {
		InitiatedBy struct {
			Username  string `json:"username,omitempty"`
			Automated bool   `json:"automated,omitempty"`
		} `json:"initiatedBy,omitzero"`
	} `json:"operation,omitzero"`
}

// argoRevisions is one revision, or one of each of several sources.
type argoRevisions struct {
	Revision  string               `json:"revision,omitempty"`
	Revisions payload.List[string] `json:"revisions,omitempty"`
}

func (r argoRevisions) list() []string {
	if len(r.Revisions) > 0 {
		return r.Revisions
	}
	if r.Revision != "" {
		return []string{r.Revision}
	}
	return nil
}

type argoResource struct {
	RequiresPruning bool `json:"requiresPruning,omitempty"`
}

func (n *argoNotice) typeName() string {
	switch phase := n.App.Status.Operation.Phase; phase {
	case "Running", "Succeeded", "Failed", "Error", "Terminating":
		return "sync." + strings.ToLower(phase)
	}
	return "application"
}

func (n *argoNotice) strip(hash Hasher, kept bool) {
	who := &n.App.Status.Operation.Operation.InitiatedBy
	if !kept {
		n.Learned = learned{}
		if strings.Contains(who.Username, "@") {
			n.Learned.ActorEmail = hash(strings.TrimSpace(who.Username))
		}
	}
	if strings.Contains(who.Username, "@") {
		who.Username = ""
	}
	// Of resources it matters only whether one of them is about to be removed.
	if n.removal() && n.App.Metadata.Deletion.IsZero() {
		n.App.Status.Resources = payload.List[argoResource]{{RequiresPruning: true}}
	} else {
		n.App.Status.Resources = nil
	}
}

// removal reports whether the application, or a part of it, is being removed: it
// says Healthy and Succeeded all the same.
func (n *argoNotice) removal() bool {
	for _, r := range n.App.Status.Resources {
		if r.RequiresPruning {
			return true
		}
	}
	return !n.App.Metadata.Deletion.IsZero()
}

func (n *argoNotice) read(r *reading) {
	name, op := n.App.Metadata.Name, n.App.Status.Operation
	revisions := op.Result.list()
	if len(revisions) == 0 {
		revisions = n.App.Status.Sync.list()
	}
	state := event.DeploymentUnknown
	switch {
	case op.Phase == "Succeeded" && n.App.Status.Health.Status == "Healthy":
		state = event.DeploymentSuccess
	case op.Phase == "Failed" || op.Phase == "Error":
		state = event.DeploymentFailure
	}
	switch {
	case name == "":
		r.wrong("app.metadata.name is missing")
		return
	case tooLong(revisions, name, n.App.Metadata.Namespace):
		r.wrong("the application has a name, a revision or a list of revisions that is too long")
		return
	case n.removal():
		r.ignore("a removal is no deployment")
		return
	case state == event.DeploymentUnknown:
		r.ignore("the sync is not over, or the application is not healthy yet")
		return
	case op.FinishedAt.IsZero() || len(revisions) == 0:
		r.ignore("the sync names no finishedAt or no revision")
		return
	case !op.FinishedAt.Known():
		r.wrong("app.status.operationState.finishedAt is no usable time")
		return
	}
	// Applications of one name may live in several namespaces of one Argo CD.
	application := name
	if ns := n.App.Metadata.Namespace; ns != "" {
		application = ns + "/" + name
	}
	environment := cmp.Or(n.Context.Environment, n.App.Metadata.Labels.Environment, n.App.Spec.Destination.Namespace)
	actor := n.actor(r.provider)
	finished := op.FinishedAt.At
	r.events = append(r.events, event.Event{
		ID:     event.ArgoCDSyncID(r.source, application, revisions, finished, n.typeName()),
		Source: event.Deploy,
		Kind:   event.DeploymentStatus,
		Time:   finished,
		Entity: entityOf(r.provider, append([]string{r.source, application, strconv.FormatInt(int64(finished), 10)}, revisions...)...),
		// When the application came into being says nothing of this sync.
		Created: op.StartedAt.At,
		Scope:   event.Scope{Provider: r.provider, Name: r.source, Service: name, Environment: environment},
		Actor:   actor,
		Local:   op.StartedAt.Or(op.FinishedAt).Local(),
		Deployment: &event.Deployment{
			Key:             application,
			State:           state,
			Started:         op.StartedAt.At,
			Finished:        finished,
			Revisions:       revisions,
			Creator:         actor,
			OriginalService: name,
		},
	})
}

// actor is nobody where Argo CD acted by itself.
func (n *argoNotice) actor(provider string) event.Account {
	by := n.App.Status.Operation.Operation.InitiatedBy
	if by.Automated || (by.Username == "" && n.Learned.ActorEmail == "") {
		return event.Account{}
	}
	return event.Account{Provider: provider, Login: by.Username, Email: n.Learned.ActorEmail}
}
