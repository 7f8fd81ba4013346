package metrics

import "meridian/ingest/event"

// reworkRate: how many deployments only mend what an earlier one broke.
func reworkRate() *Definition {
	return &Definition{
		Name:   "rework_rate",
		Family: Deployments,
		Passport: Passport{
			Title:    "Deployment rework rate",
			Question: "How many deployments are made only to fix an incident?",
			End:      "the first success of a deployment to production",
			Shows:    "share of production deployments that were made to fix an incident",
			Better:   "lower",
			LeftOut: []string{
				"deployments to other environments (not_production)",
				"attempts that never succeeded (never_succeeded)",
			},
			Caveats: []string{
				"Made to fix an incident is a deployment that names one, or that is labelled hotfix or rollback; GitHub's, whose description or branch says so.",
				"What is not said is not known: a fix that is deployed like any other change is none here. Deploying an older commit alone is no rework either, though what it replaces has failed.",
				"0 means that no deployment said so.",
			},
			Reference: "DORA's guide to software delivery metrics (dora.dev), deployment rework rate, as of January 2026",
		},
		Statistic:   Share,
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
			if o, ok := f.frequency(); ok {
				o.Start, o.Hit = f.Begun, o.Outcome == Observed && (f.Rework || f.Fixes.Value != "")
				yield(o)
			}
		}),
	}
}

// ofDeployment makes an observe function of one that reads one deployment.
func ofDeployment(observe func(f *DeploymentFold, yield func(Observation))) func(Fold, View, func(Observation)) {
	return func(fold Fold, v View, yield func(Observation)) {
		f := fold.(*DeploymentFold).as(&v.Vary)
		observe(f, func(o Observation) {
			o.Primary, o.Service, o.Label, o.URL = true, f.Service.Value, f.label(), f.URL.Value
			yield(o)
		})
	}
}
