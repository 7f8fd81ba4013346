package ingest

import (
	"context"
	"log/slog"
	"net/http"
	"time"
)

// accessLog writes a line for each request to a webhook endpoint. It names the
// configured source, and of the request nothing but its size and who sent it: no
// path, since anybody can ask for any, no query, in which tokens stand, no header
// and no body.
func (rc *Receiver) accessLog(r *http.Request, s *source, status int, delivery string, began time.Time) {
	if rc.config.AccessLog == nil {
		return
	}
	label := "none"
	if s != nil {
		label = s.label()
	}
	rc.config.AccessLog.LogAttrs(context.WithoutCancel(r.Context()), slog.LevelInfo, "webhook",
		slog.String("source", label), slog.Int("status", status), slog.String("delivery", delivery),
		slog.Int64("bytes", max(r.ContentLength, 0)), slog.String("from", addressOf(r, rc.config.TrustedProxies).String()),
		slog.Duration("took", rc.config.Now().Sub(began).Round(time.Microsecond)))
}
