package metrics

import (
	"slices"
	"sync"

	"meridian/streaming/timeline"
)

// list is the one list of metrics, in the order in which people read them.
// What is not in it does not exist.
var list = sync.OnceValue(func() []*Definition {
	return []*Definition{
		prPickupTime(),
		prPickupTimeWorking(),
		prFirstResponse(),
		prTimeToApproval(),
		prReviewTime(),
		prTimeToMerge(),
		prDraftTime(),
		prOpened(),
		prMerged(),
		prClosedUnmerged(),
		prSize(),
		prReviews(),
		prReviewRounds(),
		prReviewerResponse(),
		prCodingTime(),
		prWaiting(),
		prDeployTime(),
		deployFrequency(),
		leadTime(),
		changeFailureRate(),
		failedDeploymentRecoveryTime(),
		reworkRate(),
		deployAttemptsFailed(),
		deployDuration(),
		issueCycleTime(),
		issueLeadTime(),
		issuesDone(),
		issuesReopened(),
		issuesInProgress(),
		incidents(),
		incidentsOpen(),
		incidentRecoveryTime(),
		afterHours(),
		weekendWork(),
		afterHoursPeople(),
		lateSessions(),
		workHeatmap(),
	}
})

// Definitions returns all metrics. A metric always has the same pointer, and
// nobody changes what it points to.
func Definitions() []*Definition { return slices.Clone(list()) }

// Find returns the definition with this name, or nil.
func Find(name Name) *Definition {
	for _, d := range list() {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// Folds returns the fold of each subject that a definition can read.
func Folds() []FoldKind {
	return []FoldKind{
		pullRequestKind(),
		deploymentKind(),
		issueKind(),
		activityKind(),
		branchKind(),
		personKind(),
		deliveryKind(),
	}
}

// What the built-in metrics have decided about their windows: to wait for
// nothing beyond the bounds of their sources, and to revise for as long as the
// horizon lets anything in.
const (
	noWait       timeline.Millis = 0
	untilHorizon timeline.Millis = 0
)
