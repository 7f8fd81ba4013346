package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"meridian/cmd/meridian/config"
	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
	"meridian/web"
)

// access is how people sign in and what they may do, for pages.
func (m *machine) access(wc *web.Config) {
	c := m.config.Auth
	wc.OIDC = web.OIDC{Issuer: c.Issuer, ClientID: c.ClientID, ClientSecret: c.ClientSecret, GroupsClaim: c.GroupsClaim}
	wc.Proxy = web.Proxy{Header: c.Header, Groups: c.GroupsHeader, From: prefixes(c.From)}
	wc.Groups = groupsOf(c.Groups)
	wc.Primary = func(id event.PersonID, at timeline.Millis) string {
		if teams := m.currentCatalog().Teams(id, at); len(teams) > 0 {
			return teams[0]
		}
		return ""
	}
	wc.PersonOf = func(email string) event.PersonID {
		// An account of no source is looked for by its address, and nobody is made up.
		if p := m.currentCatalog().Person(event.Account{Provider: "sign-in", Login: email}); p.Known {
			return p.ID
		}
		return event.PersonID{}
	}
	if c.Mode != string(web.ModeNone) { // a demo leaves nothing behind
		wc.Tokens = m.instance.path("tokens.json")
		m.audit = web.NewAuditFile(m.instance.path("audit.jsonl"))
		wc.Audit = m.audit
	}
}

func groupsOf(list []config.AuthGroup) (groups []web.Group) {
	for _, g := range list {
		out := web.Group{Name: g.Name, Members: g.Members, Teams: g.Teams, Roles: web.Viewer}
		for _, name := range g.Roles {
			role, _ := web.RoleNamed(name) // the configuration has checked it
			out.Roles |= role
		}
		groups = append(groups, out)
	}
	return groups
}

// record writes down what somebody did with a command. The name is what they say
// of themselves: over the socket everybody is the owner of the machine.
func (m *machine) record(by, verb, subject string) error {
	if m.audit == nil {
		return nil
	}
	return m.audit.Record(web.AuditEntry{Time: time.Now().UTC(), Who: "command:" + by, Name: by, Verb: verb, Subject: subject})
}

// recorded writes down each request that changes something before it is done.
// Pages do so themselves, with who has signed in.
func (m *machine) recorded(admin *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Pages and tokens write down more themselves.
		if _, pattern := admin.Handler(r); r.Method != http.MethodGet && r.Method != http.MethodHead && pattern != "/" && !strings.HasPrefix(r.URL.Path, "/tokens/") {
			verb, subject := web.AuditWords(r.Method, r.URL.Path)
			if dryRun(r) {
				verb += " (dry run)"
			}
			if err := m.record(actorOf(r), verb, subject); err != nil {
				m.app.log.Error("the audit log cannot be written", "error", err)
				answerProblem(w, http.StatusServiceUnavailable, "this cannot be written down in the audit log, and so it is not done: "+err.Error())
				return
			}
		}
		admin.ServeHTTP(w, r)
	})
}

// dryRun reports whether a request only asks what would be changed. It stands in the
// address, where the audit log sees it, and binds whoever answers.
func dryRun(r *http.Request) bool { return r.URL.Query().Has("dry_run") }

