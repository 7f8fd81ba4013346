package metrics

// reasons is the closed list with its sentences. They stand on pages
// and in answers where a number is missing, and beside the counts of what was
// left out; so each is whole without its number, and says what to do where
// there is something to do.
var reasons = [...]struct {
	reason   Reason
	sentence string
}{
	{NothingObserved, "Nothing of this kind happened in this time."},
	{NoSource, "No source that this metric reads has sent anything for this team."},
	{GapReason, "Deliveries may be missing in this time."},
	{Bot, "By a bot."},
	{Self, "By the author of the pull request."},
	{Draft, "Reviewed before the pull request was first ready for review."},
	{DeletedUser, "By an account that has been deleted."},
	{Pending, "A review that has not been submitted yet."},
	{AfterMerge, "Reviewed after the merge."},
	{Anomaly, "Dated before what it follows, so its times cannot be right."},
	{NoBaseline, "There is no earlier successful deployment to compare with."},
	{BeforeCoverage, "This time begins before the first delivery that Meridian received for this team, so the number would be incomplete."},
	{UnknownCommit, "The commit that this begins with is not known: no push that holds it has been received."},
	{NeverSucceeded, "The deployment has not succeeded."},
	{NotProduction, "The deployment did not go to production."},
	{NoIncidentSource, "No incidents or other signals of failure are connected to this service."},
	{Unlinked, "The repository has several services, and nothing says which of them was deployed."},
	{TeamRequest, "The review was asked of a team, not of a person."},
	{AutoMerge, "Merged by auto-merge or a merge queue, not by hand."},
	{ZonesUnknown, "Nobody's time zone is known; name zones in the catalog."},
	{TooOldToRevise, "A change that came after this number stopped being revised; the next replay takes it in."},
	{IDTimeConflict, "Two copies of one fact disagree about its time by more than an hour."},
	{BelowMinPeople, "Too few people were active to show this, or to show it beside other numbers, without pointing at somebody."},
}

// Reasons lists all reasons.
func Reasons() []Reason {
	list := make([]Reason, len(reasons))
	for i, r := range reasons {
		list[i] = r.reason
	}
	return list
}

// Sentence returns the reason in words, for people who have never seen its
// name. It is "" for the empty reason.
func (r Reason) Sentence() string {
	for _, known := range reasons {
		if known.reason == r {
			return known.sentence
		}
	}
	return string(r)
}
