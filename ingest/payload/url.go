package payload

import (
	"net/url"
	"strings"
)

// WebURL is s where it is an address that a page may link to, without its user,
// query and fragment, in which tokens travel; "" otherwise.
func WebURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || len(s) > 2000 || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return ""
	}
	return strings.ToValidUTF8((&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String(), "")
}
