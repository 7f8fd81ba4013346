package metrics_test

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"meridian/ingest/event"
)

var deploymentStates = map[string]event.DeploymentState{
	"created": event.DeploymentPending, "queued": event.DeploymentPending, "pending": event.DeploymentPending,
	"in_progress": event.DeploymentRunning, "running": event.DeploymentRunning, "success": event.DeploymentSuccess, "synced": event.DeploymentSuccess,
	"failure": event.DeploymentFailure, "rolled_back": event.DeploymentRolledBack, "cancelled": event.DeploymentCancelled, "inactive": event.DeploymentInactive,
}

func (w *world) deployment(f *fact) event.Event {
	state, ok := deploymentStates[f.words[1]]
	if !ok {
		f.fail("no deployment is %s", f.words[1])
	}
	key, service, environment, repository := f.words[2], f.get("of"), f.get("to"), f.get("from")
	d := &event.Deployment{Key: key, State: state, Creator: github(f.get("by")), OriginalService: service, FixesIncident: f.get("fixing")}
	d.Revisions = strings.Fields(f.get("at"))
	d.Labels = strings.Fields(f.get("labelled"))
	if begun, ok := f.option("begun"); ok {
		d.Started = f.instant(begun)
	}
	e := event.Event{
		Kind: event.DeploymentStatus, Source: event.Deploy, Actor: d.Creator, Deployment: d,
		Scope: event.Scope{Provider: f.words[0], Repository: repository, Service: service, Environment: environment},
	}
	switch f.words[0] {
	case "deployment":
		repo := w.repository(repository)
		number, err := strconv.ParseInt(key, 10, 64)
		if err != nil {
			f.fail("a deployment of GitHub has a number")
		}
		e.Source, e.Scope.Provider = event.GitHub, "github"
		e.Entity = event.EntityID(fmt.Sprintf("github/repo/%d/deployment/%d", repo, number))
		e.ID = event.DeploymentStatusID(repo, number, int64(f.line))
		d.Created = w.deployed[key]
		if f.words[1] == "created" {
			e.Kind, e.ID = event.DeploymentCreated, event.DeploymentCreatedID(repo, number)
		}
	case "argocd":
		service, d.Revisions = key, []string{f.get("at")}
		e.Scope.Service, d.OriginalService = service, service
		e.Entity = event.EntityID("argocd/ci/" + service + "/" + d.Revisions[0] + "/" + f.at.String())
		e.ID = event.ArgoCDSyncID("ci", service, d.Revisions, f.at, "Healthy")
	default:
		d.Creator.Provider = cmp.Or(d.Creator.Provider, "deploy")
		if f.get("by") == "" {
			d.Creator = event.Account{}
		}
		e.Actor = d.Creator
		e.Entity = event.EntityID("deploy/ci/" + key + "/" + service)
		e.ID = event.DeployStateID("ci", key, service, environment, state, f.at)
	}
	return e
}
