package storage

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// wire stands between a client and its database: it sees every statement, and
// can answer in the database's place.
type wire struct {
	mu         sync.Mutex
	statements []string
	answer     func(sql string, r *http.Request) *http.Response // nil, or a nil response: the database answers
}

// tap puts a wire under the connections of c.
func tap(c *Config) *wire {
	w := new(wire)
	options := *c.Options
	inner := options.TransportFunc
	options.TransportFunc = func(t *http.Transport) (http.RoundTripper, error) {
		next, err := inner(t)
		return tappedConn{w, next}, err
	}
	c.Options = &options
	return w
}

// tappedConn is one connection over a wire: clients make several at once.
type tappedConn struct {
	*wire
	next http.RoundTripper
}

func (w tappedConn) RoundTrip(r *http.Request) (*http.Response, error) {
	sql := r.URL.Query().Get("query") // of an insert; its body is the data
	if sql == "" && r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		sql, r.Body = string(body), io.NopCloser(bytes.NewReader(body))
	}
	w.mu.Lock()
	w.statements = append(w.statements, sql)
	answer := w.answer
	w.mu.Unlock()
	if answer != nil {
		if response := answer(sql, r); response != nil {
			if r.Body != nil {
				_, _ = io.Copy(io.Discard, r.Body)
				_ = r.Body.Close()
			}
			return response, nil
		}
	}
	return w.next.RoundTrip(r)
}

// intercept sets who answers in the database's place.
func (w *wire) intercept(answer func(sql string, r *http.Request) *http.Response) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answer = answer
}

// seen counts statements that contain a text.
func (w *wire) seen(text string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.statements {
		if strings.Contains(s, text) {
			n++
		}
	}
	return n
}

// exception is how a ClickHouse server answers a statement that failed.
func exception(r *http.Request, status int, code int, name string) *http.Response {
	text := fmt.Sprintf("Code: %d. DB::Exception: Something is wrong. (%s)\n", code, name)
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header:        http.Header{"X-Clickhouse-Exception-Code": {fmt.Sprint(code)}},
		ContentLength: int64(len(text)), Body: io.NopCloser(strings.NewReader(text)),
	}
}

// insertsPoints is the beginning of every insert of points.
const insertsPoints = "INSERT INTO points_"

var _ http.RoundTripper = tappedConn{}
