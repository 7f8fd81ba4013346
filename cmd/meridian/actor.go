package main

import (
	"net/http"
	"os/user"
	"strings"
)

// actorHeader carries the name of whoever gave a command, for the record of what
// was done by hand. It proves nothing, and nothing is allowed for its sake.
const actorHeader = "X-Meridian-By"

// actor is the name under which this process runs commands.
func actor() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}

// actorOf is who asks, as far as they say: text that is short and printable.
func actorOf(r *http.Request) string {
	name := strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' {
			return -1
		}
		return c
	}, r.Header.Get(actorHeader))
	if name == "" {
		return "somebody"
	}
	return name[:min(len(name), 64)]
}
