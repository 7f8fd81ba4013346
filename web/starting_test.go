package web_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"meridian/web"
	"meridian/web/webtest"
)

// While tables are being made, what cannot be read is no fault: whoever asks is told to
// ask again, and the log does not cry out.
func TestRequestsWhileTablesAreMade(t *testing.T) {
	var broken *webtest.Organisation
	for _, state := range webtest.States() {
		if state.Name == "broken" {
			broken = state.Organisation
		}
	}
	for _, starting := range []bool{true, false} {
		var log bytes.Buffer
		s := newServer(t, broken, func(c *web.Config) {
			c.Starting = func() bool { return starting }
			c.Log = slog.New(slog.NewTextHandler(&log, nil))
		})
		for _, headers := range [][]string{nil, {"Accept", asBrowser}} {
			r := request(t, s, "GET", "/api/v1/points?metric=pr_merged&scope=org", headers...)
			if text := body(t, r); r.StatusCode != 503 || r.Header.Get("Retry-After") == "" || strings.Contains(text, "The server is starting") != starting {
				t.Errorf("starting %v: %d %s", starting, r.StatusCode, text)
			}
		}
		if strings.Contains(log.String(), "level=ERROR") == starting || !strings.Contains(log.String(), "a request failed") {
			t.Errorf("starting %v: the log says\n%s", starting, log.String())
		}
	}
}
