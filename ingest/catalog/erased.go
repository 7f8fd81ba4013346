package catalog

import (
	"strings"

	"meridian/ingest/event"
)

// ErasedMark begins the name that stands in the place of an erased person's. No
// login, branch or address can hold it: git allows no ~, GitHub none in a login.
const ErasedMark = "erased~"

// erasedAccount reports whether an account is what is left of an erased person's.
func erasedAccount(a event.Account) bool {
	return strings.HasPrefix(a.Login, ErasedMark) || strings.HasPrefix(a.Key, ErasedMark) || strings.HasPrefix(a.Email, ErasedMark)
}

// NameID is the pseudonym of one name of an account, which an account that the
// catalog does not know has too. Provider is github, for logins and numeric ids;
// jira; or email, for the hash of an address.
func (c *Catalog) NameID(provider, name string) (id event.PersonID) {
	if name == "" {
		return id
	}
	if provider == "github" {
		name = strings.ToLower(name)
	}
	copy(id[:], c.mac("account", provider, name))
	return id
}

// PersonIDOf is the pseudonym of a person that a catalog calls so.
func (c *Catalog) PersonIDOf(name string) event.PersonID { return c.personID(name) }

// Named returns the name of the person whom an account belongs to; "" where the
// catalog names nobody who has it.
func (c *Catalog) Named(a event.Account) string {
	if p := c.find(a); p != nil {
		return p.name
	}
	return ""
}

// PersonNames are the names that a catalog has for one person.
type PersonNames struct {
	Name   string
	GitHub []string
	Jira   []string
	Emails []string // addresses
}

// People are those whom the catalog names.
func (c *Catalog) People() (all []PersonNames) {
	texts := func(list []named) (out []string) {
		for _, n := range list {
			out = append(out, n.name)
		}
		return out
	}
	for _, p := range c.content.people {
		all = append(all, PersonNames{p.name, texts(p.github), texts(p.jira), texts(p.emails)})
	}
	return all
}
