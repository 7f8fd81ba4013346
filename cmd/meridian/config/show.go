package config

import (
	"cmp"
	"net/url"

	"go.yaml.in/yaml/v3"
)

const hidden = "(hidden)"

// Redacted returns c with its secrets hidden, and with what is in force where a
// source leaves it open.
func (c Config) Redacted() Config {
	hide := func(s *string) {
		if *s != "" {
			*s = hidden
		}
	}
	for _, list := range []*[]Source{&c.Sources.GitHub, &c.Sources.Jira, &c.Sources.Deploy, &c.Sources.ArgoCD, &c.Sources.CDEvents} {
		sources := append([]Source(nil), *list...)
		for i := range sources {
			secrets := append([]string(nil), sources[i].Secrets...)
			for j := range secrets {
				hide(&secrets[j])
			}
			sources[i].Secrets = secrets
			sources[i].Verify = cmp.Or(sources[i].Verify, "hmac")
			if sources[i].Limit == 0 { // what ingest takes them for
				sources[i].Limit = 10 << 20
				if list == &c.Sources.GitHub {
					sources[i].Limit = 25 << 20
				}
			}
		}
		*list = sources
	}
	hide(&c.Kafka.SASL.Password)
	hide(&c.Auth.Token)
	hide(&c.Auth.ClientSecret)
	if u, err := url.Parse(c.ClickHouse.DSN); err == nil && u.User != nil {
		if _, has := u.User.Password(); has {
			u.User = url.UserPassword(u.User.Username(), "hidden")
		}
		u.RawQuery = ""
		c.ClickHouse.DSN = u.String()
	}
	c.APIs.GitHub = append([]GitHubAPI(nil), c.APIs.GitHub...)
	for i := range c.APIs.GitHub {
		g := &c.APIs.GitHub[i]
		if hide(&g.Token); g.TokenFile != "" {
			g.Token = "" // it came from there, and is shown as it was written
		}
		if hide(&g.App.PrivateKey); g.App.PrivateKeyFile != "" {
			g.App.PrivateKey = ""
		}
	}
	c.APIs.Jira = append([]JiraAPI(nil), c.APIs.Jira...)
	for i := range c.APIs.Jira {
		j := &c.APIs.Jira[i]
		if hide(&j.Token); j.TokenFile != "" {
			j.Token = ""
		}
	}
	return c
}

// YAML returns c as a file that Load would read, secrets hidden.
func (c Config) YAML() ([]byte, error) { return yaml.Marshal(c.Redacted()) }
