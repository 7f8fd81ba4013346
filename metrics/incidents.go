package metrics

import "meridian/ingest/event"

// incidents: how often users are in trouble.
func incidents() *Definition {
	return &Definition{
		Name:   "incidents",
		Family: WorkItems,
		Passport: Passport{
			Title:    "Incidents",
			Question: "How often are there incidents?",
			End:      "an incident is created",
			Shows:    "number of incidents",
			Better:   "lower",
			LeftOut: []string{
				"deleted incidents",
			},
			Caveats: []string{
				"An incident is an issue that has a type or label of the catalog's now; one that loses it is none, and one that gets it later is one from its creation.",
				"Reopening never makes a second one.",
				"Its service is that of the catalog's component or project, a component with a service's name, a label service:NAME, else the team's only service.",
				"More incidents may be better reporting.",
			},
			Reference: "Settled after apache/devlake: the catalog's types and labels, and not every bug.",
		},
		Statistic:   Count,
		Sources:     []event.Source{event.GitHub, event.Jira, event.Deploy},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: Work,
		Services:    true,
		Subject:     SubjectIssue,
		Observe: ofIncident(func(f *IssueFold, _ View, yield func(Observation)) {
			if f.Created != 0 {
				yield(Observation{Start: f.Created, At: f.Created, Value: 1, Outcome: Observed})
			}
		}),
	}
}
