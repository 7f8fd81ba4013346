package metrics

import (
	"cmp"
	"slices"
	"strings"

	"meridian/streaming/timeline"
)

// Most of what is heard of deployments changes little: one begins, one succeeds as
// the latest of its service, one is told of again. That is put in its place here,
// at the price of the deployment; for whatever else services are listed anew, at
// the price of all that they have deployed.

// releasedAs is what the order and the failures of a service were made of.
type releasedAs struct {
	service     string
	repository  string
	environment string
	failed      timeline.Millis
}

func (f *DeploymentFold) releasedAs(at timeline.Millis) releasedAs {
	return releasedAs{f.Service.Value, f.Repository.Value, f.Environment.Value, f.failedAfter(at)}
}

func (x *deliveryIndex) newRelease(d *lineDeployment, s *deliveredService, at timeline.Millis) *release {
	return &release{lineDeployment: d, service: s, at: at, unlinked: d.Fold.unlinked(x.catalog), was: d.Fold.releasedAs(at)}
}

// follow takes in the deployments that have changed, or says that services have to
// be listed anew. It returns those that are the latest of their service now.
func (x *deliveryIndex) follow() (latest []*release) {
	for _, d := range x.deployed {
		if x.stale {
			break
		}
		at, ok := d.Fold.succeeded()
		switch r := x.releases[string(d.ID)]; {
		case r != nil && (!ok || !x.same(r, at)), r == nil && ok && !x.isLatest(d, at):
			x.stale = true
		case r != nil:
			x.failing = x.failing || r.failure.failed || x.linked() // a success more may be the end of a failure
		case ok:
			latest = append(latest, x.append(d, at))
		default:
			x.leave(d)
		}
	}
	x.deployed = emptied(x.deployed)
	if x.stale {
		return nil
	}
	return latest
}

// same reports whether a release that was told of again is what it was.
func (x *deliveryIndex) same(r *release, at timeline.Millis) bool {
	return r.at == at && r.Fold.releasedAs(at) == r.was && r.Fold.unlinked(x.catalog) == r.unlinked
}

// linked reports whether incidents name what has caused them: by an id, an address
// or a commit, which any deployment may have got now.
func (x *deliveryIndex) linked() bool {
	return slices.ContainsFunc(x.incidents, func(i *lineIssue) bool { return len(i.Fold.CausedBy) > 0 })
}

// leave notes a deployment that is no release.
func (x *deliveryIndex) leave(d *lineDeployment) {
	part := string(d.ID)
	_, told := d.Fold.frequency()
	if _, known := slices.BinarySearchFunc(x.line.Known, part, hashes.compare); told || known {
		x.left[part] = d
		x.untold = append(x.untold, part)
	} else {
		delete(x.left, part)
	}
}

func (x *deliveryIndex) service(name string) *deliveredService {
	i, found := slices.BinarySearchFunc(x.services, name, func(s *deliveredService, name string) int { return strings.Compare(s.name, name) })
	if !found {
		return nil
	}
	return x.services[i]
}

// isLatest reports whether a deployment is a new release, behind all of its service,
// of a repository that the service is known to come from.
func (x *deliveryIndex) isLatest(d *lineDeployment, at timeline.Millis) bool {
	s := x.service(d.Fold.Service.Value)
	if s == nil || s.searched {
		return false
	}
	last := s.releases[len(s.releases)-1]
	if cmp.Or(cmp.Compare(last.at, at), cmp.Compare(last.ID, d.ID)) >= 0 {
		return false
	}
	if name := strings.ToLower(d.Fold.Repository.Value); name != "" {
		if _, found := slices.BinarySearch(s.named, name); !found {
			return false
		}
	}
	for _, o := range x.orders { // the catalog may say other things by now
		if x.deploys(s, o, at) != slices.Contains(s.orders, o) {
			return false
		}
	}
	return true
}

// append makes a deployment the latest release of its service.
func (x *deliveryIndex) append(d *lineDeployment, at timeline.Millis) *release {
	s := x.service(d.Fold.Service.Value)
	r := x.newRelease(d, s, at)
	r.place = len(s.releases)
	s.releases = append(s.releases, r)
	x.releases[string(d.ID)] = r
	delete(x.left, string(d.ID))
	r.failure.source = s.tells(r, x.catalog.HasIncidents(s.name))
	x.failing = x.failing || r.was.failed != 0 || s.failing > at || x.linked() ||
		slices.ContainsFunc(x.line.Rollbacks, func(b rollback) bool { return b.Service == s.name && b.At > at }) ||
		slices.ContainsFunc(x.incidents, func(i *lineIssue) bool { return i.Fold.Service.Value == s.name && i.Fold.Created >= at })
	return r
}
