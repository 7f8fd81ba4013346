package metrics

import "meridian/ingest/event"

// incidentsOpen: how much trouble there is now.
func incidentsOpen() *Definition {
	return &Definition{
		Name:   "incidents_open",
		Family: WorkItems,
		Passport: Passport{
			Title:    "Open incidents",
			Question: "How many incidents are open, and for how long?",
			End:      "an incident that is not over, at the end of the window",
			Shows:    "number of incidents that are not over at the end of the window, with their ages",
			Better:   "lower",
			LeftOut: []string{
				"deleted incidents",
			},
			Caveats: []string{
				"An incident is an issue that has a type or label of the catalog's now; one that loses it is none, and one that gets it later is one from its creation.",
				"Over is a status of done, or an earlier one that the catalog names as resolved, such as Mitigated.",
				"One that is opened again has its age from then on.",
				"Its service is that of the catalog's component or project, a component with a service's name, a label service:NAME, else the team's only service.",
			},
			Reference: "The gauge beside recovery time, which shows only what has ended.",
		},
		Statistic:   Gauge,
		Sources:     []event.Source{event.GitHub, event.Jira, event.Deploy},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: Work,
		Services:    true,
		Subject:     SubjectIssue,
		Observe: ofIncident(func(f *IssueFold, v View, yield func(Observation)) {
			f.opened(v.Catalog, gaugeOf(yield))
		}),
	}
}
