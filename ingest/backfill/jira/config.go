package jira

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/andygrunwald/go-jira"

	"meridian/ingest/backfill"
)

// Config says which Jira to read, and as whom.
type Config struct {
	URL   string // https://acme.atlassian.net, or a Data Center's with its path
	Email string // Cloud: whose token it is; "": Data Center
	Token string // an API token (Cloud) or a personal access token (Data Center)

	// Send is how requests go out; nil: a transport of its own.
	Send *backfill.Transport
}

// Client is go-jira's, with what surrounds it.
type Client struct {
	*jira.Client
	send  *backfill.Transport
	cloud bool
	site  string // as the decoders name it: host and path
}

// NewClient returns a client. It sends nothing yet.
func NewClient(c Config) (*Client, error) {
	u, err := url.Parse(c.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("apis.jira: url %q is no URL: write https://acme.atlassian.net", c.URL)
	case c.Token == "":
		return nil, errors.New("apis.jira: it needs a token: an API token with its email (Cloud), or a personal access token (Data Center)")
	}
	send := c.Send
	if send == nil {
		send = &backfill.Transport{}
	}
	var signed http.RoundTripper = &jira.PATAuthTransport{Token: c.Token, Transport: send}
	if c.Email != "" {
		signed = &jira.BasicAuthTransport{Username: c.Email, Password: c.Token, Transport: send}
	}
	api, err := jira.NewClient(&http.Client{Transport: &sameHost{u.Host, signed, send}}, c.URL)
	if err != nil {
		return nil, fmt.Errorf("apis.jira: %w", err)
	}
	return &Client{Client: api, send: send, cloud: c.Email != "", site: strings.ToLower(u.Host) + strings.TrimRight(u.EscapedPath(), "/")}, nil
}

// sameHost keeps the token at its host: a redirect may lead anywhere.
type sameHost struct {
	host          string
	signed, plain http.RoundTripper
}

func (s *sameHost) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == s.host {
		return s.signed.RoundTrip(r)
	}
	return s.plain.RoundTrip(r)
}

// Budget is what the API has said of its limits.
func (c *Client) Budget() backfill.Budget { return c.send.Budget() }
