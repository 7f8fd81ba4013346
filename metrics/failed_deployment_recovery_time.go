package metrics

import "meridian/ingest/event"

// failedDeploymentRecoveryTime: how long users have what a deployment broke.
func failedDeploymentRecoveryTime() *Definition {
	return &Definition{
		Name:   "failed_deployment_recovery_time",
		Family: Deployments,
		Passport: Passport{
			Title:    "Failed deployment recovery time",
			Question: "How long does it take to recover from a deployment that failed?",
			Start:    "the first success of the production deployment that failed: from then on users had it",
			End:      "all incidents charged to it are over; where none was, the next success of the service, which rolled it back or fixed it",
			Shows:    "median over the failed deployments that were recovered from in the window",
			Better:   "lower",
			LeftOut: []string{
				"failures that are not over: an incident that is opened again takes the value back",
				"incidents charged to no deployment; incident_recovery_time has all of them",
				"deployments of a repository of several services that do not say which",
			},
			Caveats: []string{
				"Which deployments failed, and which incidents are charged to them, is decided as for the change failure rate.",
				"Where a deployment has both a rollback and an incident, the incident's end counts.",
				"An incident is over in a status of done, or an earlier one that the catalog names as resolved; the last time that it came to be over counts.",
				"Counts every hour of the day and week, from when users had what was broken, and not from when somebody noticed: a variation of it may start with the incident.",
			},
			Reference: "DORA's guide to software delivery metrics (dora.dev), failed deployment recovery time, as of January 2026",
		},
		Statistic:   MedianDuration,
		Sources:     []event.Source{event.GitHub, event.Jira, event.Deploy},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: Work,
		Services:    true,
		Varies:      []Variable{VariesStart},
		Subject:     SubjectDelivery,
		Observe: ofReleases(func(_ *deliveryIndex, r *release, v View, yield func(Observation)) {
			if !r.Home || !r.failure.failed || r.failure.end == 0 || r.unlinked {
				return
			}
			start := r.at
			if v.Vary.Start == StartIncident {
				if start = r.failure.reported(); start == 0 {
					return
				}
			}
			out, d := r.observation(Observed, ""), duration(start, r.failure.end)
			out.Start, out.At, out.Value, out.Outcome, out.Reason = d.Start, d.At, d.Value, d.Outcome, d.Reason
			yield(out)
		}),
	}
}
