package views

// Tokens lists API tokens, and makes one.
type Tokens struct {
	Page    Page
	Secret  string // of the token that was just made; it is seen once
	Label   string
	Tokens  []Token
	Can     bool     // may make one
	Roles   []string // that the reader has
	Days    int      // how long one lives, if nothing is said
	Action  string
	Example string
}

// Token is one of them.
type Token struct {
	ID, Label, Roles, Teams, Owner string
	Created, Expires, Used         Time
	Over, Own                      bool
	Revoke                         string
}

// Audit is who looked at what and did what.
type Audit struct {
	Page    Page
	Entries []AuditEntry
	Older   string
}

// AuditEntry is one line of it.
type AuditEntry struct {
	Time                             Time
	Who, Name, Verb, Subject, Detail string
}
