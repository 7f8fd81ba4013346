package metrics

import (
	"slices"
	"strings"

	"meridian/streaming/timeline"
)

// failure is what became of a release that failed.
type failure struct {
	failed    bool
	told      timeline.Millis // when it was said to have failed, or was replaced by an ancestor; 0: only incidents say so
	incidents []*lineIssue    // charged to it, by ID
	end       timeline.Millis // when it was over; 0: it is not
	source    bool            // its service has a signal of failure, so that not failing says something
}

// signalLife is how long a signal of failure speaks for deployments after it: as
// long as its own deployment could be revised. Those before it it always speaks
// for, as long as they can.
const signalLife = DefaultHorizon

// updateFailures finds which releases have failed, and until when.
func (x *deliveryIndex) updateFailures() {
	for _, s := range x.services {
		s.failing, s.signal = 0, 0
		for _, r := range s.releases {
			r.failure = failure{}
			if at := r.Fold.failedAfter(r.at); at != 0 {
				r.failed(at)
			}
			if was := r.replaced(); was != nil && r.isAncestorOf(was) {
				was.failed(r.at)
			}
		}
		for _, b := range x.line.Rollbacks {
			if b.Service == s.name {
				if r := s.latest(b.At-1, b.Environment); r != nil {
					r.failed(b.At)
				}
			}
		}
		for _, g := range x.line.Signals {
			if g.Service == s.name {
				s.signal = max(s.signal, g.At)
			}
		}
	}
	x.incidents = x.incidents[:0]
	for _, i := range x.line.Issues {
		if i.Fold.isIncident(x.catalog) && i.Fold.Created != 0 {
			x.incidents = append(x.incidents, i)
			x.charge(i)
		}
	}
	for _, s := range x.services {
		configured := x.catalog.HasIncidents(s.name)
		for _, r := range s.releases {
			r.failure.source = s.tells(r, configured)
			if !r.failure.failed {
				continue
			}
			r.failure.end = x.endOf(r)
			switch {
			case len(r.failure.incidents) > 0: // they end it
			case r.failure.end == 0:
				s.failing = never
			default:
				s.failing = max(s.failing, r.failure.end)
			}
		}
	}
}

// tells reports whether a failure of a release would be heard of.
func (s *deliveredService) tells(r *release, configured bool) bool {
	return configured || s.signal != 0 && s.signal >= r.at-signalLife
}

func (r *release) failed(at timeline.Millis) {
	r.failure.failed = true
	earliest(&r.failure.told, at)
	r.service.signal = max(r.service.signal, at)
}

// sameEnvironment reports whether two environments of production may be one:
// deploying to the second region what the first has left behind rolls nothing back.
func sameEnvironment(a, b string) bool { return a == "" || b == "" || strings.EqualFold(a, b) }

// replaced is the release that this one replaces.
func (r *release) replaced() *release {
	for i := r.place - 1; i >= 0; i-- {
		if was := r.service.releases[i]; sameEnvironment(was.Fold.Environment.Value, r.Fold.Environment.Value) {
			return was
		}
	}
	return nil
}

// latest is a service's last release at or before an instant.
func (s *deliveredService) latest(at timeline.Millis, environment string) *release {
	for i := len(s.releases) - 1; i >= 0; i-- {
		if r := s.releases[i]; r.at <= at && sameEnvironment(r.Fold.Environment.Value, environment) {
			return r
		}
	}
	return nil
}

// isAncestorOf reports whether a release brings back what was before another, in
// the order of the default branch.
func (r *release) isAncestorOf(was *release) bool {
	older := false
	for i := range r.exact {
		switch {
		case r.exact[i] < 0 || was.exact[i] < 0:
		case r.exact[i] > was.exact[i]:
			return false
		case r.exact[i] < was.exact[i]:
			older = true
		}
	}
	return older
}

