package metrics_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// What was deployed when, once more and in batch: for each team all that it hears
// of is laid out from the beginning to the end, and each deployment is asked what
// lies in it.

// oracleTeam is what one team hears of.
type oracleTeam struct {
	*oracle
	team     string
	home     map[event.ID]bool
	events   []event.Event
	repos    []*oracleRepo
	services map[string][]*oracleRelease
}

// oracleRepo is a repository's default branch, laid out.
type oracleRepo struct {
	id      string
	names   map[string]bool
	steps   []oracleStep
	changes []*oracleChange
	heads   map[string]bool // of other branches
}

type oracleStep struct {
	at     timeline.Millis
	sha    string
	change *oracleChange
}

type oracleChange struct {
	step   int
	pull   *event.Event // of its merge
	push   *event.Event
	commit *event.Commit
	gone   timeline.Millis
}

type oracleRelease struct {
	id                      event.EntityID
	events                  []event.Event
	home                    bool
	service, repo, env, key string
	revisions               []string
	at, begun               timeline.Millis
	unknown, unlinked       bool
	failed, signal          timeline.Millis
	incidents               []*oracleIncident
	has                     []oracleShipped
	exact                   map[*oracleRepo]int
	place                   int
}

type oracleShipped struct {
	repo   *oracleRepo
	change *oracleChange
}

type oracleIncident struct {
	created, over timeline.Millis // over 0: it is not
	service       string
	causedBy      []string
}

func (o *oracle) deliveries() {
	teams := map[string]*oracleTeam{}
	hear := func(team string, e event.Event, home bool) {
		if teams[team] == nil {
			teams[team] = &oracleTeam{oracle: o, team: team, home: map[event.ID]bool{}, services: map[string][]*oracleRelease{}}
		}
		teams[team].events = append(teams[team].events, e)
		teams[team].home[e.ID] = home
	}
	for _, e := range o.events {
		home := o.catalog.Home(e)
		hear(home, e, true)
		for _, team := range o.catalog.References(e, home) {
			hear(team, e, false)
		}
	}
	for _, t := range teams {
		t.layOut()
		t.releases()
		t.ship()
		t.fail()
		t.tell()
	}
}

// layOut puts the commits of each default branch in order.
func (t *oracleTeam) layOut() {
	repos := map[string]*oracleRepo{}
	pushes, pulls := map[string][]*event.Event{}, map[string]map[int64]*event.Event{}
	for i := range t.events {
		e := &t.events[i]
		if e.Push == nil && e.PullRequest == nil {
			continue
		}
		id, _, _ := strings.Cut(string(e.Entity), "/pr/")
		repo := repos[id]
		if repo == nil {
			repo = &oracleRepo{id: id, names: map[string]bool{}, heads: map[string]bool{}}
			pulls[id] = map[int64]*event.Event{}
		}
		switch {
		case e.Kind == event.PullRequestMerged:
			if e.PullRequest.IntoMain {
				pulls[id][e.PullRequest.Number] = e
			}
		case e.Kind != event.Pushed || e.Push.Deleted:
			continue
		case e.Push.Default:
			pushes[id] = append(pushes[id], e)
		default:
			repo.heads[e.Push.After] = true
		}
		repos[id] = repo
		repo.names[strings.ToLower(e.Scope.Repository)] = true
	}
	for _, id := range slices.Sorted(maps.Keys(repos)) {
		repos[id].layOut(pushes[id], pulls[id])
		t.repos = append(t.repos, repos[id])
	}
}

