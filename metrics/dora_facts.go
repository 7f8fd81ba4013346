package metrics

import (
	"fmt"
	"slices"
)

// DORA are the five of DORA's guide, in its order.
var DORA = [...]Name{"deploy_frequency", "lead_time", "change_failure_rate", "failed_deployment_recovery_time", "rework_rate"}

// DORAUse says what one of DORA's five was made of in a scope, and what is missing
// to compute the rest: what a page shows beside the number, or in its place.
type DORAUse struct {
	Metric Name
	Known  bool   // it has a value
	Used   []Used // the facts that it was able to use; empty where there were none
	Lacks  []Lack // what would have to be there for the rest
}

// Used is one kind of fact, as a sentence of its own.
type Used struct {
	Count int64
	Text  string
}

// Lack is something that could not be computed: how much of it, of which service
// ("" for the whole scope), why, and what somebody can do about it ("" for nothing
// but to wait).
type Lack struct {
	Reason  Reason
	Service string
	Count   int64
	Text    string
	Todo    string
}

// DORAFacts works that out from stored rows alone. points are of one scope and one
// window: of each of the five the total, and those of its services, as far as there
// are rows; who has several windows merges them first ([Merge]). coverage is that
// of each of the five. There is always one answer for each of the five, in the
// order of [DORA].
func DORAFacts(points []*Point, coverage map[Name]Coverage) []DORAUse {
	d := doraPoints{points}
	deployments := d.all("deploy_frequency", "")
	uses := make([]DORAUse, len(DORA))
	for i, name := range DORA {
		u := &uses[i]
		u.Metric = name
		if p := d.point(name, ""); p != nil {
			_, u.Known = p.Value()
		}
		if c, ok := coverage[name]; ok && (c.From == 0 || c.Silent) {
			u.lack(NoSource, "", 0, "No source that it reads has sent anything.", "Connect a deploy system, or GitHub's deployments, to this instance.")
			continue
		}
		switch name {
		case "deploy_frequency":
			u.frequency(deployments)
		case "lead_time":
			u.leadTime(d.all(name, ""), deployments)
		case "change_failure_rate":
			u.failures(d)
		case "failed_deployment_recovery_time":
			u.recovery(d.all(name, ""), d.all("change_failure_rate", ""))
		case "rework_rate":
			u.rework(d.all(name, ""))
		}
	}
	return uses
}

type doraPoints struct{ points []*Point }

func (d doraPoints) point(name Name, service string) *Point {
	for _, p := range d.points {
		if p.Metric == name && p.Service == service {
			return p
		}
	}
	return nil
}

// all is what a point is made of; nothing where there is none.
func (d doraPoints) all(name Name, service string) *Part {
	if p := d.point(name, service); p != nil && p.Aggregate != nil {
		return &p.Aggregate.All
	}
	return new(Part)
}

func (u *DORAUse) use(count int64, one, many string) {
	if count > 0 {
		u.Used = append(u.Used, Used{count, counted(count, one, many)})
	}
}

func (u *DORAUse) lack(reason Reason, service string, count int64, text, todo string) {
	u.Lacks = append(u.Lacks, Lack{reason, service, count, text, todo})
}

// counted is a number with the words that belong to it.
func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func (u *DORAUse) excluded(p *Part, reason Reason, one, many, todo string) {
	if n := p.Excluded.Of(string(reason)); n > 0 {
		u.lack(reason, "", n, counted(n, one, many), todo)
	}
}

func (u *DORAUse) frequency(p *Part) {
	u.use(p.N, "production deployment seen.", "production deployments seen.")
	u.excluded(p, NotProduction, "deployment went to another environment.", "deployments went to other environments.",
		"If one of them is production, name it under production in the catalog.")
	u.excluded(p, NeverSucceeded, "attempt never succeeded.", "attempts never succeeded.", "")
	if len(u.Used)+len(u.Lacks) == 0 {
		u.lack(NothingObserved, "", 0, "No deployment was heard of in this time.", "")
	}
}

