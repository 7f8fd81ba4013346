// Command storybook serves the pages over a made-up organisation, to look at
// them and to work on them: go run ./web/storybook
//
// Each state that pages have a design for (empty, behind, importing, broken)
// has a port of its own, printed at the start; /storybook there has each component
// in each of its states.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"meridian/metrics"
	"meridian/web"
	"meridian/web/webtest"
)

func main() {
	port := flag.Int("port", 8100, "the first of the ports; 0 picks free ones")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *port); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, port int) error {
	failed := make(chan error, 1)
	for _, state := range webtest.States() {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return fmt.Errorf("storybook: listen: %w", err)
		}
		if port != 0 {
			port++
		}
		c := web.DefaultConfig()
		c.BaseURL, c.Mode, c.Definitions = "http://"+l.Addr().String(), web.ModeNone, metrics.Definitions()
		c.Bounds, c.Storybook = webtest.Bounds, true
		c.Now = func() time.Time { return webtest.Clock.Time().Add(state.Behind) }
		o := state.Organisation
		s, err := web.New(c, o.Results(), o.Directory(), o, o, o)
		if err != nil {
			return err
		}
		server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 5 * time.Second}
		context.AfterFunc(ctx, func() { _ = server.Close() })
		go func() {
			if err := server.Serve(l); err != http.ErrServerClosed {
				failed <- err
			}
		}()
		fmt.Printf("%-10s http://%s\n", state.Name, l.Addr())
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	}
}