// charge finds the release that an incident is charged to: the one that it names,
// else the latest of its service at or before its start, within the link window.
func (x *deliveryIndex) charge(i *lineIssue) {
	at := i.Fold.Created
	var service *deliveredService
	if n, found := slices.BinarySearchFunc(x.services, i.Fold.Service.Value, func(s *deliveredService, name string) int {
		return strings.Compare(s.name, name)
	}); found {
		service = x.services[n]
		service.signal = max(service.signal, at)
	}
	r := x.named(i, service)
	if r == nil && service != nil {
		if r = service.latest(at, ""); r != nil && at-r.at > x.catalog.LinkWindow() {
			r = nil
		}
	}
	if r == nil {
		return
	}
	r.service.signal = max(r.service.signal, at)
	r.failure.failed = true
	r.failure.incidents = append(r.failure.incidents, i)
}

// named is the release that an incident names: by its id or address, by a commit
// that it deployed. One of the incident's own service comes first, and of several
// the latest before the incident.
func (x *deliveryIndex) named(i *lineIssue, own *deliveredService) (named *release) {
	for _, link := range i.Fold.CausedBy {
		for _, s := range x.services {
			for _, r := range s.releases {
				if !r.isCalled(link) {
					continue
				}
				better := named == nil
				if !better && (s == own) != (named.service == own) {
					better = s == own
				} else if !better {
					better = named.at > i.Fold.Created && r.at < named.at || r.at <= i.Fold.Created && r.at > named.at
				}
				if better {
					named = r
				}
			}
		}
	}
	return named
}

func (r *release) isCalled(link string) bool {
	if link == r.Fold.Key || link == string(r.ID) || link == r.Fold.URL.Value {
		return true
	}
	return slices.ContainsFunc(r.Fold.Revisions.Texts, func(revision string) bool {
		return strings.EqualFold(revision, link) || len(link) >= shownDigits && strings.HasPrefix(strings.ToLower(revision), strings.ToLower(link))
	})
}

// endOf returns when a failure was over, 0 where it is not: when all incidents
// are, else at the next success.
func (x *deliveryIndex) endOf(r *release) (end timeline.Millis) {
	if len(r.failure.incidents) > 0 {
		for _, i := range r.failure.incidents {
			over, ok := i.Fold.over(x.catalog)
			if !ok {
				return 0
			}
			end = max(end, over)
		}
		return end
	}
	for _, next := range r.service.releases[r.place+1:] {
		if sameEnvironment(next.Fold.Environment.Value, r.Fold.Environment.Value) {
			end = next.at
			break
		}
	}
	return soonest(end, r.Fold.succeededAgain(max(r.at, r.failure.told)))
}

// reported is when the first incident of a failure was created, 0 without one.
func (f *failure) reported() (at timeline.Millis) {
	for _, i := range f.incidents {
		earliest(&at, i.Fold.Created)
	}
	return at
}

func (f *failure) hash(word func(...int64), text func(string)) {
	word(truth(f.failed), truth(f.source), int64(f.end), int64(len(f.incidents)))
	for _, i := range f.incidents {
		text(string(i.ID))
		text(i.Fold.Key.Value)
		word(int64(i.Fold.Created))
	}
}