func (r *oracleRepo) layOut(pushes []*event.Event, pulls map[int64]*event.Event) {
	slices.SortFunc(pushes, func(a, b *event.Event) int { return cmp.Compare(a.Time, b.Time) })
	for i := 1; i < len(pushes); i++ {
		if a, b := pushes[i-1], pushes[i]; a.Time == b.Time && a.Push.Before == b.Push.After {
			pushes[i-1], pushes[i] = b, a
		}
	}
	pulled := map[string]*event.Event{}
	for _, p := range pulls {
		if p.PullRequest.MergeSHA != "" {
			pulled[p.PullRequest.MergeSHA] = p
		}
	}
	items := slices.Clone(pushes)
	for _, p := range pulls {
		if !slices.ContainsFunc(pushes, func(push *event.Event) bool {
			return push.Push.After == p.PullRequest.MergeSHA && (!push.Push.Forced || len(push.Push.Commits) > 0) || slices.ContainsFunc(push.Push.Commits, func(c event.Commit) bool { return c.SHA == p.PullRequest.MergeSHA })
		}) {
			items = append(items, p)
		}
	}
	slices.SortStableFunc(items, func(a, b *event.Event) int {
		number := func(e *event.Event) int64 {
			if e.PullRequest == nil {
				return 0
			}
			return e.PullRequest.Number
		}
		if a.Push != nil && b.Push != nil {
			return cmp.Compare(a.Time, b.Time)
		}
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(number(a), number(b)))
	})
	for _, e := range items {
		if e.Push == nil {
			r.grow(e.Time, e.PullRequest.MergeSHA, &oracleChange{pull: e})
			continue
		}
		push := e.Push
		if len(push.Commits) == 0 && push.Forced {
			r.reset(push.After, e.Time)
		}
		theirs := r.theirs(push, pulled)
		for i := range push.Commits {
			c := &push.Commits[i]
			change := &oracleChange{push: e, commit: c}
			if p := pulled[c.SHA]; p != nil {
				change.pull = p
				if r.holds(func(o *oracleChange) bool { return o.pull == p }) {
					change = nil
				}
			} else if theirs[i] || c.Merge || r.sameAsBefore(c) {
				change = nil
			}
			r.grow(e.Time, c.SHA, change)
		}
		if n := len(push.Commits); n == 0 || push.Commits[n-1].SHA != push.After {
			r.grow(e.Time, push.After, nil)
		}
	}
}

func (r *oracleRepo) grow(at timeline.Millis, sha string, c *oracleChange) {
	if c != nil {
		c.step = len(r.steps)
		r.changes = append(r.changes, c)
	}
	r.steps = append(r.steps, oracleStep{at, sha, c})
}

// sameAsBefore reports a commit that the branch has, by its name or, rebased, by
// its author and author time.
func (r *oracleRepo) sameAsBefore(c *event.Commit) bool {
	for i := len(r.steps) - 1; i >= 0; i-- {
		if s := r.steps[i]; s.sha == c.SHA {
			if s.change == nil || s.change.gone == 0 {
				return true
			}
			break
		}
	}
	return r.holds(func(o *oracleChange) bool {
		return o.pull == nil && o.commit.Author.Login == c.Author.Login && o.commit.Authored == c.Authored
	})
}

func (r *oracleRepo) holds(is func(*oracleChange) bool) bool {
	return slices.ContainsFunc(r.changes, func(o *oracleChange) bool { return o.gone == 0 && is(o) })
}

// theirs are the commits of a push that a merge or a pull request has brought.
func (r *oracleRepo) theirs(push *event.Push, pulled map[string]*event.Event) []bool {
	theirs := make([]bool, len(push.Commits))
	last := -1
	for i, c := range push.Commits {
		p := pulled[c.SHA]
		if p == nil && !c.Merge {
			continue
		}
		from := i
		if n := 0; p != nil {
			n = int(p.PullRequest.Commits)
			if from = i - n + 1; n == 0 {
				from = i
			} else if i-1-last == n {
				from = last + 1
			}
		}
		if c.Merge {
			from = last + 1
		}
		for j := max(from, last+1); j <= i; j++ {
			theirs[j] = true
		}
		last = i
	}
	return theirs
}

func (r *oracleRepo) reset(to string, at timeline.Millis) {
	for i := len(r.steps) - 1; i >= 0; i-- {
		if r.steps[i].sha != to {
			continue
		}
		for _, c := range r.changes {
			if c.step > i && c.gone == 0 {
				c.gone = at
			}
		}
		return
	}
}

func (t *oracleTeam) releases() {
	of := map[event.EntityID][]event.Event{}
	for _, e := range t.events {
		if e.Deployment != nil {
			of[e.Entity] = append(of[e.Entity], e)
		}
	}
	for id, events := range of {
		slices.SortStableFunc(events, func(a, b event.Event) int { return cmp.Compare(a.Time, b.Time) })
		d := &oracleRelease{id: id, events: events, home: t.home[events[0].ID], service: t.catalog.Service(events[0]), exact: map[*oracleRepo]int{}}
		named := false
		for _, e := range events {
			d.repo = cmp.Or(e.Scope.Repository, d.repo)
			if len(e.Deployment.Revisions) > 0 {
				d.revisions = e.Deployment.Revisions
			}
			d.key = cmp.Or(e.Deployment.Key, d.key)
			if begun := cmp.Or(e.Deployment.Created, e.Deployment.Started); begun != 0 && (d.begun == 0 || begun < d.begun) {
				d.begun = begun
			}
			named = named || e.Scope.Service != ""
			if !t.catalog.Production(e) {
				continue
			}
			d.env = e.Scope.Environment
			if e.Deployment.State == event.DeploymentSuccess && d.at == 0 {
				d.at = e.Time
			}
		}
		d.unlinked = !named && d.repo == d.service && len(t.catalog.Touched(d.repo, nil, 0)) > 1
		if d.at == 0 {
			if d.home {
				t.leftOut("change_failure_rate", d)
			}
			continue
		}
		for _, e := range events {
			if t.catalog.Production(e) && d.failed == 0 && (e.Deployment.State == event.DeploymentRolledBack && e.Time >= d.at || e.Deployment.State == event.DeploymentFailure && e.Time > d.at) {
				d.failed = e.Time
			}
		}
		t.services[d.service] = append(t.services[d.service], d)
	}
	for _, list := range t.services {
		slices.SortFunc(list, func(a, b *oracleRelease) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) })
		for i, r := range list {
			r.place = i
		}
	}
}

