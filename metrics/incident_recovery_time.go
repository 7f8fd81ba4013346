package metrics

import "meridian/ingest/event"

// incidentRecoveryTime: how long users are in trouble.
func incidentRecoveryTime() *Definition {
	return &Definition{
		Name:   "incident_recovery_time",
		Family: WorkItems,
		Passport: Passport{
			Title:    "Incident recovery time",
			Question: "How long does an incident last?",
			Start:    "the incident is created",
			End:      "it last comes to be over: done, or in an earlier status that the catalog names as resolved",
			Shows:    "median over the incidents that were last over in the window and still are",
			Better:   "lower",
			LeftOut: []string{
				"incidents that are open, also those that were over and have been opened again",
				"deleted incidents",
				"incidents over before they were created (anomaly)",
			},
			Caveats: []string{
				"An incident is an issue that has a type or label of the catalog's now; one that loses it is none, and one that gets it later is one from its creation.",
				"All incidents, whether a deployment caused them or not; failed_deployment_recovery_time has those that one did.",
				"Its service is that of the catalog's component or project, a component with a service's name, a label service:NAME, else the team's only service.",
				"Counts from the report, not from when users first noticed.",
			},
			Reference: "All incidents, those without a deployment too; DORA's own is failed deployment recovery time.",
		},
		Statistic:   MedianDuration,
		Sources:     []event.Source{event.GitHub, event.Jira, event.Deploy},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: Work,
		Services:    true,
		Subject:     SubjectIssue,
		Observe: ofIncident(func(f *IssueFold, v View, yield func(Observation)) {
			if end, ok := f.over(v.Catalog); ok && f.Created != 0 {
				yield(duration(f.Created, end))
			}
		}),
	}
}
