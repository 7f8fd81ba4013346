package metrics_test

import (
	"slices"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

func (o *oracle) deployments() {
	for _, events := range o.entities(func(e *event.Event) bool { return e.Deployment != nil }) {
		team, service := o.catalog.Home(events[0]), o.catalog.Service(events[0])
		d := &oracleRelease{events: events, service: service}
		production := slices.ContainsFunc(events, func(e event.Event) bool { return o.catalog.Production(e) })
		var success, failure, begun timeline.Millis
		rework := false
		for _, e := range events {
			for _, at := range []timeline.Millis{e.Deployment.Started, e.Deployment.Created} {
				if at != 0 && (begun == 0 || at < begun) {
					begun = at
				}
			}
			rework = rework || e.Deployment.FixesIncident != "" || slices.Contains(e.Deployment.Labels, "hotfix") || slices.Contains(e.Deployment.Labels, "rollback")
			if o.catalog.Production(e) != production {
				continue
			}
			switch e.Deployment.State {
			case event.DeploymentSuccess:
				if success == 0 {
					success = e.Time
				}
			case event.DeploymentFailure, event.DeploymentCancelled, event.DeploymentRolledBack:
				if failure == 0 {
					failure = e.Time
				}
			}
		}
		if success == 0 && failure != 0 {
			if production {
				o.value("deploy_attempts_failed", team, service, failure, 1)
			} else {
				o.excluded("deploy_attempts_failed", team, service, failure, "not_production")
			}
		}
		if success == 0 || !production {
			for _, metric := range []string{"deploy_frequency", "rework_rate", "deploy_duration"} {
				(&oracleTeam{oracle: o}).leftOut(metric, d)
			}
			continue
		}
		o.value("deploy_frequency", team, service, success, 1)
		o.value("rework_rate", team, service, success, 1)
		if rework {
			for _, p := range o.in("rework_rate", team, service, success) {
				p.hits++
			}
		}
		switch {
		case begun == 0:
		case begun > success:
			o.excluded("deploy_duration", team, service, success, "anomaly")
		default:
			o.value("deploy_duration", team, service, success, int64(success-begun))
		}
	}
}
