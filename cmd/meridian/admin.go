package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"os"

	"golang.org/x/sync/errgroup"

	"meridian/web"
)

// serveAdmin answers on <data-dir>/admin.sock, which only the owner of the
// directory can reach, and on admin_listen where that is set: metrics, what the
// shards are doing, pprof, what commands ask, and the pages and API. On the socket
// nobody has to sign in: whoever can open it can read the files beside it. The
// address wants a token of who runs the instance (byToken).
//
// An address may be one that a browser on the machine reaches, too: it is asked
// under a name that is ours or an address, and not by another site's page, or it
// does not answer. What the owner alone may do is not there.
func (m *machine) serveAdmin(ctx context.Context, pages *web.Server, metrics http.Handler) error {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	mux.HandleFunc("GET /debug/engine", m.debugEngine)
	mux.HandleFunc("GET /lag", m.answerLag)
	mux.HandleFunc("GET /listening", func(w http.ResponseWriter, _ *http.Request) {
		answerJSON(w, http.StatusOK, map[string][]string{"addresses": m.addresses()})
	})
	mux.HandleFunc("POST /clock/trust", func(w http.ResponseWriter, _ *http.Request) {
		m.door.ticker.Trust()
		fmt.Fprintln(w, "the clock of this machine is trusted; ticks go on")
	})
	mux.HandleFunc("POST /verify", m.answerVerify)
	mux.HandleFunc("POST /catalog", m.takeCatalog)
	mux.HandleFunc("POST /catalog/draft", m.draftCatalog)
	m.serveQuarantine(mux)
	m.serveJobs(mux)
	m.serveRuns(mux)
	m.serveData(mux)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	m.serveAccess(mux, pages)
	mux.Handle("/", pages.Handler())
	admin := m.recorded(mux)

	g, ctx := errgroup.WithContext(ctx)
	serve := func(l net.Listener, h http.Handler) {
		g.Go(func() error { return serveHTTP(ctx, l, h, func() {}, m.app.log) })
	}
	if m.config.AdminListen != "" {
		tcp, err := listen(ctx, m.config.AdminListen, "admin_listen", m.app.log)
		if err != nil {
			return err
		}
		serve(tcp, pages.NotForOtherSites(byToken(mux, pages, admin)))
	}
	path := m.instance.path(adminSocket)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) { // of a process that was killed: the lock is ours
		m.app.log.Warn("the admin socket of an earlier process cannot be replaced", "error", err)
	} else if socket, err := listenUnix(path); err != nil {
		m.app.log.Warn("there is no admin socket", "error", err)
	} else {
		serve(socket, asOwner(admin))
	}
	g.Go(func() error { <-ctx.Done(); return nil })
	return g.Wait()
}

// owner marks a request that came over the admin socket.
type owner struct{}

func asOwner(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), owner{}, true)))
	})
}

func fromOwner(r *http.Request) bool { return r.Context().Value(owner{}) != nil }

// adminSocket is its name in the data directory.
const adminSocket = "admin.sock"

// listenUnix makes a socket that only its owner can use. The kernel takes paths
// of about a hundred bytes; in a directory that is deeper there is none.
func listenUnix(path string) (net.Listener, error) {
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("cannot make %s: %w", path, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}
