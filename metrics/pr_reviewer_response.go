package metrics

import (
	"slices"
	"strings"

	"meridian/ingest/event"
)

// prReviewerResponse: how fast people answer when they are asked.
func prReviewerResponse() *Definition {
	return &Definition{
		Name:   "pr_reviewer_response",
		Family: PullRequests,
		Passport: Passport{
			Title:    "Reviewers' response",
			Question: "How long does somebody who is asked for a review take to give it?",
			Start:    "a review is asked of a person",
			End:      "the first review, or comment on a line of the diff, by this person after that",
			Shows:    "median over the answers in the window, one of each person for each pull request",
			Better:   "lower",
			LeftOut: []string{
				"pull requests that bots open (bot), counted at their merge",
				"requests to a team (team_request), counted when somebody of it has reviewed",
				"reviews by bots that were asked (bot), those not submitted yet (pending), and those after the merge (after_merge): they answer nothing",
				"requests that were withdrawn before an answer, and those not answered yet",
				"reviews that nobody had asked this person for",
			},
			Caveats: []string{
				"Counts every hour of the day and week, and from the request on also while the pull request was a draft.",
				"Asked again after the first review is not measured again.",
				"Answers belong to the team of the pull request, whoever gives them.",
				"GitHub does not say who is in a team. A request to a team that the catalog names is answered by its people and by those in no team, to any other team by anybody but the author.",
				"About a team and never about one person: somebody asked more often answers later.",
			},
			Reference: "Settled after pullreminders/backlog: the clock is that of the person who was asked, from when they were.",
		},
		Statistic:   MedianDuration,
		Sources:     []event.Source{event.GitHub},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: PersonData,
		Varies:      onlyPeople,
		Subject:     SubjectPullRequest,
		Reads:       aspectPull | aspectReviews | aspectRequests,
		Observe:     ofPullRequestIn(observeReviewerResponse),
	}
}

func observeReviewerResponse(f *PullRequestFold, v View, yield func(Observation)) {
	if len(f.Requests) == 0 {
		return
	}
	var few [fewAnswers]*review
	reviews := f.reviewsInOrder(few[:0])
	for _, a := range f.asked(v) {
		if a.team != "" {
			f.teamResponse(&a, v, reviews, yield)
		} else {
			f.personResponse(&a, reviews, yield)
		}
	}
}

func (f *PullRequestFold) personResponse(asked *asked, reviews []*review, yield func(Observation)) {
	var ignored []Observation
	for _, v := range reviews {
		since := asked.since(v.Submitted)
		if since == 0 || !v.By.same(&asked.who) {
			continue
		}
		if reason := f.noResponse(v); reason != "" {
			ignored = append(ignored, Observation{Item: v.Key, At: v.Submitted, Person: v.By.Person, Outcome: Ignored, Reason: reason})
			continue
		}
		o := duration(since, v.Submitted)
		o.Item, o.Person = string(appendPerson(make([]byte, 0, 48), v.By.Person)), v.By.Person
		yield(o)
		for i := range ignored {
			ignored[i].At = o.At // beside the answer that they were not
		}
		break
	}
	for _, o := range ignored {
		yield(o)
	}
}

func (f *PullRequestFold) teamResponse(asked *asked, view View, reviews []*review, yield func(Observation)) {
	for _, v := range reviews {
		since := asked.since(v.Submitted)
		if since != 0 && f.noResponse(v) == "" && view.answersFor(asked.team, v) {
			yield(Observation{Item: "team/" + asked.team, Start: since, At: v.Submitted, Outcome: Excluded, Reason: TeamRequest})
			return
		}
	}
}

// noResponse says why a review answers no request, or "".
func (f *PullRequestFold) noResponse(v *review) Reason {
	a := v.answer()
	if reason := f.uncounted(&a); reason != "" {
		return reason
	}
	if f.afterMerge(v.Submitted) {
		return AfterMerge
	}
	return ""
}

// answersFor reports whether a reviewer may be of a team of GitHub, as far as the
// catalog tells: it need not name teams as GitHub does, nor everybody in them.
func (v View) answersFor(team string, r *review) bool {
	named := func(name string) bool { return strings.EqualFold(name, team) }
	teams := v.Catalog.Teams(r.By.Person, r.Submitted)
	if len(teams) == 0 || slices.ContainsFunc(teams, named) {
		return true
	}
	for _, t := range v.Catalog.TeamList() {
		if named(t.Name) {
			return false
		}
	}
	return true
}
