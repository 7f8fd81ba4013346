package web

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"meridian/metrics"
)

// tag is the ETag of an answer that is a function of its address, the numbers
// and the server's own settings. It is weak: compression changes the bytes.
func (s *Server) tag(r *http.Request, as metrics.AsOf) string {
	reader := ReaderOf(r.Context())
	return fmt.Sprintf(`W/"%d-%d-%s-%s"`, as.Generation, as.Clock, s.guard.fingerprint, fingerprint(reader.Roles, reader.teams(), reader.Person))
}

// unchanged sets the ETag and answers 304 where the reader has it already.
func (s *Server) unchanged(w http.ResponseWriter, r *http.Request, as metrics.AsOf) bool {
	tag := s.tag(r, as)
	if asCSV(r) { // another representation, so another tag
		tag = strings.TrimSuffix(tag, `"`) + `-csv"`
	}
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "private, no-cache")
	if !matches(r, tag) {
		return false
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}

// matches compares weakly, as If-None-Match does.
func matches(r *http.Request, tag string) bool {
	for _, header := range r.Header.Values("If-None-Match") {
		for t := range strings.SplitSeq(header, ",") {
			if t = strings.TrimSpace(t); t == "*" || strings.TrimPrefix(t, "W/") == strings.TrimPrefix(tag, "W/") {
				return true
			}
		}
	}
	return false
}

// fingerprint is a short hash of what answers depend on beside the numbers.
func fingerprint(parts ...any) string {
	sum := sha256.Sum256(fmt.Append(nil, parts...))
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}
