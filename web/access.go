package web

import (
	"net/http"
	"strings"
)

// Access says who may have an answer. What is not in the table of routes is
// nobody's; docs/access.md is printed from it, and a test asks for each route as
// everybody who could.
type Access uint8

// Who may have an answer.
const (
	Open       Access = iota + 1 // anybody
	SignIn                       // anybody, with a session to sign in or out
	ForViewers                   // who may see a team; the guard holds them to their teams
	ForPeople                    // who may look at evidence of person metrics
	ForAdmins                    // who runs the instance
	ForRaw                       // the same, and not who may only look: bodies of deliveries
)

// needs is the role that a route asks for; 0: none.
func (a Access) needs() Role {
	switch a {
	case ForViewers:
		return Viewer
	case ForPeople:
		return People
	case ForAdmins, ForRaw:
		return Admin
	}
	return 0
}

// changes reports whether a route does something, which who may only look may
// not: a demo, in which everybody looks around, and the token of dashboards.
func (rt *route) changes() bool { return rt.Method != http.MethodGet && rt.Access != SignIn }

// programs reports whether a route answers to a bearer token. Pages do not: a
// token that leaks from a script must not open what only people read.
func (rt *route) programs() bool {
	return strings.HasPrefix(rt.Pattern, "/api/") || rt.Pattern == "/openapi.json" || rt.Pattern == "/metrics" || rt.embedded()
}

// embedded reports whether a route is for programs that send no header: images of
// a README, readers of feeds. Their token stands in the address, where logs and
// caches see it, so it is taken for these alone.
func (rt *route) embedded() bool {
	return strings.HasSuffix(rt.Pattern, "/badge.svg") || strings.HasSuffix(rt.Pattern, "/feed.atom")
}

// permits is the whole of the matrix.
func (rt *route) permits(r *Reader) bool {
	switch {
	case rt.Access == Open, rt.Access == SignIn:
		return true
	case rt.Access.needs() == 0:
		return false // not in the list above
	}
	return r.May(rt.Access.needs()) && !(r.Looks && (rt.changes() || rt.Access == ForRaw))
}

// admit lets a request through to its handler if its reader may have the answer.
func (s *Server) admit(rt route) http.Handler {
	h := s.answer(rt.handle)
	if rt.Access == Open {
		return h
	}
	return s.withSession(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token := r.URL.Query().Get("token"); rt.embedded() && token != "" && r.Header.Get("Authorization") == "" {
			r = r.Clone(r.Context())
			r.Header.Set("Authorization", "Bearer "+token)
		}
		reader := s.identify(r, rt.programs())
		if reader == nil {
			reader = &Reader{}
		}
		r = r.WithContext(withReader(r.Context(), reader))
		switch {
		case rt.permits(reader):
			if err := s.audited(&rt, reader, r); err != nil {
				s.fail(w, r, err)
				return
			}
			h(w, r)
		case reader.ID == "" && wantsPage(r):
			s.answer(s.askToSignIn)(w, r)
		case reader.ID == "":
			detail := "Sign in first."
			if rt.programs() {
				detail = "Send an API token as `Authorization: Bearer TOKEN`, or sign in. One's own tokens are made at /tokens, or with `meridian token create`."
			}
			s.fail(w, r, &Error{Status: http.StatusUnauthorized, Title: "Not signed in", Detail: detail})
		default:
			s.fail(w, r, refusal(&rt, reader))
		}
	}))
}

// refusal says what a reader who was recognised lacks.
func refusal(rt *route, r *Reader) *Error {
	e := &Error{Status: http.StatusForbidden, Title: "Not for you to see"}
	switch need := rt.Access.needs(); {
	case r.Roles == 0:
		e.Title = "Signed in, and nothing to see"
		e.Detail = "You are signed in as " + r.Name + ", but nothing in this server's configuration (auth.groups) gives you a role. Ask whoever runs it."
	case !r.May(need):
		e.Detail = "This is for those with the role " + need.String() + "; yours: " + r.Roles.String() + ". Ask whoever runs this server."
	default:
		e.Title, e.Detail = "Only to look at", "Things are done by whoever signed in to do them, or with the commands on the server's machine."
	}
	return e
}

// owner is who sits at the machine: whoever followed the link on its console, or
// came over the admin socket, which only they can open.
func owner() *Reader {
	return &Reader{ID: "owner", Name: "the owner", Roles: Viewer | People | Admin, Every: true}
}

// Owner is who sits at the machine, for what a command asks on their behalf.
func Owner() *Reader { return owner() }

// identify returns who sent a request, or nil. program says that a bearer token
// counts.
func (s *Server) identify(r *http.Request, program bool) *Reader {
	if s.config.Trusted != nil && s.config.Trusted(r) {
		return owner()
	}
	if program {
		if reader := s.ofBearer(r); reader != nil {
			return reader
		}
	}
	switch s.config.Mode {
	case ModeNone:
		return &Reader{ID: "demo", Name: "a visitor", Roles: Viewer | Admin, Every: true, Looks: true}
	case ModeProxy:
		return s.ofProxy(r)
	}
	return s.ofSession(r)
}
