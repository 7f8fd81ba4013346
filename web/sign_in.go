package web

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"meridian/web/language"
	"meridian/web/views"
)

// SignInLink makes an address that signs in whoever opens it first. It is for
// the terminal of whoever started the server, or asks over the admin socket;
// print it nowhere else.
func (s *Server) SignInLink() string {
	return strings.TrimRight(s.config.BaseURL, "/") + "/sign-in?token=" + s.links.issue()
}

func (s *Server) signIn(w http.ResponseWriter, r *http.Request) error {
	token := strings.TrimSpace(r.URL.Query().Get("token"))
	// A HEAD is somebody's look ahead, and must not use the link up. The link works
	// with every mode: who can print one sits at the machine, and an identity
	// provider that is down must not lock them out.
	if s.config.Mode != ModeNone && r.Method == http.MethodGet && s.links.redeem(token) {
		return s.welcome(w, r, identity{Link: true}, 0, s.base+"/")
	}
	if reader := ReaderOf(r.Context()); reader.ID != "" { // an old link opened again, by somebody who is in
		http.Redirect(w, r, s.base+"/", http.StatusSeeOther)
		return nil
	}
	return s.signInPage(w, r, token != "", s.base+"/")
}

// welcome signs somebody in, for life or until they have to come again, and goes
// on to next. It answers with a page and not with a redirect: see doc.go.
func (s *Server) welcome(w http.ResponseWriter, r *http.Request, who identity, life time.Duration, next string) error {
	ctx := r.Context()
	// A new token, so that one planted before is worth nothing, and nothing of an
	// earlier reader, whom this may not be.
	if err := s.sessions.Clear(ctx); err != nil {
		return err
	}
	if err := s.sessions.RenewToken(ctx); err != nil {
		return err
	}
	who.put(ctx, s.sessions)
	if life > 0 {
		s.sessions.SetDeadline(ctx, s.now().Add(life))
	}
	reader := who.reader(&s.config)
	if err := s.record(ctx, reader, "sign in", "", ""); err != nil {
		return err
	}
	s.tokens.know(reader)
	page := views.Page{Title: language.Of(ctx).Status.SignIn, Site: s.site(r)}
	return s.render(w, r, http.StatusOK, views.SignedIn{Page: page, Next: next}.Render())
}

// askToSignIn stands in for a page that nobody may see who is not signed in; it
// comes back to that page.
func (s *Server) askToSignIn(w http.ResponseWriter, r *http.Request) error {
	next := s.base + "/"
	if r.Method == http.MethodGet {
		next = s.base + strings.TrimPrefix(r.URL.RequestURI(), s.base)
	}
	return s.signInPage(w, r, false, next)
}

func (s *Server) signInPage(w http.ResponseWriter, r *http.Request, wrong bool, next string) error {
	v := views.SignIn{Page: views.Page{Title: language.Of(r.Context()).Status.SignIn, Site: s.site(r)}, Wrong: wrong, Action: s.base + "/sign-in"}
	switch s.config.Mode {
	case ModeOIDC:
		v.Provider = s.config.OIDC.host()
		v.Start = s.base + "/sign-in/start?" + url.Values{"next": {next}}.Encode()
	case ModeProxy:
		v.Proxy = true
	}
	return s.render(w, r, http.StatusUnauthorized, v.Render())
}

// local makes an address that somebody sent one of this server: a path under the
// base, so that a sign-in cannot be used to send people elsewhere.
func (s *Server) localAddress(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(next, s.base+"/") ||
		strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") || strings.Contains(u.Path, "//") {
		return s.base + "/"
	}
	return next
}

// hasSession reports whether r came in with a session, and not with a token or
// because nobody has to sign in. Routes that need none have not loaded it.
func (s *Server) hasSession(r *http.Request) bool {
	_, err := r.Cookie(s.sessions.Cookie.Name)
	return err == nil
}

// withSession loads the session before and saves it after.
func (s *Server) withSession(next http.Handler) http.Handler {
	sessions := *s.sessions
	sessions.ErrorFunc = func(w http.ResponseWriter, r *http.Request, err error) { s.fail(w, r, err) }
	return sessions.LoadAndSave(next)
}

// ofSession returns whom a session is of, or nil.
func (s *Server) ofSession(r *http.Request) *Reader {
	who := identityOf(r.Context(), s.sessions)
	if !who.known(s.config.Mode) {
		return nil
	}
	return who.reader(&s.config)
}

// admin reports whether r may see bodies and act.
func (s *Server) admin(r *http.Request) bool {
	reader := ReaderOf(r.Context())
	return reader.May(Admin) && !reader.Looks
}