// leftOut is a deployment that is in no population.
func (t *oracleTeam) leftOut(metric string, d *oracleRelease) {
	team := t.catalog.Home(d.events[0])
	production := slices.ContainsFunc(d.events, func(e event.Event) bool { return t.catalog.Production(e) })
	for _, good := range []bool{true, false} {
		for _, e := range d.events {
			state := e.Deployment.State
			bad := state == event.DeploymentFailure || state == event.DeploymentCancelled || state == event.DeploymentRolledBack
			if t.catalog.Production(e) == production && (good && state == event.DeploymentSuccess || !good && bad) {
				reason := "never_succeeded"
				if !production {
					reason = "not_production"
				}
				t.excluded(metric, team, d.service, e.Time, reason)
				return
			}
		}
	}
}

// reposOf are those that a service may come from.
func (t *oracleTeam) reposOf(service string) (repos []*oracleRepo) {
	for _, repo := range t.repos {
		for name := range repo.names {
			if slices.Contains(t.catalog.Touched(name, nil, 0), service) || slices.ContainsFunc(t.services[service], func(r *oracleRelease) bool { return strings.EqualFold(r.repo, name) }) {
				repos = append(repos, repo)
				break
			}
		}
	}
	if len(repos) > 0 {
		return repos
	}
	for _, repo := range t.repos {
		for _, r := range t.services[service] {
			if slices.ContainsFunc(r.revisions, func(sha string) bool {
				return repo.heads[sha] || slices.ContainsFunc(repo.steps, func(s oracleStep) bool { return s.sha == sha })
			}) {
				repos = append(repos, repo)
				break
			}
		}
	}
	return repos
}

// ship gives each change to the first release whose commit lies behind it.
func (t *oracleTeam) ship() {
	for service, list := range t.services {
		repos := t.reposOf(service)
		reached := map[*oracleRepo]int{}
		for _, r := range list {
			known := false
			for _, repo := range repos {
				for i, s := range repo.steps {
					if slices.Contains(r.revisions, s.sha) {
						known = true
						if s.at <= r.at {
							r.exact[repo] = i + 1
						}
					}
				}
				known = known || slices.ContainsFunc(r.revisions, func(sha string) bool { return repo.heads[sha] })
			}
			r.unknown = !known
			for _, repo := range repos {
				to := r.exact[repo]
				if mine := repo.names[strings.ToLower(r.repo)]; len(r.exact) == 0 && (mine || !slices.ContainsFunc(repos, func(o *oracleRepo) bool { return o.names[strings.ToLower(r.repo)] })) {
					begun := r.at
					if r.begun != 0 {
						begun = min(begun, r.begun)
					}
					for to < len(repo.steps) && repo.steps[to].at <= begun {
						to++
					}
				}
				for _, c := range repo.changes {
					if reached[repo] <= c.step && c.step < to && (c.gone == 0 || c.gone > r.at) && t.touches(repo, c, service) {
						r.has = append(r.has, oracleShipped{repo, c})
					}
				}
				reached[repo] = max(reached[repo], to)
			}
		}
	}
}

func (t *oracleTeam) touches(repo *oracleRepo, c *oracleChange, service string) bool {
	if c.push == nil || len(c.push.Push.Commits) == 0 {
		return true
	}
	name := c.push.Scope.Repository
	if !slices.Contains(t.catalog.Touched(name, nil, 0), service) {
		return true
	}
	var paths []string
	for _, commit := range c.push.Push.Commits {
		paths = append(paths, commit.Paths...)
	}
	if !slices.Contains(t.catalog.Touched(name, paths, 0), service) {
		return false
	}
	return c.pull != nil || len(c.commit.Paths) == 0 || slices.Contains(t.catalog.Touched(name, c.commit.Paths, 0), service)
}

