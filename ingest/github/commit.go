package github

import (
	"regexp"
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/ingest/payload"
)

// commit is one commit of a push. Git keeps what its authors' clocks said, so
// one impossible time or offset is a matter of years of history and must not take
// the push along.
type commit struct {
	ID        string        `json:"id,omitempty"`
	Timestamp payload.Time  `json:"timestamp,omitzero"`
	Author    *commitAuthor `json:"author,omitempty"`
	Added     []string      `json:"added,omitempty"`
	Removed   []string      `json:"removed,omitempty"`
	Modified  []string      `json:"modified,omitempty"`
	Parents   []parent      `json:"parents,omitempty"`  // only where it was read from the API
	Committed payload.Time  `json:"committed,omitzero"` // likewise: the committer's time
	Distinct  *bool         `json:"distinct,omitempty"`

	Message string        `json:"message,omitempty"`
	Learned commitLearned `json:"meridian,omitzero"`

	shape string // why it could not be unmarshalled
}

type parent struct {
	SHA string `json:"sha"`
}

type commitAuthor struct {
	ID       int64        `json:"id,omitempty"` // the account's, where it was read from the API
	Username string       `json:"username,omitempty"`
	Date     payload.Time `json:"date,omitzero"`
	Email    string       `json:"email,omitempty"`
}

// commitLearned is what stands in a kept body instead of message and addresses.
type commitLearned struct {
	payload.Learned
	Key       string   `json:"key,omitempty"`   // the author's account, where it is known by number
	Email     string   `json:"email,omitempty"` // HMAC
	CoAuthors []person `json:"co_authors,omitempty"`
	Defect    string   `json:"defect,omitempty"`
}

// IsZero reports whether nothing was learned; encoding/json leaves it out then.
func (l commitLearned) IsZero() bool {
	return l.Learned.IsZero() && l.Key == "" && l.Email == "" && len(l.CoAuthors) == 0 && l.Defect == ""
}

// person is a co-author.
type person struct {
	Key   string `json:"key,omitempty"`
	Login string `json:"login,omitempty"`
	Email string `json:"email,omitempty"`
}

// UnmarshalJSON never fails, so that the other commits are read.
func (c *commit) UnmarshalJSON(data []byte) error {
	type plain commit
	reason, err := payload.Read(data, (*plain)(c))
	c.shape = reason
	return err
}

func (c *commit) strip(hash Hasher, kept bool, sender *user) {
	if !kept {
		c.Learned = c.learn(hash, sender)
	}
	c.Message = ""
	if c.Distinct != nil && *c.Distinct {
		c.Distinct = nil // as nearly all are: only the other answer is news
	}
	if a := c.Author; a != nil {
		a.Email = ""
	}
}

func (c *commit) learn(hash Hasher, sender *user) commitLearned {
	l := commitLearned{Learned: payload.LearnMessage(c.Message), CoAuthors: coAuthors(c.Message, hash), Defect: c.defect()}
	l.Merge = l.Merge || len(c.Parents) > 1
	a := c.Author
	if a == nil {
		return l
	}
	l.Email = hashed(hash, a.Email)
	key, login := noreply(a.Email)
	if a.Username == "" {
		a.Username = login
	}
	switch {
	case a.Username == "":
	case a.ID > 0:
		l.Key = number(a.ID)
	case strings.EqualFold(a.Username, login):
		l.Key = key
	case sender != nil && sender.ID != 0 && strings.EqualFold(a.Username, sender.Login):
		l.Key = number(sender.ID)
	}
	return l
}

func (c *commit) authored() payload.Time {
	if c.Author != nil && !c.Author.Date.IsZero() {
		return c.Author.Date
	}
	return c.Timestamp
}

func (c *commit) defect() string {
	switch t := c.authored(); {
	case c.shape != "":
		return "the commit cannot be read: " + c.shape
	case c.ID == "":
		return "the commit has no id"
	case t.Bad():
		return "the commit's author time is impossible: no such date, or no place has such an offset"
	case !t.Known():
		return "the commit has no author time"
	}
	return ""
}

func (c *commit) account() event.Account {
	if c.Author == nil {
		return event.Account{}
	}
	if c.Author.Username != "" {
		return event.Account{Provider: provider, Key: c.Learned.Key, Login: c.Author.Username, Email: c.Learned.Email}
	}
	if c.Learned.Email != "" {
		return event.Account{Provider: "git", Email: c.Learned.Email}
	}
	return event.Account{}
}

func (c *commit) fact() event.Commit {
	at := c.authored()
	paths := slices.Concat(c.Added, c.Removed, c.Modified)
	slices.Sort(paths)
	return event.Commit{
		SHA:       c.ID,
		Author:    c.account(),
		Authored:  at.At,
		Local:     at.Local(),
		Merge:     c.Learned.Merge,
		Paths:     slices.Compact(paths),
		Marks:     c.Learned.Marks(),
		IssueKeys: c.Learned.IssueKeys,
		Elsewhere: c.Distinct != nil && !*c.Distinct,

		CoAuthors:   c.coAuthors(),
		PullRequest: c.Learned.PullRequest,
		Parents:     c.parents(),
		Committed:   c.Committed.At,
	}
}

func (c *commit) parents() (shas []string) {
	for _, p := range c.Parents {
		shas = append(shas, p.SHA)
	}
	return shas
}

// coAuthors are those of its message, without the author, who is among them where
// somebody else squashed it.
func (c *commit) coAuthors() (accounts []event.Account) {
	author := c.account()
	for _, p := range c.Learned.CoAuthors {
		a := event.Account{Provider: "git", Email: p.Email}
		if p.Login != "" {
			a = event.Account{Provider: provider, Key: p.Key, Login: p.Login, Email: p.Email}
		}
		if a.Same(author) || a.Email != "" && a.Email == author.Email || a.IsZero() {
			continue
		}
		accounts = append(accounts, a)
	}
	return accounts
}

var (
	noreplyAddress = regexp.MustCompile(`(?i)^(?:([0-9]{1,18})\+)?([a-z0-9-]{1,39}(?:\[bot\])?)@users\.noreply\.github\.com$`)
	coAuthorLine   = regexp.MustCompile(`(?mi)^co-authored-by:[^<>\n]*<([^<>\n]{3,254})>[ \t\r]*$`)
)

// noreply reads GitHub's stand-in for an address that its owner keeps private.
func noreply(email string) (key, login string) {
	m := noreplyAddress.FindStringSubmatch(email)
	if m == nil {
		return "", ""
	}
	return m[1], m[2]
}

func hashed(hash Hasher, email string) string {
	if email = strings.TrimSpace(email); email == "" {
		return ""
	}
	return hash(email)
}

const maxCoAuthors = 20

func coAuthors(message string, hash Hasher) []person {
	var people []person
	for _, m := range coAuthorLine.FindAllStringSubmatch(message, maxCoAuthors) {
		key, login := noreply(m[1])
		people = append(people, person{Key: key, Login: login, Email: hashed(hash, m[1])})
	}
	return people
}
