package jira

import (
	"regexp"
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/ingest/payload"
)

// user is an account: Cloud knows it by accountId, Data Center by key and name,
// old Servers by name. Display names are not read.
type user struct {
	AccountID   string `json:"accountId,omitempty"`
	AccountType string `json:"accountType,omitempty"`
	Key         string `json:"key,omitempty"`
	Name        string `json:"name,omitempty"`
	TimeZone    string `json:"timeZone,omitempty"`
	Email       string `json:"emailAddress,omitempty"`

	Learned userLearned `json:"meridian,omitzero"`
}

// userLearned is what stands in a kept body instead of addresses.
type userLearned struct {
	Email string `json:"email,omitempty"` // HMAC
}

func (u *user) strip(hash Hasher, kept bool) {
	if u == nil {
		return
	}
	if !kept {
		u.Learned = userLearned{}
		// On many Servers people log in with their address, and then it is their
		// name, and where they are old their key too.
		for _, address := range []string{u.Email, u.Name, u.Key} {
			if strings.Contains(address, "@") {
				u.Learned.Email = hash(strings.TrimSpace(address))
				break
			}
		}
		u.Name, u.Key = notAddress(u.Name), notAddress(u.Key)
		u.AccountID = notAddress(u.AccountID)
	}
	u.Email = ""
}

func notAddress(s string) string {
	if strings.Contains(s, "@") {
		return ""
	}
	return s
}

// account is nobody where there is no user: Jira lets strangers comment, and rules
// act for no one.
func (u *user) account() event.Account {
	if u == nil {
		return event.Account{}
	}
	a := event.Account{Email: u.Learned.Email, Bot: u.AccountType == "app"}
	switch {
	case u.AccountID != "":
		a.Key, a.Login = u.AccountID, u.AccountID
	case u.Name != "":
		a.Key, a.Login = u.Key, u.Name
	default:
		a.Key, a.Login = u.Key, u.Key
	}
	if a.IsZero() {
		return a
	}
	a.Provider = provider
	return a
}

var (
	zoneName = regexp.MustCompile(`^[A-Za-z0-9_+/-]{1,64}$`)

	// A profile in UTC is what nobody has chosen.
	noZones = strings.Fields(`UTC UCT GMT GMT0 GMT+0 GMT-0 Zulu Universal Greenwich`)
)

// local is what the user's profile says of their zone, else the offset of the time
// that Jira has written for them.
func (r *reading) local(u *user, written payload.Time) event.LocalEvidence {
	if u != nil && u.TimeZone != "" {
		if !zoneName.MatchString(u.TimeZone) || slices.Contains(noZones, strings.TrimPrefix(u.TimeZone, "Etc/")) {
			return event.LocalEvidence{}
		}
		return event.LocalEvidence{Profile: u.TimeZone}
	}
	if r.delivery.ViaAPI || u == nil {
		return event.LocalEvidence{}
	}
	return written.Local()
}
