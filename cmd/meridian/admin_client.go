package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"meridian/cmd/meridian/config"
)

// adminPatience bounds what is asked of a running server, except for what reads
// the whole log.
const adminPatience = 30 * time.Second

// adminAnswerLimit bounds what is read of an answer.
const adminAnswerLimit = 64 << 20

// adminRequest asks the running server over the admin socket in its data
// directory, or over its admin address (--server), and returns its answer
// whatever its status. That nobody answers is exit code 4.
func (a *app) adminRequest(ctx context.Context, c config.Config, method, path string, body io.Reader) (status int, answer []byte, where string, err error) {
	client, base, where := a.adminClient(c)
	req, err := http.NewRequestWithContext(ctx, method, base+path, body)
	if err != nil {
		return 0, nil, where, withCode(exitUsage, err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set(actorHeader, actor())
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if err := a.bearer(req); err != nil {
		return 0, nil, where, err
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, nil, where, nobodyAnswers(where, err)
	}
	defer res.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(res.Body, adminAnswerLimit))
	if err != nil {
		return 0, nil, where, withCode(exitUnavailable, fmt.Errorf("the server at %s broke off its answer: %w", where, err))
	}
	if err := a.notAdmin(where, path, res); err != nil {
		return 0, nil, where, err
	}
	return res.StatusCode, answer, where, nil
}

// askAdmin is adminRequest for what either works or does not.
func (a *app) askAdmin(ctx context.Context, c config.Config, method, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, adminPatience)
	defer cancel()
	status, answer, where, err := a.adminRequest(ctx, c, method, path, nil)
	if err != nil {
		return "", err
	}
	if status != http.StatusOK {
		return "", refusedBy(where, status, answer)
	}
	return strings.TrimSpace(string(answer)), nil
}

// refusedBy is a server's answer that is no success, in its own words.
func refusedBy(where string, status int, answer []byte) error {
	var problem struct {
		Detail string `json:"detail"`
	}
	text := strings.TrimSpace(string(answer))
	if json.Unmarshal(answer, &problem) == nil && problem.Detail != "" {
		text = problem.Detail
	}
	return fmt.Errorf("the server at %s answered %d: %s", where, status, text)
}
