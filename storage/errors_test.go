package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"meridian/metrics"
	"meridian/storage/embedded/embeddedtest"
)

// Every trouble is named, shown while it lasts, and tried again with the same
// rows until it is over.
func TestTroublesOfTheSink(t *testing.T) {
	d, w := tapped(t, nil)
	for _, c := range []struct {
		status, code int
		name         string
		want         error
		word         string
	}{
		{500, 243, "NOT_ENOUGH_SPACE", ErrDiskFull, "disk_full"},
		{500, 252, "TOO_MANY_PARTS", ErrTooManyParts, "too_many_parts"},
		{500, 241, "MEMORY_LIMIT_EXCEEDED", ErrMemory, "memory"},
		{404, 60, "UNKNOWN_TABLE", ErrSchema, "schema"},
		{403, 516, "AUTHENTICATION_FAILED", ErrAuthentication, "authentication"},
		{500, 1000, "POCO_EXCEPTION", ErrRefused, "refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			exec(t, d, "TRUNCATE TABLE points_live")
			var mu sync.Mutex
			failures, failed := 2, make(chan struct{})
			w.intercept(func(sql string, r *http.Request) *http.Response {
				mu.Lock()
				defer mu.Unlock()
				if !strings.Contains(sql, insertsPoints) || failures == 0 {
					return nil
				}
				if failures--; failures == 0 {
					close(failed)
				}
				return exception(r, c.status, c.code, c.name)
			})
			s := d.NewSink(Live, nil)
			run(t, s)
			if err := s.Put(t.Context(), 0, rowsFrom(1, 5)); err != nil {
				t.Fatal(err)
			}
			<-failed
			trouble := s.State().Trouble
			if !errors.Is(trouble, c.want) {
				t.Errorf("trouble: %v, want %v", trouble, c.want)
			}
			is(t, "its word", Trouble(trouble), c.word)
			if says := strings.Contains(fmt.Sprint(trouble), "the rows wait, with all that come after them"); says != (c.want == ErrRefused) {
				t.Errorf("trouble says %v", trouble)
			}
			if err := s.Flush(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
			state := s.State()
			is(t, "trouble is over", state.Trouble, nil)
			is(t, "retries", state.Retries, 2)
			is(t, "rows", count(t, d, "SELECT count() FROM points_live"), 5)
		})
	}
}

// A shard that cannot flush in time learns why.
func TestFlushTellsTheTrouble(t *testing.T) {
	d, w := tapped(t, nil)
	failed := make(chan struct{}, 100)
	w.intercept(func(sql string, r *http.Request) *http.Response {
		if !strings.Contains(sql, insertsPoints) {
			return nil
		}
		failed <- struct{}{}
		return exception(r, 500, 243, "NOT_ENOUGH_SPACE")
	})
	s := d.NewSink(Live, nil)
	run(t, s)
	if err := s.Put(t.Context(), 0, rowsFrom(1, 5)); err != nil {
		t.Fatal(err)
	}
	<-failed
	<-failed // the first one is in the state by now
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := s.Flush(ctx, 0)
	if !errors.Is(err, context.Canceled) || !errors.Is(err, ErrDiskFull) {
		t.Errorf("got %v, want both the end of the context and ErrDiskFull", err)
	}
}

// The trouble is real here: the tables are not there.
func TestReaderWithoutTables(t *testing.T) {
	d := openOn(t, embeddedtest.Start(t), nil)
	if _, err := d.NewReader().Points(t.Context(), everything(metrics.Hour)); !errors.Is(err, ErrSchema) {
		t.Errorf("got %v, want ErrSchema", err)
	}
}

func TestUnreachable(t *testing.T) {
	o, err := ParseDSN("http://meridian:very-secret@127.0.0.1:1/meridian")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(Config{Options: o})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	for what, err := range map[string]error{"Ping": d.Ping(t.Context()), "Health": d.Health(t.Context())} {
		if !errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: got %v, want ErrUnavailable", what, err)
		}
		if err != nil && strings.Contains(err.Error(), "very-secret") {
			t.Errorf("%s: the password is in the error", what)
		}
	}
}

// A proxy's answer is no exception of ClickHouse.
func TestClassifyStatus(t *testing.T) {
	for status, want := range map[int]error{401: ErrAuthentication, 403: ErrAuthentication, 502: ErrUnavailable} {
		err := classify(t.Context(), "ask", fmt.Errorf("query: %w", &clickhouse.HTTPError{StatusCode: status, Err: io.EOF}))
		if !errors.Is(err, want) || !errors.Is(err, io.EOF) {
			t.Errorf("%d: got %v, want %v and the cause", status, err, want)
		}
	}
}

func TestParseDSN(t *testing.T) {
	for dsn, ok := range map[string]bool{
		"http://meridian:secret@clickhouse:8123/meridian":  true,
		"https://meridian:secret@clickhouse:8443/meridian": true,
		"clickhouse://meridian:secret@clickhouse:9000":     false,
		"http://%zz:secret@":                               false,
		"":                                                 false,
	} {
		_, err := ParseDSN(dsn)
		if (err == nil) != ok {
			t.Errorf("%q: %v", dsn, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the password is in the error %v", dsn, err)
		}
	}
}

func TestAnswerIsBounded(t *testing.T) {
	d, _ := open(t, func(c *Config) { c.AnswerRows = 10 })
	current(t, d, 1, 1)
	r := d.NewReader()
	write(t, d, Live, rowsFrom(1, 10)...)
	if points, err := r.Points(t.Context(), everything(metrics.Hour)); err != nil || len(points) != 10 {
		t.Errorf("at the bound: %d points, %v", len(points), err)
	}
	write(t, d, Live, rowsFrom(2, 1)...)
	if points, err := r.Points(t.Context(), everything(metrics.Hour)); !errors.Is(err, ErrTooMuch) || len(points) != 0 {
		t.Errorf("beyond it: %d points, %v; want none and ErrTooMuch", len(points), err)
	}
}

// A query that the database ends, a database that does not answer, and a reader
// that goes away get different errors.
func TestQueryEnds(t *testing.T) {
	d, w := tapped(t, func(c *Config) { c.QueryTime = 5 * time.Second })
	current(t, d, 1, 1)
	r := d.NewReader()
	asOf(t, r)
	ofPoints := func(sql string) bool { return strings.Contains(sql, "What are the points") }

	w.intercept(func(sql string, r *http.Request) *http.Response {
		if ofPoints(sql) {
			return exception(r, 408, 159, "TIMEOUT_EXCEEDED")
		}
		return nil
	})
	if _, err := r.Points(t.Context(), everything(metrics.Hour)); !errors.Is(err, ErrTooMuch) {
		t.Errorf("it takes too long: %v, want ErrTooMuch", err)
	}

	reached := make(chan struct{}, 10)
	w.intercept(func(sql string, r *http.Request) *http.Response {
		if ofPoints(sql) {
			reached <- struct{}{}
			<-r.Context().Done()
		}
		return nil
	})
	if _, err := r.Points(t.Context(), everything(metrics.Hour)); !errors.Is(err, ErrUnavailable) {
		t.Errorf("no answer: %v, want ErrUnavailable", err)
	}
	<-reached

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-reached
		cancel()
	}()
	if _, err := r.Points(ctx, everything(metrics.Hour)); !errors.Is(err, context.Canceled) || errors.Is(err, ErrTooMuch) || errors.Is(err, ErrUnavailable) {
		t.Errorf("its reader is gone: %v, want context.Canceled alone", err)
	}
}
