package metrics

import "meridian/streaming/timeline"

// afterHours: how much work happens outside working hours.
func afterHours() *Definition {
	return &Definition{
		Name:   "after_hours",
		Family: PeopleTime,
		Passport: Passport{
			Title:    "After-hours work",
			Question: "How much of the team's work happens outside working hours?",
			End:      actsAre,
			Shows:    "share of activities outside the person's working hours (evening or night, weekend, holiday) among all activities",
			Zone:     actsZone,
			Better:   "lower",
			LeftOut:  []string{actsByBots, actsByQueues, actsNone},
			Caveats: []string{
				"Working hours are the person's, else the team's, else the organisation's, else Monday to Friday 09:00-18:00; the start is inside, the end is outside.",
				"A commit counts at its author time, once, however often it is rebased or pushed.",
				"A deployment counts when it was begun, at the first time that anybody tells. Told with times on both sides of the day on which its starter changed teams, it stays with both.",
				"Counts activities and not time: an evening of one review weighs less than one of ten commits. Late sessions say how long.",
				"Somebody who works in the evening by choice looks the same as somebody who has to.",
				actsAssumed,
				actsTeam,
			},
			Reference: "Tools that read commit times by one zone for everybody find night work in every team of two continents; here each person's own zone counts.",
		},
		Statistic:   Share,
		Sources:     everySource,
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: PersonData,
		Zones:       true,
		Classes:     true,
		Subject:     SubjectActivity,
		Observe:     ofActs(func(a *act, o *Observation) { o.Hit = a.Class != timeline.Working }),
	}
}
