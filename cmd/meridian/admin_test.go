package main

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"meridian/cmd/meridian/config"
	"meridian/ingest"
	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web"
	"meridian/web/webtest"
)

type noLog struct{}

func (noLog) AppendTick(context.Context, int32, timeline.Millis) error { return nil }

// doubting serves the admin endpoints of an instance whose last tick is two
// days old, until the test ends.
func doubting(t *testing.T, dir, adminListen string) (ticker *ingest.Ticker, token string) {
	t.Helper()
	last := timeline.Millis(1_772_445_600_000)
	ticker, err := ingest.NewTicker(ingest.TickerConfig{
		Partitions: 1, Appender: noLog{}, Last: last, Wall: func() time.Time { return (last + 2*timeline.Day).Time() },
	})
	if err != nil {
		t.Fatal(err)
	}
	pages := webtest.Empty()
	wc := web.DefaultConfig()
	wc.Definitions = metrics.Definitions()
	wc.Tokens = filepath.Join(t.TempDir(), "tokens.json")
	site, err := web.New(wc, pages.Results(), pages.Directory(), pages, pages, pages)
	if err != nil {
		t.Fatal(err)
	}
	token, _, err = site.MakeToken(t.Context(), web.Owner(), web.NewToken{Label: "a test", Roles: web.Viewer | web.Admin})
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{
		app:    &app{log: slog.New(slog.DiscardHandler)},
		config: config.Config{AdminListen: adminListen}, instance: &instance{dir: dir}, door: &door{ticker: ticker}, status: &status{},
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- m.serveAdmin(ctx, site, http.NotFoundHandler()) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return ticker, token
}

// answered runs a command until a server answers it, which has just been started.
func answered(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	for t.Context().Err() == nil {
		var said bytes.Buffer
		if code = run(t.Context(), args, streams{in: strings.NewReader(""), out: &said, err: &said}); code != exitUnavailable {
			return code, said.String()
		}
	}
	t.Fatal("nobody answered")
	return
}

// A directory that is too deep for a socket does not take the admin address away.
func TestAdminAddressWithoutASocket(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	ticker, token := doubting(t, filepath.Join(t.TempDir(), strings.Repeat("deep/", 30)), addr)
	t.Setenv("MERIDIAN_TOKEN", token)
	code, said := answered(t, "clock", "trust", "--server", "http://"+addr)
	if ok, detail := ticker.Health(); code != exitOK || !ok {
		t.Errorf("exit code %d, said %q; the clock: %v, %s", code, said, ok, detail)
	}
	var elsewhere bytes.Buffer
	code = run(t.Context(), []string{"clock", "trust", "--server", "http://" + addr + "/pages"}, streams{in: strings.NewReader(""), out: &elsewhere, err: &elsewhere})
	if code != exitUnavailable || !strings.Contains(elsewhere.String(), "not as an admin address") {
		t.Errorf("of an address that is not the admin's: exit code %d, said %q", code, &elsewhere)
	}
}
