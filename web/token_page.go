package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

// mostTokenForm bounds the form of a new token.
const mostTokenForm = 16 << 10

// tokensPage lists the reader's own tokens, and has the form for another.
func (s *Server) tokensPage(w http.ResponseWriter, r *http.Request) error {
	return s.showTokens(w, r, "", "")
}

// makeToken answers with the token itself, once: it is in no redirect, no session
// and no log.
func (s *Server) makeToken(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, mostTokenForm)
	if err := r.ParseForm(); err != nil {
		return badRequest("The form cannot be read.")
	}
	n := NewToken{Label: r.PostForm.Get("label")}
	for _, name := range r.PostForm["role"] {
		role, ok := RoleNamed(name)
		if !ok {
			return badRequest("There is no role %q.", name)
		}
		n.Roles |= role
	}
	for team := range strings.SplitSeq(r.PostForm.Get("teams"), ",") {
		if team = strings.TrimSpace(team); team != "" {
			n.Teams = append(n.Teams, team)
		}
	}
	days, err := strconv.Atoi(r.PostForm.Get("days"))
	if err != nil || days < 1 {
		return badRequest("Days: a whole number from 1 to 366.")
	}
	n.Life = time.Duration(days) * 24 * time.Hour
	secret, t, err := s.MakeToken(r.Context(), ReaderOf(r.Context()), n)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return s.showTokens(w, r, secret, t.Label)
}

func (s *Server) revokeToken(w http.ResponseWriter, r *http.Request) error {
	if err := s.RevokeToken(r.Context(), ReaderOf(r.Context()), r.PathValue("id")); err != nil {
		return err
	}
	http.Redirect(w, r, s.base+"/tokens", http.StatusSeeOther)
	return nil
}

func (s *Server) showTokens(w http.ResponseWriter, r *http.Request, secret, label string) error {
	if s.config.Tokens == "" {
		return notFound("This server keeps no tokens.")
	}
	as, err := s.guard.AsOf(r.Context())
	if err != nil {
		return err
	}
	reader := ReaderOf(r.Context())
	say := language.Of(r.Context())
	v := views.Tokens{
		Page: s.page(r, say.Common.APITokens, "tokens", as), Secret: secret, Label: label, Can: !reader.Looks, Days: int(TokenLife / (24 * time.Hour)),
		Action: s.base + "/tokens", Example: "curl -H 'Authorization: Bearer TOKEN' " + strings.TrimRight(s.config.BaseURL, "/") + "/api/v1/points?grain=day",
	}
	v.Page.Live, v.Page.Self = false, s.base+"/tokens"
	for _, role := range AllRoles {
		if reader.May(role) {
			v.Roles = append(v.Roles, role.String())
		}
	}
	for _, t := range s.Tokens(reader, true) {
		row := views.Token{
			ID: t.ID, Label: t.Label, Roles: strings.Join(t.Roles, ", "), Teams: strings.Join(t.Teams, ", "), Owner: t.Owner.Name,
			Created: s.moment(timeline.FromTime(t.Created)), Expires: s.moment(timeline.FromTime(t.Expires)), Used: views.Time{Text: say.Common.Never},
			Revoke: s.base + "/tokens/" + t.ID + "/revoke", Own: t.Owner.ID == reader.ID,
		}
		if !t.Used.IsZero() {
			row.Used = s.moment(timeline.FromTime(t.Used))
		}
		if len(t.Teams) == 0 {
			row.Teams = say.Common.All
		}
		row.Over = !s.now().Before(t.Expires)
		v.Tokens = append(v.Tokens, row)
	}
	return s.render(w, r, http.StatusOK, v.Render())
}
