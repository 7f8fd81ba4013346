package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"meridian/cmd/meridian/config"
)

// adminClient is how the running server is reached: over the socket in its data
// directory, or at its admin address (--server).
func (a *app) adminClient(c config.Config) (client *http.Client, base, where string) {
	if a.server != "" {
		return http.DefaultClient, strings.TrimRight(a.server, "/"), a.server
	}
	socket := filepath.Join(c.DataDir, adminSocket)
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}, "http://localhost", socket
}

// adminStream asks the running server for something long, and copies the answer
// to to as it comes. An answer that breaks off is an error.
func (a *app) adminStream(ctx context.Context, c config.Config, method, path string, body io.Reader, to io.Writer) error {
	client, base, where := a.adminClient(c)
	req, err := http.NewRequestWithContext(ctx, method, base+path, body)
	if err != nil {
		return withCode(exitUsage, err)
	}
	req.Header.Set(actorHeader, actor())
	if err := a.bearer(req); err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return nobodyAnswers(where, err)
	}
	defer res.Body.Close()
	if err := a.notAdmin(where, path, res); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		answer, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
		if err != nil {
			return withCode(exitUnavailable, err)
		}
		err = refusedBy(where, res.StatusCode, answer)
		if res.StatusCode == http.StatusServiceUnavailable {
			err = withCode(exitUnavailable, err)
		}
		return err
	}
	if _, err := io.Copy(to, res.Body); err != nil {
		return withCode(exitUnavailable, fmt.Errorf("the server at %s broke off its answer, which is incomplete: %w", where, err))
	}
	return nil
}

// serverAnswers reports whether a server runs on the data directory.
func (a *app) serverAnswers(ctx context.Context, c config.Config) bool {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", filepath.Join(c.DataDir, adminSocket))
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// mustBeInstance refuses a directory in which no instance has ever been: a command
// that reads would make one and find nothing.
func mustBeInstance(dir string) error {
	_, err := os.Stat(filepath.Join(dir, "instance.json"))
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no instance in %s; name its data directory with --data-dir", dir)
	}
	return err
}
