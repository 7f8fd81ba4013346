package metrics

import "meridian/streaming/timeline"

// workHeatmap: when in the week the team works.
func workHeatmap() *Definition {
	return &Definition{
		Name:   "work_heatmap",
		Family: PeopleTime,
		Passport: Passport{
			Title:    "When the team works",
			Question: "On which days and at which hours does the team work?",
			End:      actsAre,
			Shows:    "activities by weekday, from Monday, and hour of the day; the value is how many there are",
			Zone:     actsZone,
			LeftOut:  []string{actsByBots, actsByQueues, actsNone},
			Caveats: []string{
				"Weekday and hour come from the same local time, each person's own: 09:00 is nine in the morning for whoever was active, wherever they are.",
				"The hour that is repeated when summer time ends is twice as long; the one that is skipped is empty.",
				actsAssumed,
				actsTeam,
			},
			Reference: "Settled after hellodigua/code996#10: with one zone for everybody, teams of two continents seem to work at night.",
		},
		Statistic:   Heat,
		Sources:     everySource,
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: PersonData,
		Zones:       true,
		Subject:     SubjectActivity,
		Observe: ofActs(func(a *act, o *Observation) {
			if z, err := timeline.ParseZone(a.Zone); err == nil { // it is a zone's name, from route
				o.Slot = SlotOf(z, a.At)
			}
		}),
	}
}
