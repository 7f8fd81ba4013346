package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"meridian/web/views"
)

// signOut ends the session here, and goes on to the provider's own sign-out where
// there is one (OpenID Connect RP-Initiated Logout 1.0): whoever has left a shared
// machine would else be signed in again with one click.
func (s *Server) signOut(w http.ResponseWriter, r *http.Request) error {
	who := identityOf(r.Context(), s.sessions)
	if reader := ReaderOf(r.Context()); reader.ID != "" {
		if err := s.record(r.Context(), reader, "sign out", "", ""); err != nil {
			return err
		}
	}
	if err := s.sessions.Destroy(r.Context()); err != nil {
		return err
	}
	next := s.base + "/sign-in"
	if elsewhere := s.providersSignOut(r.Context(), who); elsewhere != "" {
		// A page and not a redirect: our own policy lets a form lead to nowhere but here.
		w.Header().Set("Cache-Control", "no-store")
		return s.render(w, r, http.StatusOK, views.SignedOut{Page: views.Page{Title: "Sign out", Site: s.site(r)}, Next: elsewhere, Provider: s.config.OIDC.host()}.Render())
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
	return nil
}

// providersSignOut is the address at which the provider signs somebody out who has
// come in through it; "" where it has none, or does not answer.
func (s *Server) providersSignOut(ctx context.Context, who identity) string {
	if s.config.Mode != ModeOIDC || who.Issuer == "" || who.Issuer != s.config.OIDC.Issuer {
		return ""
	}
	found, _, err := s.issuer.discover(ctx)
	if err != nil {
		s.log.Warn("somebody signed out here, and not at the identity provider, which does not answer", "error", err)
		return ""
	}
	var offers struct {
		EndSession string `json:"end_session_endpoint"`
	}
	if found.Claims(&offers) != nil {
		return ""
	}
	to, err := url.Parse(offers.EndSession)
	if err != nil || to.Host == "" || to.Scheme != "https" && !strings.HasPrefix(who.Issuer, to.Scheme+"://") {
		return ""
	}
	q := to.Query()
	q.Set("client_id", s.config.OIDC.ClientID)
	q.Set("post_logout_redirect_uri", strings.TrimRight(s.config.BaseURL, "/")+"/sign-in")
	if who.Token != "" { // without it providers ask whether one means it, and some refuse
		q.Set("id_token_hint", who.Token)
	}
	to.RawQuery = q.Encode()
	return to.String()
}
