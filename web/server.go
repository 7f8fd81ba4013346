package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"

	"meridian/streaming/timeline"
)

// Server answers people and programs. It is inert: whoever listens calls Handler.
type Server struct {
	config    Config
	log       *slog.Logger
	now       func() time.Time
	guard     *Guard
	directory Directory
	sources   Sources
	status    Status
	updates   Updates
	assets    *assets
	links     *links
	tokens    *tokenStore
	looks     looks
	issuer    *issuer
	seal      seal
	sessions  *scs.SessionManager
	memo      memo
	past      *renewed // as of some minutes ago: see coarse
	minute    *renewed // as of the last minute
	hosts     hosts
	base      string // path of the base URL
	table     []route
	handler   http.Handler
	closed    context.Context
	close     context.CancelFunc
}

// New checks the configuration and builds a server over what it reads.
func New(c Config, results Results, directory Directory, sources Sources, status Status, updates Updates) (*Server, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	s := &Server{
		config: c, log: c.Log, now: c.Now,
		directory: directory, sources: sources, status: status, updates: updates,
		guard: newGuard(results, directory, c),
		hosts: newHosts(c),
		base:  c.base().Path,
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	if s.now == nil {
		s.now = time.Now
	}
	s.past, s.minute = newRenewed(pastEvery, 2*pastEvery, s.guard.rewritten), newRenewed(timeline.Minute, minuteLags, s.guard.rewritten)
	s.links = newLinks(s.now)
	var err error
	if s.assets, err = newAssets(); err != nil {
		return nil, err
	}
	for _, name := range s.assets.missing {
		s.log.Warn("a file for the pages is missing, they work without its script: run `make assets` and build again", "file", name)
	}
	if s.sessions, err = newSessions(c); err != nil {
		return nil, err
	}
	if s.tokens, err = newTokenStore(c.Tokens, s.log); err != nil {
		return nil, err
	}
	if s.seal, err = newSeal(); err != nil {
		return nil, fmt.Errorf("web: make a key for sign-ins: %w", err)
	}
	s.issuer = &issuer{config: c.OIDC, redirect: strings.TrimRight(c.BaseURL, "/") + "/sign-in/done"}
	s.closed, s.close = context.WithCancel(context.Background())
	if s.handler, err = s.layers(); err != nil {
		return nil, err
	}
	return s, nil
}

// Handler returns the whole of it.
func (s *Server) Handler() http.Handler { return s.handler }

// Close ends the streams of open pages, for which http.Server.Shutdown would
// wait for ever. Give it to http.Server.RegisterOnShutdown.
func (s *Server) Close() { s.close() }

// layers builds the handler; a request meets the last one first.
func (s *Server) layers() (http.Handler, error) {
	mux := http.NewServeMux()
	s.table = s.routes()
	for _, rt := range s.table {
		mux.Handle(rt.Method+" "+rt.Pattern, s.admit(rt))
	}
	if s.config.Webhooks != nil {
		mux.Handle("/webhooks/", s.config.Webhooks)
	}
	mux.Handle("/", s.answer(s.nothing(s.table)))

	crossOrigin := http.NewCrossOriginProtection()
	crossOrigin.AddInsecureBypassPattern("/webhooks/") // signed, and sent by no browser
	crossOrigin.SetDenyHandler(s.answer(func(http.ResponseWriter, *http.Request) error {
		return &Error{Status: http.StatusForbidden, Title: "Not from another site", Detail: "This request was started by a page of another site."}
	}))
	compress, err := gzhttp.NewWrapper(
		gzhttp.MinSize(1024),
		gzhttp.CompressionLevel(gzip.BestCompression), // pages are small, and scripts are fetched once
		gzhttp.ContentTypes([]string{"text/html", "text/css", "text/javascript", "application/json", "application/problem+json", "image/svg+xml", "text/plain", "text/csv", "application/atom+xml"}),
		gzhttp.SuffixETag(""), // ours are weak: they are of the numbers, not of the bytes
	)
	if err != nil {
		return nil, fmt.Errorf("web: set up compression: %w", err)
	}

	var h http.Handler = mux
	h = crossOrigin.Handler(h)
	h = compress(h)
	h = s.checkHost(h)
	h = s.recover(h)
	h = s.underBase(h)
	h = secureHeaders(h, s.config.base().Scheme == "https")
	h = inLocale(h)
	h = withRequestID(h)
	return h, nil
}

// underBase takes the base URL's path off, where a proxy has left it on.
func (s *Server) underBase(next http.Handler) http.Handler {
	if s.base == "" {
		return next
	}
	stripped := http.StripPrefix(s.base, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == s.base {
			http.Redirect(w, r, s.base+"/", http.StatusMovedPermanently)
			return
		}
		if strings.HasPrefix(r.URL.Path, s.base+"/") {
			stripped.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// recover turns a panic into an answer and a line of the log.
func (s *Server) recover(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(p)
			}
			s.fail(w, r, fmt.Errorf("panic: %v", p))
		}()
		next.ServeHTTP(w, r)
	})
}
