package ingest

import (
	"errors"
	"fmt"
	"regexp"

	"meridian/ingest/event"
)

// Verify is how a source proves that a delivery comes from it.
type Verify string

// Ways to verify.
const (
	VerifyHMAC   Verify = "hmac"      // a signature over the raw body
	VerifyBearer Verify = "bearer"    // Authorization: Bearer
	VerifyToken  Verify = "url_token" // ?token=
)

// Limits of a delivery's body, in bytes.
const (
	GitHubLimit  = 25 << 20
	DefaultLimit = 10 << 20
)

// SourceConfig is one endpoint, POST /webhooks/{provider}/{name}.
type SourceConfig struct {
	Provider string   // github, jira, deploy, argocd, cdevents
	Name     string   // the last segment of its path; may be "" for the only source of a provider, which is found without a name in any case
	Secrets  []string // any of them is right; two while they are rotated. At least one
	Verify   Verify   // "": hmac
	Limit    int64    // of the body, in bytes; 0: 25 MiB for github, 10 MiB for others
	Decoder  Decoder
}

// SourceOf returns the family of a provider.
func SourceOf(provider string) event.Source {
	switch provider {
	case "github":
		return event.GitHub
	case "jira":
		return event.Jira
	case "deploy", "argocd", "cdevents":
		return event.Deploy
	}
	return event.SourceUnknown
}

var sourceName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)

func (c SourceConfig) path() string { return "/webhooks/" + c.label() }

// label names the source in sentences and keys.
func (c SourceConfig) label() string { return sourceLabel(c.Provider, c.Name) }

func sourceLabel(provider, name string) string {
	if name == "" {
		return provider
	}
	return provider + "/" + name
}

// withDefaults fills in what was left out.
func (c SourceConfig) withDefaults() SourceConfig {
	if c.Verify == "" {
		c.Verify = VerifyHMAC
	}
	if c.Limit == 0 {
		c.Limit = DefaultLimit
		if c.Provider == "github" {
			c.Limit = GitHubLimit
		}
	}
	return c
}

// validate reports all that is wrong. It names no secret.
func (c SourceConfig) validate() error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("source %s: "+format, append([]any{c.label()}, args...)...))
	}
	if SourceOf(c.Provider) == event.SourceUnknown {
		bad("the provider is none of github, jira, deploy, argocd and cdevents")
	}
	if c.Name != "" && !sourceName.MatchString(c.Name) {
		bad("its name is part of a path; use letters, digits, dots, dashes and underscores, at most 63")
	}
	if len(c.Secrets) == 0 {
		bad("it has no secret, so anybody could send it deliveries; set secrets to what the other side signs with")
	}
	for i, secret := range c.Secrets {
		if secret == "" {
			bad("secret %d is empty, so anybody could sign; set it or take it out", i+1)
		} else if c.Verify == VerifyHMAC {
			if _, err := standardKey(secret); err != nil {
				bad("secret %d begins with whsec_ and what follows is not base64; copy it again", i+1)
			}
		}
	}
	switch c.Verify {
	case VerifyHMAC, VerifyBearer, VerifyToken:
	default:
		bad("verify is %q; use hmac, bearer or url_token", string(c.Verify))
	}
	if c.Limit < 0 {
		bad("the limit is negative")
	}
	if c.Decoder == nil {
		bad("there is no decoder")
	}
	return errors.Join(errs...)
}