// trim forgets what can change no later observation. It asks neither the catalog
// nor the index, which not every process has.
//
// What is kept longer than can be revised: of each service and environment the
// last release before, for what it has shipped; of branches a month before the
// oldest of those, for its commit; issues twice as long, and those that are open
// for as long as open things are kept, for what they say of later deployments.
func (l *DeliveryLine) trim(before timeline.Millis) (gone int64) {
	oldest := before - (openLife - DefaultHorizon)
	deployments := before - trimSlack
	issues := len(l.Issues)
	l.Issues = slices.DeleteFunc(l.Issues, func(i *lineIssue) bool {
		last, open := i.Fold.Life()
		if last >= before-DefaultHorizon || open && last >= oldest {
			if open && (len(i.Fold.CausedBy) > 0 || i.Fold.Service.Value != "") {
				deployments = min(deployments, max(oldest, i.Fold.Created-trimSlack))
			}
			return false
		}
		return true
	})
	gone += int64(issues - len(l.Issues))

	type place struct{ service, environment string }
	base := map[place]*lineDeployment{}
	for _, d := range l.Deployments {
		if at, ok := d.Fold.succeeded(); ok && at < deployments {
			p := place{d.Fold.Service.Value, d.Fold.Environment.Value}
			if was := base[p]; was == nil || was.Fold.before(&d.Fold) {
				base[p] = d
			}
		}
	}
	branches := before - trimSlack
	kept := len(l.Deployments)
	l.Deployments = slices.DeleteFunc(l.Deployments, func(d *lineDeployment) bool {
		at, ok := d.Fold.succeeded()
		if !ok {
			return d.Fold.Last < deployments
		}
		if at >= deployments {
			branches = min(branches, at-trimSlack)
			return false
		}
		if base[place{d.Fold.Service.Value, d.Fold.Environment.Value}] == d && d.Fold.Last >= oldest {
			if !d.Base {
				d.Base = true
				gone++ // nobody asks for it again
			}
			branches = min(branches, at-trimSlack)
			return false
		}
		if told := d.Fold.failedAfter(at); told != 0 {
			l.signalled(d.Fold.Service.Value, told)
		}
		return true
	})
	gone += int64(kept - len(l.Deployments))
	branches = max(branches, oldest)

	rollbacks := len(l.Rollbacks)
	l.Rollbacks = slices.DeleteFunc(l.Rollbacks, func(r rollback) bool {
		if r.At < deployments {
			l.signalled(r.Service, r.At)
			return true
		}
		return false
	})
	gone += int64(rollbacks - len(l.Rollbacks))
	signals := len(l.Signals)
	l.Signals = slices.DeleteFunc(l.Signals, func(s signal) bool { return s.At < before-signalLife })

	gone += int64(signals - len(l.Signals))
	for _, r := range l.Repositories {
		n := len(r.Pushes) + len(r.Merges) + len(r.Others)
		r.Pushes = slices.DeleteFunc(r.Pushes, func(p *linePush) bool { return p.At < branches })
		r.Merges = slices.DeleteFunc(r.Merges, func(m *lineMerge) bool { return max(m.Merged, m.Created) < branches })
		r.Others = slices.DeleteFunc(r.Others, func(o otherCommit) bool { return o.At < branches })
		gone += int64(n - len(r.Pushes) - len(r.Merges) - len(r.Others))
	}
	l.Repositories = slices.DeleteFunc(l.Repositories, func(r *lineRepository) bool {
		return len(r.Pushes)+len(r.Merges)+len(r.Others) == 0
	})
	return gone + l.Branches.trim(branches)
}

// trimSlack is how much more is kept than can be revised, so that what changes
// later still finds beside it what it found before.
const trimSlack = 31 * timeline.Day

func (l *DeliveryLine) signalled(service string, at timeline.Millis) {
	i, found := slices.BinarySearchFunc(l.Signals, service, func(s signal, name string) int { return strings.Compare(s.Service, name) })
	if !found {
		l.Signals = slices.Insert(l.Signals, i, signal{Service: service})
	}
	l.Signals[i].At = max(l.Signals[i].At, at)
}

// before reports whether f succeeded before g.
func (f *DeploymentFold) before(g *DeploymentFold) bool {
	a, _ := f.succeeded()
	b, _ := g.succeeded()
	return a < b || a == b && f.Key < g.Key
}

// Trim implements Line.
func (l *DeliveryLine) Trim(before timeline.Millis) (gone int64) {
	if gone = l.trim(before); gone > 0 {
		l.index = nil
		parts := l.parts()
		l.Known = slices.DeleteFunc(l.Known, func(h hashes) bool {
			_, there := slices.BinarySearch(parts, h.Part)
			return !there
		})
	}
	return gone
}
