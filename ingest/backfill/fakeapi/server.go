package fakeapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Object is a JSON object.
type Object = map[string]any

// Answer is what a fault answers instead of the API.
type Answer struct {
	Status int
	Header map[string]string
	Body   string
	Cut    bool // the connection ends instead
}

// server is what both APIs have in common.
type server struct {
	mu       sync.Mutex
	requests []string // method, path and query, in order
	denied   int      // without the right token

	// PageSize cuts pages shorter than asked for, so that few items make several.
	PageSize int

	// Before is called with the number of a request (from 1) before it is
	// answered: to change the world between two pages, or to answer otherwise.
	// It is called under the world's lock.
	Before func(n int, r *http.Request) *Answer

	http *httptest.Server
}

// Requests returns what was asked, in order.
func (s *server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

// Count is how many requests had part in their path.
func (s *server) Count(part string) (n int) {
	for _, r := range s.Requests() {
		if strings.Contains(r, part) {
			n++
		}
	}
	return n
}

// Denied is how many requests came without the right token.
func (s *server) Denied() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.denied
}

// URL is where it listens.
func (s *server) URL() string { return s.http.URL }

// Close ends it.
func (s *server) Close() { s.http.Close() }

// Change changes the world.
func (s *server) Change(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

func (s *server) start(answer func(w http.ResponseWriter, r *http.Request)) {
	s.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.requests = append(s.requests, r.Method+" "+r.URL.RequestURI())
		if s.Before != nil {
			if a := s.Before(len(s.requests), r); a != nil {
				a.write(w)
				return
			}
		}
		answer(w, r)
	}))
}

func (a *Answer) write(w http.ResponseWriter) {
	if a.Cut {
		panic(http.ErrAbortHandler)
	}
	for k, v := range a.Header {
		w.Header().Set(k, v)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(a.Status)
	fmt.Fprint(w, a.Body)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the reader may have gone
}

// number reads a parameter.
func number(r *http.Request, name string, otherwise int) int {
	n, err := strconv.Atoi(r.URL.Query().Get(name))
	if err != nil || n < 0 {
		return otherwise
	}
	return n
}

// stamp is a time as an object holds it.
func stamp(o Object, field string) time.Time {
	text, _ := o[field].(string)
	t, _ := time.Parse(time.RFC3339, text)
	return t
}
