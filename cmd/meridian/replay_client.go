package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"meridian/cmd/meridian/config"
)

// runAsker asks a server, which may be in this process, and takes its answer as JSON
// into to, which may be nil.
type runAsker func(ctx context.Context, method, path string, body, to any) error

// withServer lets do ask the running server. Where none runs it starts one in this
// process, without listeners, which ends when do returns; here says so.
func (a *app) withServer(ctx context.Context, c config.Config, do func(ctx context.Context, ask runAsker, here bool) error) error {
	remote := func(ctx context.Context, method, path string, body, to any) error {
		ctx, cancel := context.WithTimeout(ctx, adminPatience)
		defer cancel()
		var data []byte
		if body != nil {
			var err error
			if data, err = json.Marshal(body); err != nil {
				return err
			}
		}
		status, answer, where, err := a.adminRequest(ctx, c, method, path, bytes.NewReader(data))
		if err != nil {
			return err
		}
		return readAnswer(where, status, answer, to)
	}
	err := remote(ctx, http.MethodGet, "/livez", nil, nil)
	if codeOf(err) != exitUnavailable || a.server != "" {
		return do(ctx, remote, false)
	}
	asked := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var failed error
	began := false
	err = a.serve(ctx, c, machineOptions{roles: roles{true, true, true}, inside: func(ctx context.Context, m *machine) {
		defer stop()
		for _, ready := range []chan struct{}{m.tables, m.coordinator.checked} {
			select {
			case <-ready:
			case <-ctx.Done():
				return
			}
		}
		mux := http.NewServeMux()
		m.serveRuns(mux)
		began = true
		failed = do(ctx, func(ctx context.Context, method, path string, body, to any) error {
			data, err := json.Marshal(body)
			if err != nil {
				return err
			}
			req, err := http.NewRequestWithContext(ctx, method, "http://localhost"+path, bytes.NewReader(data))
			if err != nil {
				return err
			}
			req.Header.Set(actorHeader, actor())
			w := &kept{header: http.Header{}, status: http.StatusOK}
			mux.ServeHTTP(w, req)
			return readAnswer("this process", w.status, w.body.Bytes(), to)
		}, true)
	}})
	if !began && asked.Err() != nil && err == nil {
		fmt.Fprintln(a.err, "\nStopped while the instance was starting; nothing was asked of it.")
		return errInterrupted
	}
	return errors.Join(err, failed)
}

// readAnswer reads an answer, or what it says is wrong.
func readAnswer(where string, status int, answer []byte, to any) error {
	if status/100 != 2 {
		return refusedBy(where, status, answer)
	}
	if to == nil {
		return nil
	}
	if err := json.Unmarshal(answer, to); err != nil {
		return fmt.Errorf("the answer of the server at %s cannot be read: %w", where, err)
	}
	return nil
}

// kept is an answer that stays in this process.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (k *kept) Header() http.Header         { return k.header }
func (k *kept) WriteHeader(status int)      { k.status = status }
func (k *kept) Write(p []byte) (int, error) { return k.body.Write(p) }
