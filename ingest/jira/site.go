package jira

import (
	"net/url"
	"strings"

	"meridian/ingest/payload"
)

// site is one Jira: its host, and the path at which it lives where it has one.
// Ids of issues and comments are unique in it, and keys of issues are not for ever.
type site struct {
	name string // acme.atlassian.net; jira.acme.example/jira
	base string // https://acme.atlassian.net
}

const maxSelf = 255

// cleanSelf is an address of the REST API without what it does not need, or "".
func cleanSelf(self string) string {
	clean := payload.WebURL(self)
	if len(clean) > maxSelf || strings.Contains(self, "@") {
		return ""
	}
	return clean
}

// siteOf finds the site in the clean address of what the webhook is about.
// Addresses of users hold names and are not read.
func siteOf(w *webhook) site {
	var selves []string
	if w.Issue != nil {
		selves = append(selves, w.Issue.Self)
	}
	if w.Comment != nil {
		selves = append(selves, w.Comment.Self)
	}
	for _, self := range selves {
		u, err := url.Parse(self)
		if err != nil || u.Host == "" {
			continue
		}
		path, _, isAPI := strings.Cut(u.EscapedPath(), "/rest/")
		if !isAPI {
			continue
		}
		return site{name: strings.ToLower(u.Host) + path, base: u.Scheme + "://" + u.Host + path}
	}
	return site{}
}
