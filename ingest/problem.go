package ingest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// refusal is why a request was not taken, in the words of the answer. It holds
// nothing of what was sent.
type refusal struct {
	status     int
	detail     string
	retryAfter time.Duration // of 429 and 503
	allow      string        // of 405
	cut        bool          // the sender has stopped sending
	signed     bool          // the request came from whom it should
}

func refuse(status int, detail string) *refusal { return &refusal{status: status, detail: detail} }

// toSender marks what happened to a request that was signed right.
func (f *refusal) toSender() *refusal {
	if f != nil {
		f.signed = true
	}
	return f
}

func unauthorized(detail string) *refusal { return refuse(http.StatusUnauthorized, detail) }

func unavailable(detail string) *refusal {
	return &refusal{status: http.StatusServiceUnavailable, detail: detail, retryAfter: 10 * time.Second}
}

// problem is an RFC 9457 problem document.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

func (f *refusal) write(w http.ResponseWriter) {
	h := w.Header()
	if f.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((f.retryAfter+time.Second-1)/time.Second)))
	}
	if f.allow != "" {
		h.Set("Allow", f.allow)
	}
	if f.status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	writeJSON(w, f.status, "application/problem+json", problem{"about:blank", http.StatusText(f.status), f.status, f.detail})
}

// accepted is the answer to a delivery that is on the log.
type accepted struct {
	Status   string `json:"status"` // accepted, ping, ignored
	Delivery string `json:"delivery"`
}

func (a accepted) write(w http.ResponseWriter) {
	writeJSON(w, http.StatusAccepted, "application/json", a)
}

func writeJSON(w http.ResponseWriter, status int, media string, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // structs of texts and numbers
	}
	h := w.Header()
	h.Set("Content-Type", media)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(b)+1))
	w.WriteHeader(status)
	w.Write(append(b, '\n')) // a sender that has gone reads no answer
}