// serveAccess answers the commands sign-in, token and audit, over the socket
// alone: whoever reaches an admin address could else make themselves a reader.
func (m *machine) serveAccess(mux *http.ServeMux, pages *web.Server) {
	owned := func(pattern string, h http.HandlerFunc) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if !fromOwner(r) {
				answerProblem(w, http.StatusForbidden, "this is answered over the admin socket in the data directory alone: leave --server out, on the server's machine")
				return
			}
			h(w, r)
		})
	}
	owned("POST /sign-in/link", func(w http.ResponseWriter, _ *http.Request) {
		if !m.roles.web || m.config.Auth.Mode == string(web.ModeNone) {
			answerProblem(w, http.StatusConflict, "nobody signs in at this process")
			return
		}
		answerJSON(w, http.StatusOK, map[string]string{"link": pages.SignInLink()})
	})
	owned("GET /tokens/list", func(w http.ResponseWriter, _ *http.Request) {
		list := []tokenAnswer{}
		for _, t := range pages.Tokens(web.Owner(), true) {
			list = append(list, answerOf(t))
		}
		answerJSON(w, http.StatusOK, map[string]any{"items": list, "next": nil})
	})
	owned("POST /tokens/make", func(w http.ResponseWriter, r *http.Request) {
		var wish tokenWish
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostJobRequest)).Decode(&wish); err != nil {
			answerProblem(w, http.StatusBadRequest, "the body is no wish for a token: "+err.Error())
			return
		}
		n := web.NewToken{Label: wish.Name, Teams: wish.Teams, Life: time.Duration(wish.Seconds) * time.Second}
		for _, name := range wish.Roles {
			role, ok := web.RoleNamed(name)
			if !ok {
				answerProblem(w, http.StatusBadRequest, fmt.Sprintf("role %q is unknown: viewer, people or admin", name))
				return
			}
			n.Roles |= role
		}
		if unknown := m.unknownTeam(r.Context(), wish.Teams); unknown != "" {
			answerProblem(w, http.StatusBadRequest, unknown)
			return
		}
		secret, t, err := pages.MakeToken(r.Context(), ownerSaying(r), n)
		if err != nil {
			answerPageError(w, err)
			return
		}
		answer := answerOf(t)
		answer.Token = secret
		answerJSON(w, http.StatusOK, answer)
	})
	owned("POST /tokens/{id}/end", func(w http.ResponseWriter, r *http.Request) {
		if err := pages.RevokeToken(r.Context(), ownerSaying(r), r.PathValue("id")); err != nil {
			answerPageError(w, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	owned("GET /audit/log", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/jsonl")
		if m.audit == nil {
			return
		}
		if err := m.audit.CopyTo(w); err != nil {
			m.app.log.Error("the audit log cannot be read", "error", err)
			panic(http.ErrAbortHandler) // half of it must not look like all
		}
	})
}

// unknownTeam says which of these teams, or patterns of them, no team has the name of:
// a token for it would see nothing. "" is that all of them have one, or that there are
// no teams yet.
func (m *machine) unknownTeam(ctx context.Context, patterns []string) string {
	if len(patterns) == 0 {
		return ""
	}
	var names []string
	for _, t := range m.currentCatalog().TeamList() {
		names = append(names, t.Name)
	}
	seen, err := m.database.NewReader().Teams(ctx)
	if names = append(names, seen...); err != nil || len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, pattern := range patterns {
		if slices.ContainsFunc(names, func(name string) bool {
			ok, err := path.Match(pattern, name)
			return ok || err != nil || name == pattern
		}) {
			continue
		}
		hint := "there are " + strings.Join(names[:min(len(names), 20)], ", ")
		if best := catalog.Nearest(pattern, names); best != "" {
			hint = "did you mean " + best + "?"
		}
		return fmt.Sprintf("no team is called %s; %s", pattern, hint)
	}
	return ""
}

// answerPageError gives a command what a page would have said.
func answerPageError(w http.ResponseWriter, err error) {
	var e *web.Error
	if errors.As(err, &e) {
		answerProblem(w, e.Status, e.Detail)
		return
	}
	answerProblem(w, http.StatusServiceUnavailable, err.Error())
}

// ownerSaying is the owner under the name that they gave.
func ownerSaying(r *http.Request) *web.Reader {
	reader := web.Owner()
	reader.Name = actorOf(r)
	return reader
}

// tokenWish is what the command asks for.
type tokenWish struct {
	Name    string   `json:"name"`
	Roles   []string `json:"roles"`
	Teams   []string `json:"teams"`
	Seconds int64    `json:"seconds"` // 0: the usual life
}

// tokenAnswer is a token as the command prints it, without its hash.
type tokenAnswer struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Token   string     `json:"token,omitempty"` // the secret itself, when it was just made
	Owner   string     `json:"owner"`
	Roles   []string   `json:"roles"`
	Teams   []string   `json:"teams"` // empty: every team that its owner may see
	Created time.Time  `json:"created"`
	Expires time.Time  `json:"expires"`
	Used    *time.Time `json:"last_used"` // to some minutes; null: never
}

func answerOf(t web.Token) tokenAnswer {
	a := tokenAnswer{ID: t.ID, Name: t.Label, Owner: t.Owner.ID, Roles: t.Roles, Teams: t.Teams, Created: t.Created, Expires: t.Expires}
	if a.Teams == nil {
		a.Teams = []string{}
	}
	if !t.Used.IsZero() {
		a.Used = &t.Used
	}
	return a
}
