package metrics

import (
	"maps"
	"slices"
)

// LogicVersion is the version of everything here that decides a number: what
// the folds keep, what the definitions observe, how windows are cut, merged and
// written. Whoever changes a row that some log has already produced raises it,
// and names the metrics in logicChanges and in the changelog; a golden log fails
// the tests of those who forget. A new version begins a new generation by itself.
const LogicVersion = "4"

// logicChanges names, for each version, the metrics that it brought or whose rows
// it changed. A generation of a new version takes over by itself only when no
// others differ, so what is missing here makes every instance wait for somebody.
// The first version has none: nothing was before it.
var logicChanges = map[int32][]Name{
	1: {},
	2: {
		"pr_pickup_time_working", "pr_first_response", "pr_time_to_approval", "pr_draft_time", "pr_opened", "pr_closed_unmerged", "pr_size", "pr_reviews",
		"pr_review_rounds", "pr_reviewer_response", "pr_coding_time", "pr_waiting", "weekend_work", "after_hours_people", "late_sessions", "work_heatmap",
	},
	3: {
		"lead_time", "pr_deploy_time", "change_failure_rate", "failed_deployment_recovery_time", "rework_rate", "deploy_attempts_failed", "deploy_duration",
		"issue_lead_time", "issues_done", "issues_reopened", "issues_in_progress", "incidents", "incidents_open", "incident_recovery_time",
		"after_hours", "deploy_frequency",
	},
	4: {
		"after_hours", "weekend_work", "after_hours_people", "late_sessions", "work_heatmap",
		"change_failure_rate", "failed_deployment_recovery_time", "rework_rate",
	},
}

// LogicChanges returns the metrics whose rows may differ between two versions of
// the logic, the later of which is this program's or older. Variations of them
// may differ too.
func LogicChanges(from, to int32) []Name {
	changed := map[Name]bool{}
	for version := from + 1; version <= to; version++ {
		for _, name := range logicChanges[version] {
			changed[name] = true
		}
	}
	return slices.Sorted(maps.Keys(changed))
}
