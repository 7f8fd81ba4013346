package web

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// OIDC is an identity provider.
type OIDC struct {
	Issuer       string
	ClientID     string
	ClientSecret string // "": a public client, which PKCE protects
	GroupsClaim  string // of the ID token; "": groups
}

func (o *OIDC) validate() error {
	u, err := url.Parse(o.Issuer)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || o.ClientID == "" {
		return errors.New("web: an identity provider needs its issuer (https://...) and our client id there")
	}
	return nil
}

// host is what people know the provider by.
func (o *OIDC) host() string {
	u, err := url.Parse(o.Issuer)
	if err != nil {
		return o.Issuer
	}
	return u.Host
}

const (
	// signInPatience is how long somebody may take at the provider.
	signInPatience = 10 * time.Minute
	// oidcLife is how long they stay signed in. Groups are known from the sign-in
	// alone, so whoever leaves one loses its rights by then.
	oidcLife = 12 * time.Hour
	// providerPatience bounds what is asked of the provider.
	providerPatience = 10 * time.Second
)

// issuer is an identity provider that has been asked for its addresses. It is
// asked at the first sign-in and not at the start: that it is down must not keep
// webhooks from being taken.
type issuer struct {
	config   OIDC
	redirect string
	mu       sync.Mutex
	found    *oidc.Provider
}

func (p *issuer) discover(ctx context.Context) (*oidc.Provider, *oauth2.Config, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found == nil {
		// The context stays with the provider, for its keys: not the request's.
		background := oidc.ClientContext(context.WithoutCancel(ctx), &http.Client{Timeout: providerPatience})
		found, err := oidc.NewProvider(background, p.config.Issuer)
		if err != nil {
			return nil, nil, &Error{
				Status: http.StatusServiceUnavailable, Title: "The identity provider does not answer",
				Detail: "Nobody new can sign in until it does. Who runs this server can still sign in with the link of `meridian sign-in`.", Cause: err,
			}
		}
		p.found = found
	}
	c := &oauth2.Config{
		ClientID: p.config.ClientID, ClientSecret: p.config.ClientSecret, RedirectURL: p.redirect,
		Endpoint: p.found.Endpoint(), Scopes: []string{oidc.ScopeOpenID, "profile", "email"},
	}
	var offers struct {
		Scopes []string `json:"scopes_supported"`
	}
	if p.found.Claims(&offers) == nil && slices.Contains(offers.Scopes, "groups") {
		c.Scopes = append(c.Scopes, "groups")
	}
	return p.found, c, nil
}

// attempt is a sign-in that is under way. It travels in a cookie, sealed with a
// key of this process, so that whoever begins a million of them takes no memory.
type attempt struct {
	State, Nonce, Verifier string
	Next                   string
	Until                  time.Time
}

// seal encrypts attempts.
type seal struct{ aead cipher.AEAD }

func newSeal() (seal, error) {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return seal{}, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return seal{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return seal{aead}, err
}

func (s seal) close(a attempt) (string, error) {
	b, err := json.Marshal(a)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, b, nil)), nil
}

func (s seal) open(text string) (a attempt, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		b, err = s.aead.Open(nil, nil, b, nil)
	}
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	return a, err == nil
}

// attemptCookie is lax, for it has to come along when the provider sends the
// browser back; the session's, which is strict, does not.
func (s *Server) attemptCookie(value string, life time.Duration) *http.Cookie {
	c := &http.Cookie{
		Name: s.sessions.Cookie.Name + "-sign-in", Value: value, Path: "/", HttpOnly: true, Secure: s.sessions.Cookie.Secure,
		SameSite: http.SameSiteLaxMode, MaxAge: int(life.Seconds()),
	}
	if life <= 0 {
		c.MaxAge = -1
	}
	return c
}

