package catalog

import (
	"cmp"
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// Survey collects what events tell of an organisation: the repositories,
// projects, services and environments that exist, who works in them, and what
// offsets their clocks show. A draft of a catalog is made of it. It keeps counts
// and names, and no event. The zero Survey is ready.
type Survey struct {
	repositories map[string]*sighting
	projects     map[string]*sighting
	services     map[string]*seenService
	environments map[string]*sighting
	incidents    map[string]*sighting // types of issues that are called so
	accounts     map[string]*seenAccount
	events       int64
}

// sighting is how often something was seen, and when last.
type sighting struct {
	n    int64
	last timeline.Millis
}

type seenService struct {
	sighting
	repositories map[string]int64
}

// seenAccount is one account of a system.
type seenAccount struct {
	provider, name string // as the catalog lists it; name is "" of an address alone
	email          string // its HMAC, "" where no payload told it
	bot            bool
	acts           int64
	places         map[string]int64 // acts by repository or project
	offsets        map[clockShown]*shown
	profile        map[string]int64 // zones of profiles
}

// clockShown is an offset in one week: enough to tell summer from winter.
type clockShown struct {
	offset int16
	week   int64
}

type shown struct {
	n  int64
	at timeline.Millis
}

const week = 7 * timeline.Day

func see(m *map[string]*sighting, name string, at timeline.Millis) {
	if name == "" {
		return
	}
	if *m == nil {
		*m = map[string]*sighting{}
	}
	s := (*m)[name]
	if s == nil {
		s = &sighting{}
		(*m)[name] = s
	}
	s.n++
	s.last = max(s.last, at)
}

// Add takes one event. Events may come in any order.
func (s *Survey) Add(e *event.Event) {
	if e.Defect != "" {
		return
	}
	s.events++
	see(&s.repositories, e.Scope.Repository, e.Time)
	see(&s.projects, e.Scope.Project, e.Time)
	place := cmp.Or(e.Scope.Repository, e.Scope.Project)
	if d := e.Deployment; d != nil && !d.OnlyIfNamed {
		see(&s.environments, e.Scope.Environment, e.Time)
		s.service(cmp.Or(e.Scope.Service, d.OriginalService), e.Scope.Repository, e.Time)
	}
	if e.Issue != nil && incidentWord(e.Issue.Type) {
		see(&s.incidents, e.Issue.Type, e.Time)
	}
	s.account(e.Actor, e.Local, place, e.Time)
	if e.Push != nil {
		for i := range e.Push.Commits {
			c := &e.Push.Commits[i]
			if !c.Elsewhere {
				s.account(c.Author, c.Local, place, c.Authored)
			}
		}
	}
}

func incidentWord(kind string) bool {
	kind = strings.ToLower(kind)
	return strings.Contains(kind, "incident") || strings.Contains(kind, "outage")
}

func (s *Survey) service(name, repository string, at timeline.Millis) {
	if name == "" {
		return
	}
	if s.services == nil {
		s.services = map[string]*seenService{}
	}
	x := s.services[name]
	if x == nil {
		x = &seenService{repositories: map[string]int64{}}
		s.services[name] = x
	}
	x.n++
	x.last = max(x.last, at)
	if repository != "" {
		x.repositories[repository]++
	}
}

func (s *Survey) account(a event.Account, local event.LocalEvidence, place string, at timeline.Millis) {
	provider, name := a.Provider, cmp.Or(a.Login, a.Key)
	switch {
	case a.IsZero() || a.Deleted:
		return
	case isGitHub(a):
		provider, name = "github", a.Login
	case a.Provider == "jira":
		name = cmp.Or(a.Key, a.Login)
	}
	key := accountKey(provider, name)
	if key == "" {
		key = accountKey("email", a.Email)
	}
	if key == "" {
		return
	}
	if s.accounts == nil {
		s.accounts = map[string]*seenAccount{}
	}
	x := s.accounts[key]
	if x == nil {
		x = &seenAccount{provider: provider, name: name, places: map[string]int64{}, offsets: map[clockShown]*shown{}, profile: map[string]int64{}}
		s.accounts[key] = x
	}
	x.email = cmp.Or(a.Email, x.email)
	x.bot = x.bot || a.Bot
	x.acts++
	if place != "" {
		x.places[place]++
	}
	if local.HasOffset {
		k := clockShown{local.Offset, int64(at / week)}
		o := x.offsets[k]
		if o == nil {
			o = &shown{at: at}
			x.offsets[k] = o
		}
		o.n++
		o.at = min(o.at, at) // the same, whatever the order
	}
	if local.Profile != "" {
		x.profile[local.Profile]++
	}
}

// Events is how many events it was given.
func (s *Survey) Events() int64 { return s.events }

// Seen is what there is, for [Diff].
func (s *Survey) Seen() Seen {
	var seen Seen
	for name := range s.repositories {
		seen.Repositories = append(seen.Repositories, name)
	}
	for name := range s.projects {
		seen.Projects = append(seen.Projects, name)
	}
	for name, x := range s.services {
		if len(x.repositories) == 0 { // else it goes where the repository goes
			seen.Services = append(seen.Services, name)
		}
	}
	slices.Sort(seen.Repositories)
	slices.Sort(seen.Projects)
	slices.Sort(seen.Services)
	return seen
}

// most is the name with the highest count, the first in order of several.
func most(counts map[string]int64) (name string, n int64) {
	for k, v := range counts {
		if v > n || v == n && k < name {
			name, n = k, v
		}
	}
	return name, n
}