func (u *DORAUse) leadTime(p, deployments *Part) {
	u.use(p.N, "change deployed.", "changes deployed.")
	u.use(p.Basis.Of("measured"), "of them from its first commit.", "of them from their first commit.")
	u.use(p.Basis.Of("from_open"), "of them from when its pull request was opened.", "of them from when their pull requests were opened.")
	u.use(p.Basis.Of("from_merge"), "of them from its merge alone.", "of them from their merges alone.")
	if p.Basis.Of("from_open")+p.Basis.Of("from_merge") > 0 {
		u.lack(UnknownCommit, "", p.Basis.Of("from_open")+p.Basis.Of("from_merge"), "The first commits of some changes are not known.",
			"Send pushes to all branches, or read history from GitHub's API.")
	}
	if n := p.Excluded.Of(string(UnknownCommit)); n > 0 {
		u.lack(UnknownCommit, "", n, fmt.Sprintf("%s without a known commit, of %d.", counted(n, "deployment is", "deployments are"), max(n, deployments.N)),
			"Let deployments name their revision, and send the pushes of the repository to this instance.")
	}
	u.excluded(p, Unlinked, "deployment is of a repository of several services and does not say which.", "deployments are of a repository of several services and do not say which.",
		"Name the service in the deployment's payload, or tell them apart by deploys in the catalog.")
	u.excluded(p, NoBaseline, "change came with the first deployment of its service, which is what later ones are compared with.",
		"changes came with the first deployment of their service, which is what later ones are compared with.", "")
	u.excluded(p, Anomaly, "change is dated behind its deployment.", "changes are dated behind their deployments.", "Check the clocks of those who commit and deploy.")
}

func (u *DORAUse) failures(d doraPoints) {
	p := d.all(u.Metric, "")
	u.use(p.N, "deployment of which a failure would be heard.", "deployments of which a failure would be heard.")
	u.use(p.Hits, "of them failed.", "of them failed.")
	var services []string
	for _, q := range d.points {
		if q.Metric == u.Metric && q.Service != "" && q.Aggregate != nil && q.Aggregate.All.Excluded.Of(string(NoIncidentSource)) > 0 {
			services = append(services, q.Service)
		}
	}
	slices.Sort(services)
	const todo = "Name its incidents in the catalog, let incidents name the deployment that caused them, or send rollbacks."
	for _, service := range services {
		u.lack(NoIncidentSource, service, d.all(u.Metric, service).Excluded.Of(string(NoIncidentSource)), "There is no incident source for "+service+".", todo)
	}
	if n := p.Excluded.Of(string(NoIncidentSource)); len(services) == 0 && n > 0 {
		u.lack(NoIncidentSource, "", n, "There is no incident source for what was deployed.", todo)
	}
	u.excluded(p, Unlinked, "deployment could be of several services.", "deployments could be of several services.",
		"Name the service in the deployment's payload, or tell them apart by deploys in the catalog.")
}

func (u *DORAUse) recovery(p, rate *Part) {
	u.use(rate.Hits, "deployment of this time failed.", "deployments of this time failed.")
	u.use(p.N, "failure ended in this time.", "failures ended in this time.")
	if n := rate.Excluded.Of(string(NoIncidentSource)); n > 0 {
		u.lack(NoIncidentSource, "", n, counted(n, "deployment of which no failure could be heard.", "deployments of which no failure could be heard."),
			"See the change failure rate.")
	}
	if p.N == 0 && rate.Hits > 0 {
		u.lack(NothingObserved, "", rate.Hits, "None of the failures is over, or they ended at another time.", "")
	}
}

func (u *DORAUse) rework(p *Part) {
	u.use(p.N, "production deployment seen.", "production deployments seen.")
	u.use(p.Hits, "of them was made to fix an incident.", "of them were made to fix incidents.")
	if p.N > 0 && p.Hits == 0 {
		u.lack(NothingObserved, "", p.N, "No deployment says that it fixes something.",
			"Send incident, or the label hotfix or rollback, with deployments that do.")
	}
}
