package metrics

import "meridian/ingest/event"

// prDeployTime: how long merged changes wait until they run.
func prDeployTime() *Definition {
	return &Definition{
		Name:   "pr_deploy_time",
		Family: PullRequests,
		Passport: Passport{
			Title:    "Deploy time",
			Question: "How long does a merged change wait until users have it?",
			Start:    "the merge into the default branch",
			End:      "the first success of the first production deployment, of any service, that contains it",
			Shows:    "median over the team's pull requests that were first deployed in the window",
			Better:   "lower",
			LeftOut: []string{
				"pull requests that bots open (bot), counted at their merge",
				"pull requests that the first deployment of a service brings: since when they were deployed is not known (no_baseline)",
				"deployments of a commit that nobody has seen pushed or merged (unknown_commit), and of a repository of several services that do not say which (unlinked): each counts once, whatever it contained",
				"pull requests into other branches, and those not deployed yet",
			},
			Caveats: []string{
				"What a deployment contains is decided as for lead time. Coding, pickup, review and deploy time of one pull request add up to its lead time; medians of many do not.",
				"It is the team's that owns the pull request, also where another team's service deploys it. Of several services the first that has it counts.",
				"A branch that is deployed before it is merged counts with the first deployment after its merge.",
			},
			Reference: "Settled after middlewarehq/middleware and apache/devlake#7193: what was merged before the first deployment that is known has none.",
		},
		Statistic:   MedianDuration,
		Sources:     []event.Source{event.GitHub, event.Deploy},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: Work,
		Missing:     []Reason{UnknownCommit, Unlinked, NoBaseline},
		Subject:     SubjectDelivery,
		Observe: func(fold Fold, v View, yield func(Observation)) {
			x := fold.(*DeliveryLine).use(v.Catalog)
			x.botMerges(v.Part, yield)
			x.each(v.Part, func(r *release) {
				if reason := r.why(); reason != "" {
					o := r.observation(Excluded, reason)
					o.Service = ""
					yield(o)
				}
				if r.unmeasured() {
					return
				}
				x.shipped(r, func(o *branchOrder, c *shipment) {
					if c.merge == nil || !c.merge.Home || c.merge.Bot || !x.firstOf(o, c, r) {
						return
					}
					out := duration(c.merge.Merged, r.at)
					if r.place == 0 {
						out = Observation{Start: c.merge.Merged, At: r.at, Outcome: Excluded, Reason: NoBaseline}
					}
					out.Primary = true
					out.Item, out.Label, out.URL = o.describe(c)
					yield(out)
				})
			})
		},
	}
}

// botMerges yields the pull requests of bots, which are left out at their merge.
func (x *deliveryIndex) botMerges(part string, yield func(Observation)) {
	if x.releases[part] != nil || x.left[part] != nil {
		return
	}
	for _, o := range x.orders {
		for id, m := range o.bots { // observations come in any order
			if part != "" && part != id {
				continue
			}
			out := Observation{Start: m.Created, At: m.Merged, Outcome: Excluded, Reason: Bot, Primary: true}
			out.Item, out.Label, out.URL = o.describe(&shipment{merge: m})
			yield(out)
		}
	}
}
