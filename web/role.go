package web

import (
	"context"
	"fmt"
	"strings"

	"meridian/ingest/event"
)

// Role is something that a reader may do; Roles are several of them. None
// implies another: who runs the instance need not look at people, and who may
// look at people need not run it. Every reader is a viewer.
type (
	Role  uint8
	Roles = Role
)

// Roles.
const (
	Viewer Role = 1 << iota // numbers and items of the teams that the reader may see
	People                  // evidence of person metrics, as counts by day; each look is in the audit log
	Admin                   // sources, replays, jobs, quarantine with its bodies, the audit log
)

// AllRoles are all of them, in the order in which they are written.
var AllRoles = []Role{Viewer, People, Admin}

var roleNames = map[Role]string{Viewer: "viewer", People: "people", Admin: "admin"}

// String lists the roles: "viewer, admin".
func (r Role) String() string {
	var names []string
	for _, one := range AllRoles {
		if r&one != 0 {
			names = append(names, roleNames[one])
		}
	}
	return strings.Join(names, ", ")
}

// RoleNamed returns the role of a name, and whether there is one.
func RoleNamed(name string) (Role, bool) {
	for role, known := range roleNames {
		if known == name {
			return role, true
		}
	}
	return 0, false
}

// Reader is who asks, and what they may have. Handlers get theirs from
// ReaderOf; the guard asks it by itself, so that a handler that forgets to
// cannot show a team that its reader may not see.
type Reader struct {
	ID     string // what the audit log and tokens know them by: owner, oidc:<issuer>#<subject>, proxy:<name>, token:<id>
	Name   string // what pages call them
	Roles  Roles
	Every  bool           // every team, also those to come
	Teams  []string       // else these: names, with * for any part but a slash
	Person event.PersonID // themself, where the catalog knows them; zero: nobody
	Looks  bool           // may only look: whatever the role, nothing is changed on their behalf

	within *Reader // of a token: its owner, whose teams bound its own
}

// May reports whether the reader has a role.
func (r *Reader) May(role Role) bool { return r != nil && r.Roles&role == role && role != 0 }

// Allows reports whether the reader may see a team's numbers and items.
func (r *Reader) Allows(team string) bool {
	return r.May(Viewer) && (r.Every || matchesTeam(r.Teams, team)) && (r.within == nil || r.within.Allows(team))
}

// AllowsAll reports whether they may see every team that there is, and will be.
func (r *Reader) AllowsAll() bool {
	return r.May(Viewer) && r.Every && (r.within == nil || r.within.AllowsAll())
}

// allowsRow is Allows of a row that may belong to no team.
func (r *Reader) allowsRow(team string) bool {
	return team == "" && r.AllowsAll() || team != "" && r.Allows(team)
}

// teams names what the reader may see, for keys of what is kept of answers.
func (r *Reader) teams() string {
	if r.AllowsAll() {
		return "*"
	}
	text := fmt.Sprintf("%v %q", r.Every, r.Teams)
	if r.within != nil {
		text += " within " + r.within.teams()
	}
	return text
}

// AllowsEach reports whether they may see all of several: a group, the organisation.
func (r *Reader) AllowsEach(teams []string) bool {
	for _, t := range teams {
		if !r.Allows(t) {
			return false
		}
	}
	return r.May(Viewer)
}

type readerKey struct{}

// ReaderOf returns who asks. It is never nil: on the way of a request that
// nobody was recognised in it is somebody who may do nothing.
func ReaderOf(ctx context.Context) *Reader {
	if r, _ := ctx.Value(readerKey{}).(*Reader); r != nil {
		return r
	}
	return &Reader{}
}

func withReader(ctx context.Context, r *Reader) context.Context {
	return context.WithValue(ctx, readerKey{}, r)
}
