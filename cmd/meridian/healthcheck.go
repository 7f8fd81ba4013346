package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
)

func (a *app) healthcheckCommand() *cobra.Command {
	return &cobra.Command{
		Use: "healthcheck", Short: "Ask a running server's /readyz; exit code 4 when it is not ready", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.config(nil)
			if err != nil {
				return err
			}
			return a.healthcheck(cmd.Context(), a.serverURL(c))
		},
	}
}

// serverURL is where the running server is asked: --server, else where this
// configuration listens, on loopback when that is every address.
func (a *app) serverURL(c config.Config) string {
	if a.server != "" {
		return strings.TrimRight(a.server, "/")
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return "http://" + c.Listen // the configuration was checked
	}
	switch host {
	case "", "0.0.0.0":
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

func (a *app) healthcheck(ctx context.Context, server string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server+"/readyz", nil)
	if err != nil {
		return withCode(exitUsage, err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return withCode(exitUnavailable, fmt.Errorf("no server answers at %s: %w", server, err))
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return withCode(exitUnavailable, err)
	}
	if res.StatusCode == http.StatusOK {
		fmt.Fprintln(a.out, "ready")
		return nil
	}
	var problem struct {
		Detail string `json:"detail"`
	}
	if json.Unmarshal(body, &problem) != nil || problem.Detail == "" {
		problem.Detail = strings.TrimSpace(string(body))
	}
	return withCode(exitUnavailable, fmt.Errorf("the server is not ready (%d): %s", res.StatusCode, problem.Detail))
}