// startSignIn sends the browser to the provider.
func (s *Server) startSignIn(w http.ResponseWriter, r *http.Request) error {
	if s.config.Mode != ModeOIDC {
		return notFound("Nobody signs in here with an identity provider.")
	}
	_, c, err := s.issuer.discover(r.Context())
	if err != nil {
		return err
	}
	a := attempt{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Next: s.localAddress(r.URL.Query().Get("next")), Until: s.now().Add(signInPatience)}
	value, err := s.seal.close(a)
	if err != nil {
		return err
	}
	http.SetCookie(w, s.attemptCookie(value, signInPatience))
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, c.AuthCodeURL(a.State, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)), http.StatusSeeOther)
	return nil
}

// finishSignIn is where the provider sends the browser back to.
func (s *Server) finishSignIn(w http.ResponseWriter, r *http.Request) error {
	if s.config.Mode != ModeOIDC {
		return notFound("Nobody signs in here with an identity provider.")
	}
	again := func(cause error, format string, args ...any) error {
		return &Error{Status: http.StatusForbidden, Title: "Not signed in", Detail: fmt.Sprintf(format, args...) + " Open the page that you wanted and sign in again.", Cause: cause}
	}
	var a attempt
	cookie, err := r.Cookie(s.attemptCookie("", 0).Name)
	ok := err == nil
	if ok {
		a, ok = s.seal.open(cookie.Value)
	}
	http.SetCookie(w, s.attemptCookie("", 0)) // whatever comes of it, once
	q := r.URL.Query()
	switch {
	case !ok || !s.now().Before(a.Until):
		return again(nil, "This sign-in was begun in another browser, too long ago, or before the server was restarted.")
	case subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(a.State)) != 1:
		return again(nil, "The answer of the identity provider is of another sign-in.")
	case q.Get("error") != "":
		return again(fmt.Errorf("the provider says %q: %q", q.Get("error"), q.Get("error_description")), "The identity provider refused.")
	}
	p, c, err := s.issuer.discover(r.Context())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), providerPatience)
	defer cancel()
	tokens, err := c.Exchange(ctx, q.Get("code"), oauth2.VerifierOption(a.Verifier))
	if err != nil {
		s.log.Warn("a sign-in failed", "step", "exchange", "error", withoutSecrets(err))
		return again(err, "The identity provider did not take the code back that it gave.")
	}
	raw, _ := tokens.Extra("id_token").(string)
	verified, err := p.Verifier(&oidc.Config{ClientID: c.ClientID, Now: s.now}).Verify(ctx, raw)
	if err != nil {
		s.log.Warn("a sign-in failed", "step", "verify", "error", err)
		return again(err, "The identity provider's token cannot be verified.")
	}
	if subtle.ConstantTimeCompare([]byte(verified.Nonce), []byte(a.Nonce)) != 1 {
		return again(errors.New("the nonce differs"), "The identity provider's token is of another sign-in.")
	}
	who, err := identityFrom(verified, s.config.OIDC.GroupsClaim)
	if err != nil {
		return again(err, "The identity provider's token cannot be read.")
	}
	who.Token = raw
	return s.welcome(w, r, who, oidcLife, a.Next)
}

// identityFrom reads a verified token.
func identityFrom(t *oidc.IDToken, groupsClaim string) (identity, error) {
	var claims map[string]any
	if err := t.Claims(&claims); err != nil {
		return identity{}, err
	}
	text := func(name string) string { s, _ := claims[name].(string); return s }
	who := identity{Issuer: t.Issuer, Subject: t.Subject}
	for _, name := range []string{"name", "preferred_username", "email"} {
		if who.Name == "" {
			who.Name = text(name)
		}
	}
	if verified, _ := claims["email_verified"].(bool); verified {
		who.Email = text("email")
	}
	if groupsClaim == "" {
		groupsClaim = "groups"
	}
	switch groups := claims[groupsClaim].(type) {
	case string:
		who.Groups = []string{groups}
	case []any:
		for _, g := range groups {
			if name, ok := g.(string); ok && !strings.Contains(name, groupsSpacer) {
				who.Groups = append(who.Groups, name)
			}
		}
	}
	return who, nil
}

// withoutSecrets keeps the code and the verifier, which are in the address that
// an error may name, out of the log.
func withoutSecrets(err error) string {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		return "the provider answered " + refused.Response.Status + " " + refused.ErrorCode
	}
	var at *url.Error
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return "the answer cannot be read"
}
