package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"meridian/streaming/timeline"
)

// Limits of a source's bodies. The log takes no larger records.
const minLimit, maxLimit = 1 << 10, 25 << 20

var (
	sourceName  = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)
	topicPrefix = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,100}$`)
)

// validate returns everything that is wrong with c; lines says where each key
// was set.
func (c *Config) validate(lines map[string]string) (ps Problems) {
	bad := func(key, format string, args ...any) {
		ps = append(ps, Problem{lines[key], fmt.Sprintf("%s: "+format, append([]any{key}, args...)...)})
	}
	for key, addr := range map[string]string{"listen": c.Listen, "webhook_listen": c.WebhookListen, "admin_listen": c.AdminListen} {
		if addr == "" && key != "listen" {
			continue
		}
		if _, _, err := net.SplitHostPort(addr); err != nil {
			bad(key, "%q is no address: write host:port, such as 127.0.0.1:8080", addr)
		}
	}
	if c.BaseURL != "" {
		if u, err := url.Parse(c.BaseURL); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			bad("base_url", "%q is no URL: write https://host/path", c.BaseURL)
		}
	}
	for i, p := range c.TrustedProxies {
		if _, err := netip.ParsePrefix(p); err != nil {
			if _, err := netip.ParseAddr(p); err != nil {
				bad(fmt.Sprintf("trusted_proxies[%d]", i), "%q is neither an address nor a CIDR range", p)
			}
		}
	}
	if c.DataDir == "" {
		bad("data_dir", "may not be empty")
	}
	if _, err := timeline.LoadZone(c.Zone); err != nil {
		bad("zone", "%v", err)
	}
	c.validateSources(bad)
	if !topicPrefix.MatchString(c.Kafka.TopicPrefix) {
		bad("kafka.topic_prefix", "%q: letters, digits, dots, dashes and underscores only, 1 to 100, for it begins the names of topics", c.Kafka.TopicPrefix)
	}
	for i, b := range c.Kafka.Brokers {
		if _, _, err := net.SplitHostPort(b); err != nil {
			bad(fmt.Sprintf("kafka.brokers[%d]", i), "%q is no address: write host:port", b)
		}
	}
	if m := c.Kafka.SASL.Mechanism; m != "" && !slices.Contains([]string{"plain", "scram-sha-256", "scram-sha-512"}, m) {
		bad("kafka.sasl.mechanism", "%q is unknown: plain, scram-sha-256 or scram-sha-512", m)
	}
	if (c.Kafka.TLS.Cert == "") != (c.Kafka.TLS.Key == "") {
		bad("kafka.tls", "cert and key go together")
	}
	if c.ClickHouse.DSN != "" {
		if u, err := url.Parse(c.ClickHouse.DSN); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			bad("clickhouse.dsn", "not a DSN that can be used: write http://user:password@host:8123/database (the HTTP interface)")
		}
	}
	if c.ClickHouse.Cluster != "" && c.ClickHouse.DSN == "" {
		bad("clickhouse.cluster", "needs clickhouse.dsn: the embedded engine has no cluster")
	}
	if c.Time.Horizon.Millis() < 31*timeline.Day {
		bad("time.horizon", "%s is too short: at least 31d, so that 30-day windows are inside it", timeline.FormatLength(c.Time.Horizon.Millis()))
	}
	for key, l := range map[string]Length{"time.bounds.github": c.Time.Bounds.GitHub, "time.bounds.jira": c.Time.Bounds.Jira, "time.bounds.deploy": c.Time.Bounds.Deploy} {
		if l.Millis() > c.Time.Horizon.Millis() {
			bad(key, "larger than time.horizon")
		}
	}
	if c.Time.LateBudget <= 0 || c.Time.LateBudget >= 1 {
		bad("time.late_budget", "%v is no share of all events: use a number above 0 and below 1, such as 0.01", c.Time.LateBudget)
	}
	if c.Generations.Promote != "auto" && c.Generations.Promote != "manual" {
		bad("generations.promote", "%q is unknown: auto or manual", c.Generations.Promote)
	}
	if c.Replay.MaxProcs < 1 {
		bad("replay.max_procs", "at least 1")
	}
	if c.Replay.MaxRate < 0 {
		bad("replay.max_rate", "may not be negative; 0 is no limit")
	}
	if c.Privacy.MinPeople < 2 {
		bad("privacy.min_people", "at least 2: with 1, a person's numbers would be shown as they are")
	}
	c.validateAuth(bad)
	c.validateAPIs(bad)
	slices.SortStableFunc(ps, func(a, b Problem) int { return strings.Compare(a.Where+a.Text, b.Where+b.Text) })
	return ps
}

func (c *Config) validateSources(bad func(key, format string, args ...any)) {
	for _, p := range c.Sources.ByProvider() {
		seen := map[string]bool{}
		for i, s := range p.Sources {
			key := fmt.Sprintf("sources.%s[%d]", p.Provider, i)
			switch {
			case s.Name == "" && len(p.Sources) > 1:
				bad(key, "needs a name, since there are several")
			case s.Name != "" && !sourceName.MatchString(s.Name):
				bad(key, "name %q: small letters, digits, - and _ only, for it is part of the URL", s.Name)
			case seen[s.Name]:
				bad(key, "name %q stands twice", s.Name)
			}
			seen[s.Name] = true
			if !slices.Contains([]string{"", "hmac", "bearer", "url_token"}, s.Verify) {
				bad(key, "verify %q is unknown: hmac, bearer or url_token", s.Verify)
			}
			if len(s.Secrets) == 0 || slices.Contains(s.Secrets, "") {
				bad(key, "needs a secret: an endpoint that anybody could write to does not start")
			}
			if s.Limit != 0 && (s.Limit < minLimit || s.Limit > maxLimit) {
				bad(key, "limit: at least 1KiB and at most 25MiB, for a record of the log is no larger")
			}
			if len(s.Secrets) > 2 {
				bad(key, "has %d secrets: two are enough to rotate one", len(s.Secrets))
			}
		}
	}
}

func (c *Config) validateAuth(bad func(key, format string, args ...any)) {
	switch c.Auth.Mode {
	case "token", "none":
	case "oidc":
		if c.Auth.Issuer == "" || c.Auth.ClientID == "" {
			bad("auth", "oidc needs issuer and client_id")
		} else if u, err := url.Parse(c.Auth.Issuer); err != nil || u.Host == "" || u.Scheme != "https" && !isLoopbackURL(u) {
			bad("auth.issuer", "%q: write https://host, as the provider names itself; whoever is between could else sign in as anybody", c.Auth.Issuer)
		}
	case "proxy_header":
		if c.Auth.Header == "" || len(c.Auth.From) == 0 {
			bad("auth", "proxy_header needs header and the proxy's addresses in from, or anybody could send the header")
		}
	default:
		bad("auth.mode", "%q is unknown: token, oidc or proxy_header", c.Auth.Mode)
	}
	for i, from := range c.Auth.From {
		if _, err := netip.ParsePrefix(from); err != nil {
			if _, err := netip.ParseAddr(from); err != nil {
				bad(fmt.Sprintf("auth.from[%d]", i), "%q is neither an address nor a CIDR range", from)
			}
		}
	}
	for i, g := range c.Auth.Groups {
		key := fmt.Sprintf("auth.groups[%d]", i)
		if g.Name == "" && len(g.Members) == 0 {
			bad(key, "needs a name or members")
		}
		for _, role := range g.Roles {
			if !slices.Contains(authRoles, role) {
				bad(key, "role %q is unknown: viewer, people or admin", role)
			}
		}
		for _, team := range g.Teams {
			if _, err := path.Match(team, ""); err != nil {
				bad(key, "teams: %q is no pattern: use names, and * for any part", team)
			}
		}
	}
}

var authRoles = []string{"viewer", "people", "admin"}

// isLoopbackURL lets a provider on this machine be tried without certificates.
func isLoopbackURL(u *url.URL) bool {
	a, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "http" && (u.Hostname() == "localhost" || err == nil && a.IsLoopback())
}
