package web

import (
	"errors"
	"net/http"
	"net/netip"
	"strings"
)

// Proxy is a proxy that signs people in and says who they are in a header.
type Proxy struct {
	Header string         // with the name, or an e-mail address
	Groups string         // a header with groups, between commas; "": it sends none
	From   []netip.Prefix // its addresses; the header of anybody else is none
}

func (p *Proxy) validate() error {
	if p.Header == "" || len(p.From) == 0 {
		return errors.New("web: a proxy that signs people in needs its header and its addresses, or anybody could send the header")
	}
	return nil
}

// sends reports whether a request comes from the proxy itself. The address is
// that of the connection: X-Forwarded-For is what anybody can write.
func (p *Proxy) sends(r *http.Request) bool {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	a := at.Addr().Unmap().WithZone("")
	for _, from := range p.From {
		if from.Contains(a) {
			return true
		}
	}
	return false
}

// ofProxy returns whom the proxy names, or who followed a link on the console,
// or nil. A header that stands twice names nobody: one of the two may have come
// through the proxy from outside.
func (s *Server) ofProxy(r *http.Request) *Reader {
	p := &s.config.Proxy
	if names := r.Header.Values(p.Header); p.sends(r) && len(names) == 1 && strings.TrimSpace(names[0]) != "" {
		name := strings.TrimSpace(names[0])
		reader := &Reader{ID: "proxy:" + name, Name: name}
		var groups []string
		if p.Groups != "" {
			for _, line := range r.Header.Values(p.Groups) {
				for g := range strings.SplitSeq(line, ",") {
					groups = append(groups, strings.TrimSpace(g))
				}
			}
		}
		if s.config.Groups == nil { // the proxy chooses whom it lets in, and nothing more is said of them
			reader.Roles, reader.Every = Viewer, true
		}
		s.config.grant(reader, name, groups)
		if s.config.PersonOf != nil {
			reader.Person = s.config.PersonOf(name)
		}
		s.tokens.know(reader)
		return reader
	}
	return s.ofSession(r)
}
