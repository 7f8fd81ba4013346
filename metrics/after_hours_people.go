package metrics

import "meridian/streaming/timeline"

// afterHoursPeople: how many people work outside their hours.
func afterHoursPeople() *Definition {
	return &Definition{
		Name:   "after_hours_people",
		Family: PeopleTime,
		Passport: Passport{
			Title:    "People who work after hours",
			Question: "How many people work outside their working hours?",
			End:      actsAre,
			Shows:    "distinct people with at least one activity outside their working hours; n counts all activities",
			Zone:     actsZone,
			Better:   "lower",
			LeftOut:  []string{actsByBots, actsByQueues, actsNone},
			Caveats: []string{
				"Made for 30 days: one late evening in them is enough. Read it beside after-hours work, which says how much it was.",
				"Somebody in two teams counts in each, and once in the organisation: people are united and not added up.",
				"Accounts that the catalog joins are one person; two accounts that it does not know are two.",
				actsAssumed,
				actsTeam,
			},
			Reference: "Settled after apache/devlake#6768: whoever is in two teams counts once in the sum.",
		},
		Statistic:   People,
		Sources:     everySource,
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: PersonData,
		Zones:       true,
		Subject:     SubjectActivity,
		Observe:     ofActs(func(a *act, o *Observation) { o.Hit = a.Class != timeline.Working }),
	}
}
