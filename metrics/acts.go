package metrics

import (
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// What metrics of people's acts have in common.

var everySource = []event.Source{event.GitHub, event.Jira, event.Deploy}

const (
	actsAre      = "an activity: a commit, a pull request opened, a review, a comment, a merge by hand, a Jira transition, a deployment started by hand"
	actsZone     = "each person's own: the catalog's, else what the event itself says, else the team's"
	actsNone     = "pushing, asking for review, becoming ready, closing without a merge and creating an issue: they are no activities"
	actsByBots   = "activities of bots (bot) and of deleted accounts (deleted_user)"
	actsByQueues = "merges by auto-merge or a merge queue (auto_merge)"
	actsAssumed  = "Says how many people's zones are configured, inferred and assumed; the assumed ones may be wrong."
	actsTeam     = "About a team and never about one person."
)

// ofActs makes an observe function of one that says what is special about an act
// that counts. Its value is 1.
func ofActs(say func(a *act, o *Observation)) func(Fold, View, func(Observation)) {
	return func(fold Fold, v View, yield func(Observation)) {
		f := fold.(*ActivityFold)
		acts := f.Acts
		if v.Item != "" {
			i, found := f.find(v.Item)
			if !found {
				return
			}
			acts = acts[i : i+1]
		}
		for i := range acts {
			a := &acts[i]
			o := Observation{
				Item: a.Key, At: a.At, Value: 1, Outcome: Observed,
				Person: f.Person, Primary: a.Primary, Class: a.Class, Known: a.Known,
			}
			if a.Ignored != "" {
				o.Outcome, o.Reason, o.Value = Ignored, a.Ignored, 0
			} else {
				say(a, &o)
			}
			yield(o)
		}
	}
}

// free reports whether a class is of a day off.
func free(c timeline.Class) bool { return c == timeline.WeekendClass || c == timeline.HolidayClass }
