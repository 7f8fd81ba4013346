package metrics

import (
	"strconv"

	"meridian/ingest/event"
)

// leadTime: how long it takes from the first commit of a change until it runs.
func leadTime() *Definition {
	return &Definition{
		Name:   "lead_time",
		Family: Deployments,
		Passport: Passport{
			Title:    "Lead time for changes",
			Question: "How long does it take from writing a change until users have it?",
			Start:    "the author time of the change's first commit; where no push to its branch is known, the pull request is opened",
			End:      "the first success of the first production deployment of the service that contains the change",
			Shows:    "median over the changes that were first deployed in the window: pull requests merged into the default branch, and commits pushed to it outside of one",
			Better:   "lower",
			LeftOut: []string{
				"changes that the first deployment of a service brings: since when they were deployed is not known (no_baseline)",
				"deployments of a commit that nobody has seen pushed or merged (unknown_commit): each counts once, whatever it contained",
				"deployments of a repository of several services that do not say which (unlinked)",
				"changes made by bots (bot)",
				"changes whose first commit is dated behind their deployment (anomaly)",
				"merge commits, and the commits that they bring: these are part of their pull request",
			},
			Caveats: []string{
				"A change is one value, however many commits it has, and it is deployed once: by the first deployment that contains it. Deployments that fail ship nothing.",
				"What a deployment contains is read from the order of pushes: what the default branch held at its commit and not at those deployed before. Where a push was missed, a pull request stands where it was merged.",
				"Where the commit was not on the default branch yet, as when a branch is deployed before it is merged, what had been merged when the deployment was begun counts as deployed. The branch's own change counts with the first deployment after its merge.",
				"Author times survive rebases and force-pushes. With squash merges the first commit is known from pushes to the branch alone: basis says how many values were measured, and how many count from the opening (from_open) or, where not even that is known, from the merge (from_merge).",
				"In a repository of several services a change counts for those whose paths its push touches, and for all where paths are not known; totals of teams and of the organisation have it once for each of them.",
				"A change deployed to the second region of production is not counted again.",
				"A revert is a change like any other, and what it reverts stays deployed when it was.",
			},
			Reference: "DORA's guide to software delivery metrics (dora.dev), change lead time, as of January 2026",
		},
		Statistic:   MedianDuration,
		Sources:     []event.Source{event.GitHub, event.Deploy},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: Work,
		Services:    true,
		Missing:     []Reason{UnknownCommit, Unlinked, NoBaseline},
		Subject:     SubjectDelivery,
		Observe: ofReleases(func(x *deliveryIndex, r *release, _ View, yield func(Observation)) {
			if !r.Home {
				return
			}
			if reason := r.why(); reason != "" {
				yield(r.observation(Excluded, reason))
			}
			if r.unmeasured() {
				return
			}
			x.shipped(r, func(o *branchOrder, c *shipment) {
				yield(x.leadTime(o, c, r))
			})
		}),
	}
}

// ofReleases makes an observe function of one that reads a production deployment.
func ofReleases(observe func(x *deliveryIndex, r *release, v View, yield func(Observation))) func(Fold, View, func(Observation)) {
	return func(fold Fold, v View, yield func(Observation)) {
		x := fold.(*DeliveryLine).use(v.Catalog)
		x.each(v.Part, func(r *release) { observe(x, r, v, yield) })
	}
}

// why says why nothing is known of what a release contains, or "".
func (r *release) why() Reason {
	switch {
	case r.unlinked:
		return Unlinked
	case r.unknown:
		return UnknownCommit
	}
	return ""
}

// observation is one of the release itself.
func (r *release) observation(outcome Outcome, reason Reason) Observation {
	return Observation{
		Item: string(r.ID), Start: r.Fold.Begun, At: r.at, Outcome: outcome, Reason: reason, Primary: true,
		Service: r.Fold.Service.Value, Label: r.Fold.label(), URL: r.Fold.URL.Value,
	}
}

func (x *deliveryIndex) leadTime(o *branchOrder, c *shipment, r *release) Observation {
	first, basis := x.begin(c)
	out := duration(first, r.at)
	switch {
	case r.place == 0:
		out = Observation{Start: first, At: r.at, Outcome: Excluded, Reason: NoBaseline}
	case c.bot():
		out = Observation{Start: first, At: r.at, Outcome: Excluded, Reason: Bot}
	case out.Outcome == Observed:
		out.Basis = basis
	}
	out.Primary, out.Service = true, r.Fold.Service.Value
	out.Item, out.Label, out.URL = o.describe(c)
	return out
}

// describe names a change: acme/web#7, or acme/web@9f2c31a.
func (o *branchOrder) describe(c *shipment) (item, label, url string) {
	name := o.repository.Name.Value
	if m := c.merge; m != nil {
		return string(m.ID), name + "#" + strconv.FormatInt(m.Number, 10), m.URL.Value
	}
	return string(o.repository.ID) + "/commit/" + strconv.FormatUint(c.commit.Commit, 16), name + "@" + c.commit.Name, ""
}
