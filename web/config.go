package web

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
)

// Mode is how people sign in.
type Mode string

// Modes.
const (
	ModeToken Mode = "token"        // a one-time link, see Server.SignInLink
	ModeOIDC  Mode = "oidc"         // an identity provider
	ModeProxy Mode = "proxy_header" // a proxy in front, which says who it is
	ModeNone  Mode = "none"         // everybody may read: the demo alone
)

// Config is what a server needs beside what it reads.
type Config struct {
	// BaseURL is how people reach the server, path included. Its host is
	// allowed besides addresses and loopback names, links lie under its path,
	// and https makes cookies Secure.
	BaseURL string

	// WebhookURL is how other systems reach the webhooks, where they are
	// answered at an address of their own; "": under BaseURL.
	WebhookURL string

	// Hosts are more names under which the server may be reached.
	Hosts []string

	Mode     Mode
	OIDC     OIDC    // of ModeOIDC
	Proxy    Proxy   // of ModeProxy
	Groups   []Group // what people who sign in with either may do
	APIToken string  // bearer token with which programs look at all of /api/v1 and /metrics; "": none

	// PersonOf finds a person of the catalog by their e-mail address, so that they
	// may see the evidence of their own numbers; nil or zero: nobody is found.
	PersonOf func(email string) event.PersonID

	// Tokens is a file that is the server's alone, with the hashes of API tokens;
	// "": there are none.
	Tokens string

	// Audit is where it is written down who looked at people and who did what;
	// nil: nowhere.
	Audit Audit

	// Trusted says that a request comes over a way that only the owner of the
	// machine has, and needs no sign-in; nil: none does.
	Trusted func(*http.Request) bool

	// Starting reports that the tables are being made: what cannot be read until then
	// is no fault, and asks for patience. nil: it never is.
	Starting func() bool

	// Sessions is a directory that is the server's alone. Sessions lie in it,
	// so that they survive a restart; "": they do not.
	Sessions string

	// Shared says that others than the owner of the machine can read. Person
	// metrics are then never shown below a day.
	Shared bool

	// MinPeople is how many distinct people a person metric needs; at least 2.
	MinPeople int

	// Known tells people of the catalog from accounts that anybody could make
	// up to fill MinPeople; nil: everybody counts.
	Known func(event.PersonID) bool

	// Primary is the team in which a person counts for sums over teams, of those
	// that they work for; "" or nil: the one in which they are seen.
	Primary func(event.PersonID, timeline.Millis) string

	// Definitions are the metrics that are not disabled, in the order of pages.
	Definitions []*metrics.Definition

	// Runs are the generations that there are; nil: pages say nothing of them.
	Runs Runs

	// Quarantine is what was set aside; nil: pages say nothing of it.
	Quarantine Quarantine

	// Jobs is long work; nil: pages and API say nothing of it.
	Jobs Jobs

	// Bounds are the measured delays of sources; nil: pages say nothing of them.
	Bounds func() []Bound

	// Catalog is what its page shows; nil: there is no such page.
	Catalog Catalog

	// Schemas are JSON Schemas by the name under which /schemas/ has them.
	Schemas map[string][]byte

	// Storybook adds the pages of components and their states, for who works on them.
	Storybook bool

	Webhooks http.Handler // mounted at /webhooks/ without sign-in; nil: not here
	Metrics  http.Handler // /metrics; nil: 404

	Now func() time.Time // nil: time.Now
	Log *slog.Logger     // nil: slog.Default
}

// DefaultConfig returns what an instance without configuration has.
func DefaultConfig() Config {
	return Config{BaseURL: "http://127.0.0.1:8080", Mode: ModeToken, MinPeople: 5}
}

// Validate reports all problems at once.
func (c *Config) Validate() error {
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf("web: "+format, args...)) }
	if u, err := url.Parse(c.BaseURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		problem("base URL %q: write https://host or https://host/path", c.BaseURL)
	}
	switch c.Mode {
	case ModeToken, ModeNone:
	case ModeOIDC:
		problems = append(problems, c.OIDC.validate())
		if len(c.Groups) == 0 {
			problem("an identity provider needs groups that say who may see what, else nobody may see anything")
		}
	case ModeProxy:
		problems = append(problems, c.Proxy.validate())
	default:
		problem("sign-in mode %q is unknown: token, oidc or proxy_header", c.Mode)
	}
	problems = append(problems, c.validateGroups()...)
	if c.MinPeople < 2 {
		problem("person metrics need at least 2 people, not %d: with 1, a person's numbers would be shown as they are", c.MinPeople)
	}
	if len(c.Definitions) == 0 {
		problem("no metric is left to show")
	}
	return errors.Join(problems...)
}

// base returns the parsed base URL, its path without a slash at the end.
func (c *Config) base() *url.URL {
	u, err := url.Parse(c.BaseURL)
	if err != nil {
		return &url.URL{} // Validate has refused it
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = strings.TrimRight(u.RawPath, "/")
	return u
}
