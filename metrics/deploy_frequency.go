package metrics

import "meridian/ingest/event"

// deployFrequency: how often changes reach users.
func deployFrequency() *Definition {
	return &Definition{
		Name:   "deploy_frequency",
		Family: Deployments,
		Passport: Passport{
			Title:    "Deployment frequency",
			Question: "How often do changes reach users?",
			End:      "the first success of a deployment to production",
			Shows:    "number of production deployments; over 30 days, deployments per day: their number divided by 30",
			Better:   "higher",
			LeftOut: []string{
				"deployments to other environments (not_production)",
				"attempts that have failed or were cancelled and never succeeded (never_succeeded), until a later success of the same deployment",
			},
			Caveats: []string{
				"Production is what the payload says is production, else what the catalog's environment patterns name.",
				"Each deployment counts once, at its first success. Becoming inactive, succeeding again or being rolled back later changes nothing here.",
				"Deploying the same commit again is a deployment again.",
				"30 days are always divided by 30, however few of them are covered; the covered days stand beside the value.",
			},
			Reference: "DORA's guide to software delivery metrics (dora.dev), deployment frequency, as of January 2026",
		},
		Statistic:   PerDay,
		Sources:     []event.Source{event.GitHub, event.Deploy},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: Work,
		Services:    true,
		Varies:      []Variable{VariesEnvironment},
		Subject:     SubjectDeployment,
		Observe: ofDeployment(func(f *DeploymentFold, yield func(Observation)) {
			if o, ok := f.frequency(); ok {
				o.Start = f.Begun
				yield(o)
			}
		}),
	}
}

// frequency says how the deployment counts, once that is decided: not while
// it is only under way.
func (f *DeploymentFold) frequency() (Observation, bool) {
	production := f.production()
	if at, ok := f.first(production, event.DeploymentSuccess); ok {
		if production {
			return Observation{At: at, Value: 1, Outcome: Observed}, true
		}
		return Observation{At: at, Outcome: Excluded, Reason: NotProduction}, true
	}
	if at, ok := f.first(production, failed...); ok {
		reason := NeverSucceeded
		if !production {
			reason = NotProduction
		}
		return Observation{At: at, Outcome: Excluded, Reason: reason}, true
	}
	return Observation{}, false
}
