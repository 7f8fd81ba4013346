package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/sys/unix"
)

// listenPatience is how long an address may be taken by a process that is ending:
// one that was just killed has let go of it by then, as of its lock.
const listenPatience = lockPatience

// listen opens an address; with says what chooses another one.
func listen(ctx context.Context, addr, with string, log *slog.Logger) (net.Listener, error) {
	return listenFor(ctx, listenPatience, addr, with, log)
}

func listenFor(ctx context.Context, patience time.Duration, addr, with string, log *slog.Logger) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, unix.EADDRINUSE) && patience > 0 {
		log.Info("the address is taken; waiting, in case a process that is ending has it", "address", addr, "for", patience.String())
	}
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for enough := time.After(patience); errors.Is(err, unix.EADDRINUSE); l, err = net.Listen("tcp", addr) {
		select {
		case <-again.C:
			continue
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-enough:
		}
		break
	}
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
	l, err := listen(ctx, addr, "--webhook-listen", log)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/webhooks/", receiver)
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	return serveHTTP(ctx, l, mux, func() {}, log)
}
