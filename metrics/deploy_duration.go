package metrics

import "meridian/ingest/event"

// deployDuration: how long a deployment takes.
func deployDuration() *Definition {
	return &Definition{
		Name:   "deploy_duration",
		Family: Deployments,
		Passport: Passport{
			Title:    "Deploy duration",
			Question: "How long does a deployment take?",
			Start:    "the deployment is created, or started where its system does not say when it was created",
			End:      "its first success",
			Shows:    "median over the production deployments that first succeeded in the window",
			Better:   "lower",
			LeftOut: []string{
				"deployments to other environments (not_production)",
				"attempts that never succeeded (never_succeeded)",
				"deployments of which only the end is known: they have no start",
				"those that end before they were created (anomaly)",
			},
			Caveats: []string{
				"Waiting for an approval is part of it where the deployment is created before.",
				"Failing and succeeding at last is one deployment, with all its attempts.",
			},
			Reference: "From created to success as the deploy system states both, whatever it calls them.",
		},
		Statistic:   MedianDuration,
		Sources:     []event.Source{event.GitHub, event.Deploy},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: Work,
		Services:    true,
		Missing:     []Reason{NeverSucceeded, NotProduction},
		Varies:      []Variable{VariesEnvironment},
		Subject:     SubjectDeployment,
		Observe: ofDeployment(func(f *DeploymentFold, yield func(Observation)) {
			o, ok := f.frequency()
			switch {
			case !ok:
			case o.Outcome == Excluded:
				o.Start = f.Begun
				yield(o)
			case f.Begun != 0:
				yield(duration(f.Begun, o.At))
			}
		}),
	}
}
