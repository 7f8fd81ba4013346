package metrics

// weekendWork: how much work happens on days off.
func weekendWork() *Definition {
	return &Definition{
		Name:   "weekend_work",
		Family: PeopleTime,
		Passport: Passport{
			Title:    "Weekend work",
			Question: "How much of the team's work happens on weekends and holidays?",
			End:      actsAre,
			Shows:    "share of activities on the person's weekend or holiday, outside hours that they work on such a day, among all activities",
			Zone:     actsZone,
			Better:   "lower",
			LeftOut:  []string{actsByBots, actsByQueues, actsNone},
			Caveats: []string{
				"The weekend is the catalog's (Saturday and Sunday unless it says otherwise); holidays are the person's calendar, else the team's, else the organisation's.",
				"Hours on a Saturday that the catalog gives somebody are working hours and no weekend work.",
				"A night that begins on Friday belongs to Friday: its hours after midnight are no weekend.",
				"The rest of after-hours work is evenings and nights of workdays.",
				actsAssumed,
				actsTeam,
			},
			Reference: "Settled after code996-web#17 and antiwork/gumroad#4599: the weekday is that of the person's own local time.",
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
		Observe:     ofActs(func(a *act, o *Observation) { o.Hit = free(a.Class) }),
	}
}
