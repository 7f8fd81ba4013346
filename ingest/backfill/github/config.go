package github

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/go-github/v62/github"

	"meridian/ingest/backfill"
)

// Config says which GitHub to read, and as whom.
type Config struct {
	URL   string // of an Enterprise server; "": github.com
	Token string // a personal or fine-grained token; "" where App is set
	App   *App

	// Send is how requests go out; nil: a transport of its own.
	Send *backfill.Transport
}

// Name says which GitHub it is, for messages and for matching.
func (c Config) Name() string {
	u, err := url.Parse(c.URL)
	if c.URL == "" || err != nil || u.Host == "" {
		return "github.com"
	}
	return u.Host
}

// Client is go-github's, with what surrounds it.
type Client struct {
	*github.Client
	send *backfill.Transport
	app  bool
}

// NewClient returns a client. It sends nothing yet.
func NewClient(c Config) (*Client, error) {
	if c.Token == "" && c.App == nil {
		return nil, errors.New("apis.github: it needs a token or an app, for GitHub shows next to nothing to strangers")
	}
	send := c.Send
	if send == nil {
		send = &backfill.Transport{Reserve: 100}
	}
	base := "https://api.github.com/"
	if c.URL != "" {
		base = c.URL
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("apis.github: url %q is no URL", c.URL)
	}
	signed := &signed{host: u.Host, next: send, token: func(*http.Request) (string, error) { return c.Token, nil }}
	gh := github.NewClient(&http.Client{Transport: signed})
	gh.UserAgent = "meridian-backfill"
	if c.URL != "" {
		if gh, err = gh.WithEnterpriseURLs(enterprise(c.URL), enterprise(c.URL)); err != nil {
			return nil, fmt.Errorf("apis.github: url: %w", err)
		}
	}
	client := &Client{Client: gh, send: send}
	if c.App != nil {
		tokens, err := newTokens(*c.App, gh.BaseURL, send)
		if err != nil {
			return nil, err
		}
		signed.token, client.app = tokens.token, true
	}
	return client, nil
}

// enterprise is the address as people write it: with the API's path or without.
// WithEnterpriseURLs adds what is missing.
func enterprise(u string) string {
	return strings.TrimSuffix(strings.TrimRight(u, "/"), "/api/v3") + "/"
}

// Budget is what the API has said of its limits.
func (c *Client) Budget() backfill.Budget { return c.send.Budget() }

// signed adds the token, to requests of its host alone: an answer may send the
// client anywhere, and the token must not go along.
type signed struct {
	host  string
	next  http.RoundTripper
	token func(*http.Request) (string, error)
}

func (s *signed) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != s.host {
		return s.next.RoundTrip(r)
	}
	token, err := s.token(r)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return s.next.RoundTrip(r)
}
