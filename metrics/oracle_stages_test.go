package metrics_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// Coding, pickup, review and deploy time of a pull request are its lead time,
// and pickup and review its time to merge, whatever happened to it and in
// whatever order it was told. Where its first commit is not known, coding time
// is not, and lead time begins with the opening.
func TestStagesAddUpToLeadTime(t *testing.T) {
	t.Parallel()
	counts := map[string]int{}
	for seed := range uint64(200) {
		o := &organisation{world: newWorld(), rand: rand.New(rand.NewPCG(seed, 11))}
		o.shipped()
		for _, f := range o.facts {
			f.fail = t.Fatalf
			o.world.learn(f)
		}
		s := newStages(t, staffCatalog(), metrics.Definitions(), metrics.Folds())
		rows := &evidence{newOracle(s.catalog, nil, nil), map[string]*metrics.ObservationRow{}}
		s.emit = rows.take
		o.deliver(seed, s)

		stages := map[string]map[metrics.Name]*metrics.ObservationRow{}
		for _, r := range rows.rows {
			if !r.Deleted && strings.Contains(r.Label, "#") && (r.Outcome == metrics.Observed || r.Reason == metrics.UnknownCommit) {
				if stages[r.Label] == nil {
					stages[r.Label] = map[metrics.Name]*metrics.ObservationRow{}
				}
				stages[r.Label][r.Metric] = r
			}
		}
		for label, of := range stages {
			for _, wrong := range addUp(of, counts) {
				for _, f := range o.facts {
					t.Log(f.at, strings.Join(f.words, " "))
				}
				t.Fatalf("seed %d: %s: %s", seed, label, wrong)
			}
		}
	}
	for _, what := range []string{"whole", "from its opening", "without a review", "a draft first"} {
		if counts[what] < 100 {
			t.Errorf("only %d pull requests were %s", counts[what], what)
		}
	}
}

func addUp(of map[metrics.Name]*metrics.ObservationRow, counts map[string]int) (wrong []string) {
	coding, pickup, review, merge := of["pr_coding_time"], of["pr_pickup_time"], of["pr_review_time"], of["pr_time_to_merge"]
	deploy, lead := of["pr_deploy_time"], of["lead_time"]
	if lead == nil || deploy == nil || merge == nil {
		return nil
	}
	if (pickup == nil) != (review == nil) {
		wrong = append(wrong, "has a pickup or a review time, and not both")
	}
	if pickup != nil && review != nil && pickup.Value+review.Value != merge.Value {
		wrong = append(wrong, fmt.Sprintf("pickup %d and review %d are not %d until the merge", pickup.Value, review.Value, merge.Value))
	}
	if pickup == nil {
		counts["without a review"]++
	}
	if of["pr_draft_time"] != nil {
		counts["a draft first"]++
	}
	switch {
	case coding == nil:
		wrong = append(wrong, "says nothing of its coding time")
	case coding.Outcome == metrics.Excluded:
		counts["from its opening"]++
		if opened := of["pr_opened"]; lead.Basis != "from_open" || lead.Value != int64(lead.At-opened.At) {
			wrong = append(wrong, fmt.Sprintf("coding time is not known, and lead time is %d, %s", lead.Value, lead.Basis))
		}
	default:
		counts["whole"]++
		if sum := coding.Value + merge.Value + deploy.Value; sum != lead.Value || lead.Basis != "measured" || coding.Basis != "measured" {
			wrong = append(wrong, fmt.Sprintf("coding %d, until the merge %d and deploy %d are %d, and lead time is %d, %s", coding.Value, merge.Value, deploy.Value, sum, lead.Value, lead.Basis))
		}
	}
	return wrong
}

// shipped is a repository whose pull requests are merged one after the other, in
// each of GitHub's ways, and deployed.
func (o *organisation) shipped() {
	const repository = "acme/other"
	at := o.start()
	step := func() timeline.Millis {
		at += timeline.Millis(1+o.rand.IntN(30)) * 5 * timeline.Minute
		return at
	}
	o.say(at, "pushed %s by mai: %s=base", repository, commitAt(at-timeline.Hour))
	o.say(step(), "deploy success run-base of site to production from %s at base", repository)
	last := o.rand.IntN(5)
	for i := range last + 1 {
		name, branch, head := fmt.Sprintf("%s#%d", repository, i+1), o.pick("patch-1", "work-"+fmt.Sprint(i)), fmt.Sprintf("h%d", i)
		var commits []string
		told := o.chance(75)
		how := o.pick(" making", " making", "")
		for c := range 1 + o.rand.IntN(3) {
			text := fmt.Sprintf("%s=%s-%d", commitAt(step()), head, c)
			commits = append(commits, text)
			if told {
				o.say(step(), "pushed %s@%s by mai%s: %s", repository, branch, how, text)
				how = ""
			}
		}
		as := o.pick("", "", " as draft")
		o.say(step(), "pr opened %s by mai%s from %s", name, as, branch)
		if as != "" {
			o.say(step(), "pr ready %s by mai", name)
		}
		for range o.rand.IntN(3) {
			o.say(step(), "pr reviewed %s by %s", name, o.pick("jonas", "lena", "copilot[bot]", "mai"))
		}
		if o.chance(20) {
			o.say(step(), "pr drafted %s by mai", name)
			o.say(step(), "pr ready %s by mai", name)
		}
		if told && o.chance(30) { // rebased: the author times stay
			o.say(step(), "pushed %s@%s by mai: %s-again", repository, branch, commits[0])
		}
		merged := step()
		o.say(merged, "pr merged %s by jonas commit m%d commits %d", name, i, len(commits))
		switch o.rand.IntN(3) {
		case 0: // squashed
			o.say(merged, "pushed %s by jonas: %s=m%d", repository, commitAt(merged), i)
		case 1: // a merge commit, which brings the others
			o.say(merged, "pushed %s by jonas: %s %s=m%d!", repository, strings.Join(commits, " "), commitAt(merged), i)
		default: // the push was missed
		}
		if o.chance(70) {
			o.say(step(), "deploy success run-%d of site to production from %s at m%d", i, repository, i)
		}
	}
	o.say(step(), "deploy success run-last of site to production from %s at m%d", repository, last)
	slices.SortStableFunc(o.facts, func(a, b *fact) int { return int(a.at - b.at) })
}
