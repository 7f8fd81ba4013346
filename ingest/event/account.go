package event

import "strings"

// Account is somebody's account at a provider, as a payload names it. The zero
// Account is nobody.
type Account struct {
	Provider string // github, jira, deploy, git (a commit's author by e-mail)
	Key      string // what never changes: GitHub's numeric id, Jira's accountId; "" where the payload has none
	Login    string // what the catalog lists: login, accountId or user name
	Email    string // HMAC of the e-mail address, hex; see EmailHash
	Bot      bool   // the payload says so (type Bot)
	Deleted  bool   // the account is gone (GitHub's null user, ghost)
}

// IsZero reports whether a is nobody.
func (a Account) IsZero() bool { return a == Account{} }

// Same reports whether two accounts are certainly one: same provider and same
// key, or where a key is missing the same login or e-mail.
func (a Account) Same(b Account) bool {
	if a.IsZero() || b.IsZero() {
		return false
	}
	if a.Provider == b.Provider {
		if a.Key != "" && b.Key != "" {
			return a.Key == b.Key
		}
		if a.Login != "" && b.Login != "" {
			return strings.EqualFold(a.Login, b.Login)
		}
	}
	return a.Email != "" && a.Email == b.Email
}
