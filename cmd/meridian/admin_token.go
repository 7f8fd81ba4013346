package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"meridian/web"
)

// tokenRealm is how an admin address says that it wants a token, which no other
// address of a server says.
const tokenRealm = `Bearer realm="meridian admin"`

// adminHeader is on every answer of an admin address that is its own, so that a
// command knows it from one of pages, which may lie at the same path.
const adminHeader = "X-Meridian-Admin"

// byToken is the admin address over TCP: whoever reaches it has to bring a token
// with the role admin, for all that it answers itself but metrics, which hold
// nobody's data. Pages ask for a sign-in of their own.
//
// On the socket nobody is asked: its mode lets nobody in but who can read the data
// directory anyway.
func byToken(admin *http.ServeMux, pages *web.Server, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch _, pattern := admin.Handler(r); pattern {
		case "/", "GET /metrics":
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set(adminHeader, "1")
		reader := pages.AdminToken(r)
		if reader == nil {
			w.Header().Set("WWW-Authenticate", tokenRealm)
			answerProblem(w, http.StatusUnauthorized, wantsToken)
			return
		}
		// Whose token it was is known; who they say they are is not.
		r = r.Clone(r.Context())
		r.Header.Set(actorHeader, reader.ID+", "+actorOf(r))
		next.ServeHTTP(w, r)
	})
}

const wantsToken = "this address is for who runs the instance: make a token with `meridian token create --name NAME --role admin` on the server's machine, and give it to commands in MERIDIAN_TOKEN"

// bearer adds the token of the environment to a request to --server.
func (a *app) bearer(req *http.Request) error {
	if a.server == "" {
		return nil
	}
	token := os.Getenv("MERIDIAN_TOKEN")
	if file := os.Getenv("MERIDIAN_TOKEN_FILE"); file != "" {
		if token != "" {
			return withCode(exitUsage, errors.New("both MERIDIAN_TOKEN and MERIDIAN_TOKEN_FILE are set: keep one"))
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("MERIDIAN_TOKEN_FILE: %w", err)
		}
		token = strings.TrimSpace(string(data))
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return nil
}

// nobodyAnswers is what a command says that found no server.
func nobodyAnswers(where string, err error) error {
	return withCode(exitUnavailable, fmt.Errorf("no server answers at %s: %w; start one with `meridian serve`, name the data directory of one that runs with --data-dir, or its admin address with --server", where, err))
}

// notAdmin says why what answered at --server is no use to a command; nil is that
// it is.
func (a *app) notAdmin(where, path string, res *http.Response) error {
	switch {
	case a.server == "":
		return nil
	case res.Header.Get("WWW-Authenticate") == tokenRealm:
		return fmt.Errorf("the server at %s wants a token: %s", where, wantsToken)
	case res.Header.Get(adminHeader) != "":
		return nil
	case res.StatusCode == http.StatusNotFound, res.StatusCode == http.StatusUnauthorized, strings.HasPrefix(res.Header.Get("Content-Type"), "text/html"):
		return withCode(exitUnavailable, fmt.Errorf("%s answers, but not as an admin address (%d for %s): give --server the address of admin_listen, or leave it out and name the data directory with --data-dir", where, res.StatusCode, path))
	}
	return nil
}
