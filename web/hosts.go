package web

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// hosts are the names under which the server may be reached. DNS rebinding
// points a name of the attacker's at our address, and the Host header still
// says that name: so names are listed. An address is no name and cannot be
// pointed elsewhere; loopback names never leave the machine.
type hosts map[string]bool

func newHosts(c Config) hosts {
	hs := hosts{"localhost": true}
	for _, h := range append([]string{c.base().Host}, c.Hosts...) {
		hs[hostname(h)] = true
	}
	return hs
}

// hostname takes the port off, if there is one.
func hostname(hostport string) string {
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		hostport = h
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(hostport, "[]"), "."))
}

func (hs hosts) allow(hostport string) bool {
	h := hostname(hostport)
	if hs[h] || strings.HasSuffix(h, ".localhost") {
		return true
	}
	_, err := netip.ParseAddr(h)
	return err == nil
}

// NotForOtherSites refuses what a browser sends on behalf of another site's page,
// or under a name that is not ours, in front of a handler that asks for no cookie.
func (s *Server) NotForOtherSites(next http.Handler) http.Handler {
	protected := http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.hosts.allow(r.Host) {
			http.Error(w, "This address does not answer to the name in the Host header.", http.StatusMisdirectedRequest)
			return
		}
		protected.ServeHTTP(w, r)
	})
}

// checkHost refuses requests under an unknown name. Webhooks and probes read
// nothing with a cookie, so they may come under any: a tunnel, a service name.
func (s *Server) checkHost(next http.Handler) http.Handler {
	refuse := s.answer(func(w http.ResponseWriter, r *http.Request) error {
		return &Error{
			Status: http.StatusMisdirectedRequest, Title: "Not under this name",
			Detail: "This server does not answer to the name in the Host header. If the name is right, set base_url in the configuration to it.",
		}
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := r.URL.Path
		if s.hosts.allow(r.Host) || strings.HasPrefix(p, "/webhooks/") || p == "/livez" || p == "/readyz" || s.ofBearer(r) != nil {
			next.ServeHTTP(w, r)
			return
		}
		refuse(w, r)
	})
}