// fail finds what failed.
func (t *oracleTeam) fail() {
	for _, list := range t.services {
		for i, r := range list {
			for j := i - 1; j >= 0; j-- {
				before := list[j]
				if before.env != r.env {
					continue
				}
				older, newer := false, false
				for repo, at := range r.exact {
					if was, ok := before.exact[repo]; ok {
						older, newer = older || at < was, newer || at > was
					}
				}
				if older && !newer && (before.failed == 0 || r.at < before.failed) {
					before.failed = r.at
				}
				break
			}
		}
		for _, r := range list {
			for _, q := range list {
				r.signal = max(r.signal, q.failed)
			}
		}
	}
	for _, i := range t.incidents() {
		own := t.services[i.service]
		for _, r := range own {
			r.signal = max(r.signal, i.created)
		}
		r := t.chargedTo(i, own)
		if r == nil {
			continue
		}
		r.incidents = append(r.incidents, i)
		for _, q := range t.services[r.service] {
			q.signal = max(q.signal, i.created)
		}
	}
}

func (t *oracleTeam) chargedTo(i *oracleIncident, own []*oracleRelease) *oracleRelease {
	var named []*oracleRelease
	for _, list := range t.services {
		for _, r := range list {
			if slices.Contains(i.causedBy, r.key) || slices.ContainsFunc(r.revisions, func(sha string) bool { return slices.Contains(i.causedBy, sha) }) {
				named = append(named, r)
			}
		}
	}
	if len(named) > 0 { // one's own first, then before the incident, the nearest
		return slices.MinFunc(named, func(a, b *oracleRelease) int {
			rank := func(r *oracleRelease) (n int) {
				if r.service != i.service {
					n += 2
				}
				if r.at > i.created {
					n++
				}
				return n
			}
			distance := func(r *oracleRelease) timeline.Millis { return max(r.at-i.created, i.created-r.at) }
			return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(distance(a), distance(b)), cmp.Compare(a.service, b.service), cmp.Compare(a.id, b.id))
		})
	}
	for j := len(own) - 1; j >= 0; j-- {
		if own[j].at <= i.created {
			if i.created-own[j].at <= t.catalog.LinkWindow() {
				return own[j]
			}
			return nil
		}
	}
	return nil
}

func (t *oracleTeam) incidents() (all []*oracleIncident) {
	of := map[event.EntityID][]event.Event{}
	for _, e := range t.events {
		if e.Issue != nil && e.Kind != event.IssueCommented {
			of[e.Entity] = append(of[e.Entity], e)
		}
	}
	for _, events := range of {
		if i := incidentOf(t.catalog, events, t.order); i != nil && i.service+strings.Join(i.causedBy, "") != "" {
			all = append(all, i)
		}
	}
	return all
}

// incidentOf is what an issue's events say of it as an incident, nil where it is none.
func incidentOf(c *catalog.Catalog, events []event.Event, order map[event.ID]int) *oracleIncident {
	slices.SortFunc(events, func(a, b event.Event) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(order[a.ID], order[b.ID]))
	})
	i := &oracleIncident{}
	now := event.Issue{}
	isOver := false
	for _, e := range events {
		if e.Kind == event.IssueDeleted {
			return nil
		}
		now.Type = cmp.Or(e.Issue.Type, now.Type)
		now.Labels = e.Issue.Labels
		i.created = e.Issue.Created
		i.service = cmp.Or(c.Service(e), i.service)
		i.causedBy = append(i.causedBy, e.Issue.CausedBy...)
		if e.Kind == event.IssueUpdated {
			continue
		}
		over := c.Over(e.Issue.Current)
		if over && !isOver {
			i.over = e.Time
		}
		if isOver = over; !over {
			i.over = 0
		}
	}
	if !c.Incident(&now) {
		return nil
	}
	return i
}

