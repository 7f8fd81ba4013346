package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"time"
)

// listen opens the socket, whose name is free to take because the directory is locked, and the TCP address if there is one.
func listen(c childConfig) ([]net.Listener, error) {
	if err := os.Remove(c.socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove the socket of an earlier process: %w", err)
	}
	local, err := net.Listen("unix", c.socket)
	if err != nil {
		return nil, fmt.Errorf("listen on the socket of the embedded ClickHouse: %w", err)
	}
	if err := os.Chmod(c.socket, 0o600); err != nil {
		return nil, fmt.Errorf("keep the socket of the embedded ClickHouse private: %w", err)
	}
	if c.tcp == "" {
		return []net.Listener{local}, nil
	}
	tcp, err := net.Listen("tcp", c.tcp)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen for the embedded ClickHouse: %w", err), local.Close())
	}
	return []net.Listener{local, tcp}, nil
}

// serveHTTP answers until ctx ends, then lets running statements finish for a while and kills those that do not.
func serveHTTP(ctx context.Context, h http.Handler, listeners []net.Listener) error {
	statements, kill := context.WithCancel(context.Background())
	defer kill()
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return statements },
	}
	served := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { served <- server.Serve(l) }()
	}
	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.Background(), drainWait)
	defer cancel()
	if server.Shutdown(drain) != nil {
		kill()
		last, cancel := context.WithTimeout(context.Background(), closeWait)
		defer cancel()
		_ = server.Shutdown(last)
	}
	return err
}

// closeEngine gives chDB some time to end its threads. Its data needs no goodbye: it recovers as after a crash.
func closeEngine(e *engine) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.close()
	}()
	select {
	case <-done:
	case <-time.After(closeWait):
	}
}
