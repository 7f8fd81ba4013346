package metrics

import "meridian/ingest/event"

// deployAttemptsFailed: how often the way to production fails.
func deployAttemptsFailed() *Definition {
	return &Definition{
		Name:   "deploy_attempts_failed",
		Family: Deployments,
		Passport: Passport{
			Title:    "Failed deployment attempts",
			Question: "How often does a deployment not get to production?",
			End:      "the first failure of an attempt to deploy to production that never succeeded",
			Shows:    "number of attempts",
			Better:   "lower",
			LeftOut: []string{
				"attempts to deploy to other environments (not_production)",
				"attempts that have not ended",
			},
			Caveats: []string{
				"Users never had what these tried to deploy, so they are no part of the change failure rate.",
				"A cancelled attempt never succeeded either.",
				"A later success of the same deployment takes it back.",
			},
			Reference: "Apart from the change failure rate, as DORA's guide counts only what reached production.",
		},
		Statistic:   Count,
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
			production := f.production()
			if _, ok := f.first(production, event.DeploymentSuccess); ok {
				return
			}
			at, ok := f.first(production, failed...)
			switch {
			case !ok:
			case production:
				yield(Observation{Start: f.Begun, At: at, Value: 1, Outcome: Observed})
			default:
				yield(Observation{Start: f.Begun, At: at, Outcome: Excluded, Reason: NotProduction})
			}
		}),
	}
}
