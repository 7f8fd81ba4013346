package jira

import (
	"encoding/json"
	"reflect"
	"regexp"

	"meridian/ingest/payload"
)

// webhook is any delivery, as far as it is read.
type webhook struct {
	Event     string       `json:"webhookEvent,omitempty"`
	Timestamp payload.Time `json:"timestamp,omitzero"` // milliseconds
	User      *user        `json:"user,omitempty"`     // who acted; comment_created has none
	Issue     *issue       `json:"issue,omitempty"`
	Comment   *comment     `json:"comment,omitempty"`
	Changelog *changelog   `json:"changelog,omitempty"`

	// An issue without a webhook around it has its own fields here.
	ID     ident   `json:"id,omitempty"`
	Self   string  `json:"self,omitempty"`
	Key    string  `json:"key,omitempty"`
	Fields *fields `json:"fields,omitempty"`
}

// unwrap gives a bare issue the shape of the others, and cleans the addresses.
func (w *webhook) unwrap() {
	if w.Event == "" && w.Issue == nil && w.ID != "" {
		w.Issue = &issue{ID: w.ID, Self: w.Self, Key: w.Key, Fields: w.Fields, Changelog: w.Changelog}
		w.Changelog = nil
	}
	if w.Event == "" && w.Issue != nil && w.Issue.Changelog == nil {
		w.Issue.Changelog, w.Changelog = w.Changelog, nil
	}
	if w.Issue != nil {
		w.Issue.Self = cleanSelf(w.Issue.Self)
	}
	if w.Comment != nil {
		w.Comment.Self = cleanSelf(w.Comment.Self)
	}
	w.ID, w.Self, w.Key, w.Fields = "", "", "", nil
}

func (w *webhook) strip(hash Hasher, kept bool) {
	w.User.strip(hash, kept)
	if w.Issue != nil {
		w.Issue.learn(w.Changelog, kept)
	}
	w.Changelog.strip(hash, kept)
	if i := w.Issue; i != nil {
		i.Changelog.strip(hash, kept)
		if f := i.Fields; f != nil {
			f.Reporter.strip(hash, kept)
			f.Creator.strip(hash, kept)
		}
	}
	if c := w.Comment; c != nil {
		c.Author.strip(hash, kept)
	}
}

// ident is an id: text in webhooks and in the API, a number from Automation. What
// cannot be an id is none.
type ident string

var plainIdent = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// UnmarshalJSON reads text, a number or null.
func (i *ident) UnmarshalJSON(data []byte) error {
	text := string(data)
	switch {
	case text == "null":
		text = ""
	case data[0] == '"':
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
	case data[0] != '-' && (data[0] < '0' || data[0] > '9'):
		return &json.UnmarshalTypeError{Value: kindOf(data[0]), Type: reflect.TypeFor[string]()}
	}
	if !plainIdent.MatchString(text) {
		text = ""
	}
	*i = ident(text)
	return nil
}

func kindOf(first byte) string {
	switch first {
	case '[':
		return "array"
	case '{':
		return "object"
	}
	return "bool"
}
