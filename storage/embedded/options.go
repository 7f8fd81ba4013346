package embedded

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Options are for clickhouse.Open and clickhouse.OpenDB alike. They may be changed (settings, pool sizes) before use, but
// leave compression off. While a child is being started again a new connection waits for it, at most dialWait; a request that
// was under way fails, and repeating it is the caller's decision.
func (s *Server) Options() *clickhouse.Options {
	return &clickhouse.Options{
		Protocol:     clickhouse.HTTP,
		Addr:         []string{"embedded"}, // a name for logs: the dialer below knows the way
		Auth:         clickhouse.Auth{Database: s.cfg.Database},
		MaxOpenConns: s.cfg.Connections,
		MaxIdleConns: s.cfg.Connections,
		DialContext:  s.dial,
		TransportFunc: func(t *http.Transport) (http.RoundTripper, error) {
			t.Proxy = nil // HTTP_PROXY is not for a socket
			return t, nil
		},
	}
}

// dialWait is longer than a child takes to start after its worst pause, and shorter than anyone waits for a page.
const (
	dialWait = 20 * time.Second
	redial   = 10 * time.Millisecond
)

func (s *Server) dial(ctx context.Context, _ string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialWait)
	defer cancel()
	for {
		if err := s.Ready(ctx); err != nil {
			return nil, err
		}
		s.mu.Lock()
		socket := s.socket
		s.mu.Unlock()
		conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
		if err == nil {
			return conn, nil
		}
		select { // a child just died and Run has not seen it yet
		case <-time.After(redial):
		case <-ctx.Done():
			return nil, err
		}
	}
}
