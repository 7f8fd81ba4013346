package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// listen opens an address; with says what chooses another one.
func listen(addr, with string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, withCode(exitUnavailable, fmt.Errorf("cannot listen on %s: %w; stop what uses the port, or choose another address with %s", addr, err, with))
	}
	return l, nil
}

func closing(err *error, l net.Listener) {
	if e := l.Close(); e != nil && !errors.Is(e, net.ErrClosed) {
		*err = errors.Join(*err, e)
	}
}

// stopPatience is how long requests that are under way may take at a stop.
const stopPatience = 5 * time.Second

// serveHTTP serves until ctx ends; then requests under way may finish.
func serveHTTP(ctx context.Context, l net.Listener, h http.Handler, closeStreams func(), log *slog.Logger) error {
	if tcp, ok := l.(*net.TCPListener); ok { // not of the admin socket, which strangers cannot open
		l = boundConnections(tcp)
	}
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		closeStreams()
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopPatience)
		defer cancel()
		if server.Shutdown(stop) != nil {
			server.Close()
		}
	}()
	err := server.Serve(l)
	if !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-stopped
	return nil
}

// serveWebhooks answers webhooks on an address of their own, which may face the
// internet: nothing else is there but /livez.
func serveWebhooks(ctx context.Context, addr string, receiver http.Handler, log *slog.Logger) error {
	l, err := listen(addr, "--webhook-listen")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/webhooks/", receiver)
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	return serveHTTP(ctx, l, mux, func() {}, log)
}
