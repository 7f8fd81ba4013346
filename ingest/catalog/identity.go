package catalog

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"meridian/ingest/event"
)

// Pseudonyms are HMACs under the instance's key. Each begins with what it is the
// pseudonym of, so that a person's name and an equal login differ.

func (c *Catalog) mac(parts ...string) []byte {
	h := hmac.New(sha256.New, c.key)
	for i, p := range parts {
		if i > 0 {
			h.Write([]byte{0})
		}
		h.Write([]byte(p))
	}
	return h.Sum(nil)
}

// EmailHash is the pseudonym of an e-mail address, in hex; "" of "".
func (c *Catalog) EmailHash(address string) string {
	address = fold(address)
	if address == "" {
		return ""
	}
	return hex.EncodeToString(c.mac("email", address))
}

func (c *Catalog) personID(name string) (id event.PersonID) {
	copy(id[:], c.mac("person", name))
	return id
}

// accountID is the pseudonym of an account whose person the catalog does not
// know. On GitHub the login comes before the numeric id, because a push names its
// commits' authors by login alone: by id, everybody who commits and reviews would
// be two people. Elsewhere the key, which cannot be changed, is always there.
func (c *Catalog) accountID(a event.Account) (id event.PersonID) {
	provider, name := a.Provider, a.Key
	switch {
	case isGitHub(a) && a.Login != "":
		provider, name = "github", strings.ToLower(a.Login)
	case name == "" && a.Login != "":
		name = a.Login
	case name == "" && a.Email != "":
		provider, name = "email", a.Email // one address is one person, whoever tells it
	}
	if name == "" {
		return id
	}
	copy(id[:], c.mac("account", provider, name))
	return id
}

func isGitHub(a event.Account) bool { return a.Provider == "github" || a.Provider == "git" }
