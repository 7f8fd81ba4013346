package web_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"meridian/web"
	"meridian/web/webtest"
)

// pipe is a response whose reader sees each flush.
type pipe struct {
	header http.Header
	*io.PipeWriter
}

func (p *pipe) Header() http.Header { return p.header }
func (p *pipe) WriteHeader(int)     {}
func (p *pipe) Flush()              {}

// open opens a stream in a bubble and returns its lines.
func open(ctx context.Context, s *web.Server) (<-chan string, http.Header) {
	read, write := io.Pipe()
	w := &pipe{http.Header{}, write}
	r := httptest.NewRequest("GET", "http://127.0.0.1/events", nil).WithContext(ctx)
	go func() {
		s.Handler().ServeHTTP(w, r)
		_ = write.Close()
	}()
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for scan := bufio.NewScanner(read); scan.Scan(); {
			lines <- scan.Text()
		}
	}()
	return lines, w.header
}

func drain(lines <-chan string) string {
	var b strings.Builder
	for {
		select {
		case l, ok := <-lines:
			if !ok {
				return b.String() + "(end)"
			}
			b.WriteString(l + "\n")
		default:
			return b.String()
		}
	}
}

func TestStream(t *testing.T) {
	o := webtest.Acme()
	synctest.Test(t, func(t *testing.T) {
		s, err := web.New(config(), o.Results(), o.Directory(), o, o, o)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		lines, header := open(ctx, s)
		synctest.Wait()
		if got := drain(lines); got != "retry: 2000\n\n" {
			t.Errorf("at the beginning %q", got)
		}
		if header.Get("Content-Type") != "text/event-stream" || header.Get("Content-Encoding") != "" {
			t.Errorf("%v", header)
		}
		o.Publish(webtest.Clock)
		synctest.Wait()
		if got, want := drain(lines), fmt.Sprintf("event: rows\nid: %d\ndata: %d\n\n", webtest.Clock, webtest.Clock); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		o.Publish(webtest.Clock) // another shard's rows of the same clock
		synctest.Wait()
		if got := drain(lines); got != "" {
			t.Errorf("told twice of one clock: %q", got)
		}
		o.Change(func() { o.AsOfAnswer.Clock++ })
		o.Publish(webtest.Clock + 1)
		synctest.Wait()
		if got, want := drain(lines), fmt.Sprintf("event: rows\nid: %d\ndata: %d\n\n", webtest.Clock+1, webtest.Clock+1); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		time.Sleep(26 * time.Second) // of the bubble's own clock
		synctest.Wait()
		if got := drain(lines); got != ": still here\n\n" {
			t.Errorf("after 26 quiet seconds %q", got)
		}
		cancel() // the page is closed
		synctest.Wait()
		if n := o.Publish(webtest.Clock); n != 0 {
			t.Errorf("%d pages are still subscribed", n)
		}

		lines, _ = open(t.Context(), s)
		synctest.Wait()
		s.Close() // the server stops
		synctest.Wait()
		if got := drain(lines); !strings.HasSuffix(got, "(end)") || o.Publish(0) != 0 {
			t.Errorf("after Close %q", got)
		}
	})
}
