package instance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// An Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Detail is the sentence of a problem document.
func (a Answer) Detail() string {
	var problem struct {
		Detail string `json:"detail"`
	}
	if json.Unmarshal(a.Body, &problem) != nil {
		return ""
	}
	return problem.Detail
}

// Ask sends a request with the API token.
func (in *Instance) Ask(method, path string, header http.Header, body io.Reader) (Answer, error) {
	req, err := http.NewRequest(method, in.URL+path, body)
	if err != nil {
		return Answer{}, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	if req.Header.Get("Authorization") == "" && !strings.HasPrefix(path, "/webhooks/") {
		req.Header.Set("Authorization", "Bearer "+Token)
	}
	// A connection for each request: one that a kill has torn must not fail the next instance's first request.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	return Answer{res.StatusCode, res.Header, data}, err
}

// Get asks for a page or the API; anything but 200 is an error.
func (in *Instance) Get(path string) ([]byte, error) {
	a, err := in.Ask(http.MethodGet, path, nil, nil)
	if err == nil && a.Status != http.StatusOK {
		err = fmt.Errorf("GET %s: %d: %s", path, a.Status, a.Body[:min(len(a.Body), 500)])
	}
	return a.Body, err
}

// Status is a part of /api/v1/status.
type Status struct {
	OK    bool `json:"ok"`
	Parts []struct {
		Name   string `json:"name"`
		OK     bool   `json:"ok"`
		Detail string `json:"detail"`
	} `json:"parts"`
	AsOf AsOf `json:"as_of"`
}

// AsOf is how far the numbers are.
type AsOf struct {
	Generation int        `json:"generation"`
	Clock      *time.Time `json:"clock"`
}

// Status asks how the instance is.
func (in *Instance) Status() (s Status, err error) {
	body, err := in.Get("/api/v1/status")
	if err == nil {
		err = json.Unmarshal(body, &s)
	}
	return s, err
}

// AwaitParts returns when these parts of the instance are well; without any, when all are.
func (in *Instance) AwaitParts(names ...string) {
	in.t.Helper()
	Await(in.t, func() error {
		s, err := in.Status()
		if err != nil {
			return err
		}
		well := map[string]bool{}
		for _, p := range s.Parts {
			well[p.Name] = p.OK
			if len(names) == 0 && !p.OK {
				return fmt.Errorf("%s: %s", p.Name, p.Detail)
			}
		}
		for _, name := range names {
			if !well[name] {
				return fmt.Errorf("%s is not well: %+v", name, s.Parts)
			}
		}
		return nil
	})
}

// AwaitClock returns when readers see everything up to an instant.
func (in *Instance) AwaitClock(at time.Time) {
	in.t.Helper()
	Await(in.t, func() error {
		s, err := in.Status()
		switch {
		case err != nil:
			return err
		case s.AsOf.Clock == nil:
			return errors.New("there is no clock yet")
		case s.AsOf.Clock.Before(at):
			return fmt.Errorf("the clock is at %s, before %s: %+v", s.AsOf.Clock, at, s.Parts)
		}
		return nil
	})
}

// AwaitTaken waits until what was acknowledged up to an instant is in the numbers. A tick's time is rounded up to half a
// second, so that a clock which is not that much later may have been given before.
func (in *Instance) AwaitTaken(at time.Time) {
	in.t.Helper()
	in.AwaitClock(at.Add(500 * time.Millisecond))
}

// Points asks for points and follows the cursor to the end.
func (in *Instance) Points(query string, limit int) (all []Point, err error) {
	cursor := ""
	for {
		path := fmt.Sprintf("/api/v1/points?%s&limit=%d", query, limit)
		if cursor != "" {
			path += "&cursor=" + url.QueryEscape(cursor)
		}
		body, err := in.Get(path)
		if err != nil {
			return nil, err
		}
		var page struct {
			Points []json.RawMessage `json:"points"`
			Next   *string           `json:"next"`
		}
		if err := json.Unmarshal(body, &page); err != nil {
			return nil, fmt.Errorf("GET %s: %w", path, err)
		}
		if len(page.Points) > limit {
			return nil, fmt.Errorf("GET %s: %d points, more than the limit", path, len(page.Points))
		}
		for _, line := range page.Points {
			p, err := ParsePoint(string(line))
			if err != nil {
				return nil, err
			}
			all = append(all, p)
		}
		if page.Next == nil {
			return all, nil
		}
		if len(page.Points) != limit {
			return nil, fmt.Errorf("GET %s: a page of %d with another behind it", path, len(page.Points))
		}
		cursor = *page.Next
	}
}
