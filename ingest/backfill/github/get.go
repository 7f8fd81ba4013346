package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-github/v62/github"
)

// isAppPath reports whether a path is the App's own business.
func isAppPath(path string) bool {
	path = strings.TrimPrefix(path, "/api/v3")
	return path == "/app" || strings.HasPrefix(path, "/app/")
}

// get reads one resource.
func (c *Client) get(ctx context.Context, path string, to any) (*github.Response, error) {
	r, err := c.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	return c.Do(ctx, r, to)
}

const perPage = 100

// most bounds the pages of one list; a server that links in circles ends there.
const most = 10_000

// pages reads a list, page by page, until it ends or each returns false.
func (c *Client) pages(ctx context.Context, path string, each func(items []json.RawMessage) (more bool, err error)) error {
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	for page := 1; page != 0 && page < most; {
		var items []json.RawMessage
		res, err := c.get(ctx, fmt.Sprintf("%s%sper_page=%d&page=%d", path, separator, perPage, page), &items)
		if err != nil {
			return err
		}
		more, err := each(items)
		if err != nil || !more {
			return err
		}
		page = res.NextPage
	}
	return nil
}

// all reads a list to its end.
func (c *Client) all(ctx context.Context, path string) (list []json.RawMessage, err error) {
	err = c.pages(ctx, path, func(items []json.RawMessage) (bool, error) {
		list = append(list, items...)
		return true, nil
	})
	return list, err
}

// status is the status of a refusal, or 0.
func status(err error) int {
	if e := new(github.ErrorResponse); errors.As(err, &e) && e.Response != nil {
		return e.Response.StatusCode
	}
	if e := new(github.RateLimitError); errors.As(err, &e) {
		return http.StatusForbidden
	}
	if e := new(github.AbuseRateLimitError); errors.As(err, &e) {
		return http.StatusForbidden
	}
	return 0
}

// gone reports whether what was listed is not there any more: deleted or moved
// away since.
func gone(err error) bool { s := status(err); return s == http.StatusNotFound || s == http.StatusGone }

// problem says in a sentence why a repository could not be read. It quotes no
// body of an answer.
func problem(err error) string {
	switch s := status(err); s {
	case 0:
		return err.Error()
	case http.StatusUnauthorized:
		return "GitHub does not take the token (401): it has expired or was revoked"
	case http.StatusForbidden:
		return "the token may not read it (403): it needs read access to contents, pull requests, issues, deployments and metadata"
	case http.StatusNotFound:
		return "there is no such thing, or the token may not see it (404)"
	default:
		return fmt.Sprintf("GitHub answered %d", s)
	}
}