// tell makes the points.
func (t *oracleTeam) tell() {
	for _, e := range t.events {
		if e.Kind == event.PullRequestMerged && e.PullRequest.IntoMain && t.home[e.ID] && t.catalog.Person(e.PullRequest.Author).Bot {
			t.excluded("pr_deploy_time", t.team, "", e.Time, "bot")
		}
	}
	for service, list := range t.services {
		for _, r := range list {
			t.tellPulls(r)
			if !r.home {
				continue
			}
			team := t.catalog.Home(r.events[0])
			switch {
			case r.unlinked:
				t.excluded("lead_time", team, service, r.at, "unlinked")
			case r.unknown:
				t.excluded("lead_time", team, service, r.at, "unknown_commit")
			}
			for _, s := range r.has {
				if r.unlinked || r.unknown && r.place > 0 {
					break
				}
				first, basis := t.begin(s.change)
				var bot bool
				if s.change.pull != nil {
					bot = t.catalog.Person(s.change.pull.PullRequest.Author).Bot
				} else {
					bot = t.catalog.Person(s.change.commit.Author).Bot
				}
				switch {
				case r.place == 0:
					t.excluded("lead_time", team, service, r.at, "no_baseline")
				case bot:
					t.excluded("lead_time", team, service, r.at, "bot")
				case first > r.at:
					t.excluded("lead_time", team, service, r.at, "anomaly")
				default:
					t.known("lead_time", team, service, r.at, int64(r.at-first), basis)
				}
			}
			t.tellFailure(team, service, r)
		}
	}
}

func (t *oracleTeam) tellFailure(team, service string, r *oracleRelease) {
	failed := r.failed != 0 || len(r.incidents) > 0
	switch {
	case r.unlinked:
		t.excluded("change_failure_rate", team, service, r.at, "unlinked")
		return
	case r.signal == 0 && !t.catalog.HasIncidents(service):
		t.excluded("change_failure_rate", team, service, r.at, "no_incident_source")
		return
	}
	t.value("change_failure_rate", team, service, r.at, 1)
	if !failed {
		return
	}
	for _, p := range t.in("change_failure_rate", team, service, r.at) {
		p.hits++
	}
	var end timeline.Millis
	for _, i := range r.incidents {
		if i.over == 0 {
			return
		}
		end = max(end, i.over)
	}
	if len(r.incidents) == 0 {
		for _, next := range t.services[service][r.place+1:] {
			if next.env == r.env {
				end = next.at
				break
			}
		}
		for _, e := range r.events {
			if t.catalog.Production(e) && e.Deployment.State == event.DeploymentSuccess && e.Time > r.failed && e.Time > r.at && (end == 0 || e.Time < end) {
				end = e.Time
			}
		}
		if end == 0 {
			return
		}
	}
	if end < r.at {
		t.excluded("failed_deployment_recovery_time", team, service, end, "anomaly")
		return
	}
	t.value("failed_deployment_recovery_time", team, service, end, int64(end-r.at))
}

// tellPulls tells of the pull requests of the team that a release is the first to have.
func (t *oracleTeam) tellPulls(r *oracleRelease) {
	switch {
	case r.unlinked:
		t.excluded("pr_deploy_time", t.team, "", r.at, "unlinked")
		return
	case r.unknown:
		t.excluded("pr_deploy_time", t.team, "", r.at, "unknown_commit")
		if r.place > 0 {
			return
		}
	}
	for _, s := range r.has {
		p := s.change.pull
		if p == nil || t.catalog.Home(*p) != t.team || t.catalog.Person(p.PullRequest.Author).Bot {
			continue
		}
		first := true
		for _, list := range t.services {
			for _, q := range list {
				if q == r || q.unlinked || q.unknown && q.place > 0 || !slices.Contains(q.has, s) {
					continue
				}
				first = first && cmp.Or(cmp.Compare(r.at, q.at), cmp.Compare(r.id, q.id)) < 0
			}
		}
		switch {
		case !first:
		case r.place == 0:
			t.excluded("pr_deploy_time", t.team, "", r.at, "no_baseline")
		case p.Time > r.at:
			t.excluded("pr_deploy_time", t.team, "", r.at, "anomaly")
		default:
			t.value("pr_deploy_time", t.team, "", r.at, int64(r.at-p.Time))
		}
	}
}

// begin is when a change was begun. Of a pull request it is what coding time
// begins with.
func (t *oracleTeam) begin(c *oracleChange) (timeline.Millis, string) {
	if c.pull == nil {
		return c.commit.Authored, "measured"
	}
	p := &oraclePull{oracle: &oracle{catalog: t.catalog, events: t.events}, events: []event.Event{*c.pull}, opened: c.pull, merged: c.pull}
	p.opened = &event.Event{Time: c.pull.PullRequest.Created, Entity: c.pull.Entity, PullRequest: c.pull.PullRequest}
	if first, ok := p.firstCommit(); ok {
		return first, "measured"
	}
	if created := c.pull.PullRequest.Created; created != 0 {
		return created, "from_open"
	}
	return c.pull.Time, "from_merge"
}
