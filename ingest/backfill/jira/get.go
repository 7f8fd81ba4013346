package jira

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// refusal is an answer of Jira that is none to the question.
type refusal struct{ status int }

func (e *refusal) Error() string {
	switch e.status {
	case http.StatusUnauthorized:
		return "Jira does not take the token (401): it has expired or was revoked, or email and token are not of one account"
	case http.StatusForbidden:
		return "the token may not read it (403): it needs to browse the project"
	case http.StatusNotFound:
		return "there is no such thing, or the token may not see it (404)"
	case http.StatusBadRequest:
		return "Jira does not take the query (400): there is no such project, or the token may not see it"
	}
	return fmt.Sprintf("Jira answered %d", e.status)
}

func statusOf(err error) int {
	if e := new(refusal); errors.As(err, &e) {
		return e.status
	}
	return 0
}

// get reads one resource; path is under the site's.
func (c *Client) get(ctx context.Context, path string, query url.Values, to any) error {
	return c.ask(ctx, http.MethodGet, path+"?"+query.Encode(), nil, to)
}

func (c *Client) ask(ctx context.Context, method, path string, body, to any) error {
	r, err := c.NewRequestWithContext(ctx, method, path, body)
	if err != nil {
		return err
	}
	res, err := c.Do(r, to)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case res == nil:
		return fmt.Errorf("ask Jira: %w", err)
	case res.StatusCode/100 != 2:
		res.Body.Close()
		return &refusal{res.StatusCode}
	}
	return err
}

// page is one of a list of an issue's own: its changelog or comments.
type page struct {
	StartAt  int               `json:"startAt"`
	Total    int               `json:"total"`
	Values   []json.RawMessage `json:"values"`   // changelog
	Comments []json.RawMessage `json:"comments"` // comments
}

const perPage = 100

// rest reads a list of an issue from the beginning to its end.
func (c *Client) rest(ctx context.Context, path string, of func(page) []json.RawMessage) (list []json.RawMessage, err error) {
	for {
		var p page
		err := c.get(ctx, path, url.Values{"startAt": {fmt.Sprint(len(list))}, "maxResults": {fmt.Sprint(perPage)}}, &p)
		if err != nil {
			return nil, err
		}
		list = append(list, of(p)...)
		if len(of(p)) == 0 || len(list) >= p.Total {
			return list, nil
		}
	}
}
