package metrics

import (
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// lateSessions: how often work runs into the evening, and for how long.
func lateSessions() *Definition {
	return &Definition{
		Name:   "late_sessions",
		Family: PeopleTime,
		Passport: Passport{
			Title:    "Late sessions",
			Question: "How often does somebody's work run outside their working hours, and how long is it then?",
			Start:    "the first activity of a session: one that follows more than 60 minutes after the person's last one",
			End:      "the last activity of the session; a gap of exactly 60 minutes is still the same session",
			Shows:    "sessions with at least one activity outside the person's working hours (evening or night, weekend, holiday); the sum is their length from first to last activity",
			Zone:     "each person's own: the catalog's, else what the event itself says, else the team's",
			Better:   "lower",
			LeftOut: []string{
				"sessions that lie wholly inside working hours",
				"activities of bots, of deleted accounts, and merges by auto-merge or a merge queue: they neither make a session nor join two",
			},
			Caveats: []string{
				"A session is of one person and one team; somebody in two teams has one in each, and one in a sum over teams.",
				"One row: in the hour of the last activity, under the team of that activity, however many hours it spans.",
				"Its length counts from its first activity, inside working hours or not. One activity alone is a session of no length.",
				"Nobody's screen is watched: what lies between two activities may have been work or dinner.",
				"About a team and never about one person.",
			},
			Reference: "Tools that count late commits are criticised for taking ten commits of one hour for ten; here they are one session.",
		},
		Statistic:   CountLength,
		Sources:     []event.Source{event.GitHub, event.Jira, event.Deploy},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: PersonData,
		Zones:       true,
		Subject:     SubjectPerson,
		Observe:     observeLateSessions,
	}
}

func observeLateSessions(fold Fold, v View, yield func(Observation)) {
	f := fold.(*PersonLine)
	f.sessions(v.Part, func(s []personAct) {
		late := false
		last := &s[len(s)-1]
		known := last.Known
		for i := range s {
			late = late || s[i].Class != timeline.Working
			known = max(known, s[i].Known) // as sure as its least sure act
		}
		if late {
			yield(Observation{
				Item: s[0].At.String(), Start: s[0].At, At: last.At, Value: int64(last.At - s[0].At), Outcome: Observed,
				Person: f.Person, Primary: last.Primary, Class: last.Class, Known: known,
			})
		}
	})
}
