package main

import (
	"errors"
	"log/slog"
	"reflect"

	"meridian/cmd/meridian/config"
)

// servable reports what `meridian serve` refuses of a configuration that is
// sound by itself, so that `config check` and doctor can say it before.
func servable(c config.Config) error {
	var errs []error
	switch c.Auth.Mode {
	case "none":
		errs = append(errs, errors.New("auth.mode none is for `meridian demo` alone: it lets everybody read everything"))
	case "oidc":
		if len(c.Auth.Groups) == 0 {
			errs = append(errs, errors.New("auth.mode oidc needs auth.groups, or nobody may see anything: [{name: engineering, roles: [viewer]}]; {name: \"*\"} is everybody whom the issuer lets in"))
		}
		if c.BaseURL == "" {
			errs = append(errs, errors.New("auth.mode oidc needs base_url: the identity provider sends people back to it"))
		}
	}
	return errors.Join(append(errs, checkMetrics(c.Metrics))...)
}

// idle is a setting that nothing acts on, and what happens whatever it says.
type idle struct {
	key     string
	value   func(config.Config) any
	instead string
}

// idleSettings are accepted, since a configuration is written for more than one
// version, and said at every start, since somebody may rely on them.
var idleSettings = []idle{}

// embeddedIdle are idle while the broker is the embedded one.
var embeddedIdle = []idle{
	{"kafka.tls", func(c config.Config) any { return c.Kafka.TLS }, "the embedded broker is reached inside this process; set kafka.brokers to use another"},
	{"kafka.sasl", func(c config.Config) any { return c.Kafka.SASL }, "the embedded broker has a password of its own; set kafka.brokers to use another"},
}

// authIdle are settings of ways to sign in that are not the one that is set.
func authIdle(c config.Auth) (list []idle) {
	oidc := []idle{
		{"auth.issuer", func(c config.Config) any { return c.Auth.Issuer }, ""},
		{"auth.client_id", func(c config.Config) any { return c.Auth.ClientID }, ""},
		{"auth.client_secret", func(c config.Config) any { return c.Auth.ClientSecret }, ""},
		{"auth.groups_claim", func(c config.Config) any { return c.Auth.GroupsClaim }, ""},
	}
	proxy := []idle{
		{"auth.header", func(c config.Config) any { return c.Auth.Header }, ""},
		{"auth.groups_header", func(c config.Config) any { return c.Auth.GroupsHeader }, ""},
		{"auth.from", func(c config.Config) any { return len(c.Auth.From) }, ""},
	}
	groups := idle{"auth.groups", func(c config.Config) any { return len(c.Auth.Groups) }, ""}
	instead := ""
	switch c.Mode {
	case "oidc":
		list, instead = proxy, "auth.mode is oidc: people sign in at the issuer"
	case "proxy_header":
		list, instead = oidc, "auth.mode is proxy_header: people sign in at the proxy"
	default:
		list, instead = append(append(oidc, proxy...), groups), "auth.mode is token: people sign in with the link that is printed at the start"
	}
	for i := range list {
		list[i].instead = instead
	}
	return list
}

// idleIn returns the settings of c that differ from their defaults and that
// nothing acts on.
func idleIn(c config.Config) (found []idle) {
	lists := [][]idle{idleSettings, authIdle(c.Auth)}
	if len(c.Kafka.Brokers) == 0 {
		lists = append(lists, embeddedIdle)
	}
	standard := config.Default()
	for _, list := range lists {
		for _, s := range list {
			if !reflect.DeepEqual(s.value(c), s.value(standard)) {
				found = append(found, s)
			}
		}
	}
	return found
}

// warnOfIdle says each of them in a line.
func warnOfIdle(c config.Config, log *slog.Logger) {
	for _, s := range idleIn(c) {
		log.Warn("a setting has no effect in this version", "key", s.key, "instead", s.instead)
	}
}
