package metrics

import "meridian/ingest/event"

// changeFailureRate: how often a deployment has to be mended.
func changeFailureRate() *Definition {
	return &Definition{
		Name:   "change_failure_rate",
		Family: Deployments,
		Passport: Passport{
			Title:    "Change failure rate",
			Question: "How often does a deployment break something?",
			End:      "the first success of a deployment to production",
			Shows:    "share of production deployments that failed: failed deployments divided by deployments",
			Better:   "lower",
			LeftOut: []string{
				"deployments to other environments (not_production)",
				"attempts that never succeeded (never_succeeded): users never had them, and deploy_attempts_failed counts them",
				"deployments of services of which no failure could be heard (no_incident_source): the catalog names no incidents for them, and none was ever rolled back, marked failed or linked to an incident",
				"deployments of a repository of several services that do not say which (unlinked)",
			},
			Caveats: []string{
				"Failed is what was rolled back, what was marked failed after its success, what was replaced by an older commit in the same environment, and what an incident is charged to.",
				"An incident is charged to the deployment that it names (its link wins), else to the latest one of its service at or before its start, if that is within the link window (24 h, or the catalog's link_window). Each incident is charged once.",
				"A deployment with six incidents failed once: deployments are counted on both sides, and never incidents or changes.",
				"Dated at the deployment. A later incident changes the number of the day on which the deployment was made.",
				"An incident is what has the catalog's type or label now; one that loses it is none.",
				"A signal of failure speaks for the deployments of its service before it, and for those of the following 92 days.",
			},
			Reference: "DORA's guide to software delivery metrics (dora.dev), change fail rate, as of January 2026",
		},
		Statistic:   Share,
		Sources:     []event.Source{event.GitHub, event.Jira, event.Deploy},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: Work,
		Services:    true,
		Missing:     []Reason{NoIncidentSource, Unlinked},
		Subject:     SubjectDelivery,
		Observe: func(fold Fold, v View, yield func(Observation)) {
			x := fold.(*DeliveryLine).use(v.Catalog)
			x.each(v.Part, func(r *release) {
				switch {
				case !r.Home:
				case r.unlinked:
					yield(r.observation(Excluded, Unlinked))
				case !r.failure.source:
					yield(r.observation(Excluded, NoIncidentSource))
				default:
					o := r.observation(Observed, "")
					o.Value, o.Hit = 1, r.failure.failed
					yield(o)
				}
			})
			x.leftOut(v.Part, func(d *lineDeployment) {
				if o, ok := d.Fold.frequency(); ok && d.Home {
					o.Item, o.Start, o.Primary, o.Service, o.Label, o.URL = string(d.ID), d.Fold.Begun, true, d.Fold.Service.Value, d.Fold.label(), d.Fold.URL.Value
					yield(o)
				}
			})
		},
	}
}
