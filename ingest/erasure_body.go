package ingest

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
)

// body takes erased people out of a body that is JSON. What a decoder makes of the
// rest is what [Erasure.event] makes of its events: a test holds the two against
// each other on every fixture.
func (e *Erasure) body(text []byte, kept bool) ([]byte, bool) {
	if len(text) == 0 {
		return text, false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	root, err := readNode(d)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = io.ErrUnexpectedEOF
		}
	}
	if err != nil {
		return text, false // a form or no text at all: it came so, and nobody could read it
	}
	changed := e.scrub(&root, "", "")
	if !changed {
		return text, false
	}
	var out bytes.Buffer
	root.write(&out)
	return out.Bytes(), true
}

// node is one value of a JSON text, with the order of what is in it.
type node struct {
	kind    byte   // { [ s for a string, or any other: raw
	raw     string // of numbers, true, false and null
	text    string
	names   []string // of an object
	members []node   // of an object or an array
}

func readNode(d *json.Decoder) (n node, err error) {
	t, err := d.Token()
	if err != nil {
		return n, err
	}
	switch v := t.(type) {
	case json.Delim:
		n.kind = byte(v)
		for d.More() {
			if n.kind == '{' {
				name, err := d.Token()
				if err != nil {
					return n, err
				}
				n.names = append(n.names, name.(string))
			}
			m, err := readNode(d)
			if err != nil {
				return n, err
			}
			n.members = append(n.members, m)
		}
		_, err = d.Token()
		return n, err
	case string:
		n.kind, n.text = 's', v
	case json.Number:
		n.raw = v.String()
	case bool:
		n.raw = "false"
		if v {
			n.raw = "true"
		}
	default:
		n.raw = "null"
	}
	return n, nil
}

func (n *node) write(out *bytes.Buffer) {
	quote := func(s string) {
		quoted, _ := json.Marshal(s) // a string is always written
		out.Write(quoted)
	}
	switch n.kind {
	case '{':
		out.WriteByte('{')
		for i := range n.members {
			if i > 0 {
				out.WriteByte(',')
			}
			quote(n.names[i])
			out.WriteByte(':')
			n.members[i].write(out)
		}
		out.WriteByte('}')
	case '[':
		out.WriteByte('[')
		for i := range n.members {
			if i > 0 {
				out.WriteByte(',')
			}
			n.members[i].write(out)
		}
		out.WriteByte(']')
	case 's':
		quote(n.text)
	default:
		out.WriteString(n.raw)
	}
}

// Names under which people stand, in small letters. "name" and "key" are many
// things' and are looked at only where a person is: under who, or beside a name of
// an account.
var (
	accountNames = []string{"login", "username", "accountid", "actor", "creator", "initiatedby", "triggeredby"}
	who          = []string{"user", "author", "updateauthor", "creator", "reporter", "assignee", "sender", "pusher", "committer", "owner", "actor", "merged_by", "requested_reviewer", "actor_user"}
	refNames     = []string{"ref", "head_ref", "base_ref", "head_branch", "base", "head", "default_branch", "target_commitish"}
	ownedNames   = []string{"full_name", "repo", "repository", "former", "nameWithOwner"}
	hashed       = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// scrub takes erased people out of a value that stands under key, in an object that
// stands under parent, and says whether there were any.
func (e *Erasure) scrub(n *node, parent, key string) (changed bool) {
	switch n.kind {
	case '[':
		for i := range n.members {
			changed = e.scrub(&n.members[i], parent, key) || changed
		}
	case '{':
		changed = e.scrubObject(n, key)
	case 's':
		if t := e.scrubText(n.text, parent, strings.ToLower(key)); t != n.text {
			n.text, changed = t, true
		}
	}
	return changed
}

func (e *Erasure) scrubObject(n *node, key string) (changed bool) {
	person := e.isPerson(n, key)
	for i := 0; i < len(n.members); i++ {
		name, m := n.names[i], &n.members[i]
		lower := strings.ToLower(name)
		id := m.text
		if m.kind == 0 {
			id = m.raw
		}
		switch {
		case (lower == "id" && person || lower == "key") && m.kind != '{' && m.kind != '[' && e.tombstone("github", id) != "" && isNumber(id):
			n.names, n.members = slices.Delete(n.names, i, i+1), slices.Delete(n.members, i, i+1)
			i--
			changed = true
		case person && m.kind == 's' && (lower == "name" || lower == "key"):
			if t := e.inPlace(m.text, "github", "jira"); t != m.text {
				m.text, changed = t, true
			}
		default:
			changed = e.scrub(m, key, name) || changed
		}
	}
	return changed
}

// isPerson reports whether an object is an account.
func (e *Erasure) isPerson(n *node, key string) bool {
	if slices.Contains(who, strings.ToLower(key)) {
		return true
	}
	for _, name := range n.names {
		switch strings.ToLower(name) {
		case "login", "username", "accountid", "accounttype":
			return true
		}
	}
	return false
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// scrubText is what stays of a text.
func (e *Erasure) scrubText(s, parent, key string) string {
	if s == "" {
		return s
	}
	if hashed.MatchString(s) {
		return e.inPlace(s, "email")
	}
	if strings.Contains(s, "@") && len(s) < 320 {
		if t := e.inPlace(s, "address"); t != s {
			return t
		}
	}
	switch {
	case slices.Contains(accountNames, key), slices.Contains(who, key):
		return e.inPlace(s, "github", "jira", "address")
	case key == "from" || key == "to" || key == "key" || key == "name":
		if t := e.tombstone("jira", s); t != "" && strings.ContainsAny(s, ":0123456789") { // an account's id, and no word
			return t
		}
		return s
	case strings.HasPrefix(s, "https://"), strings.HasPrefix(s, "http://"):
		return e.url(s)
	case slices.Contains(refNames, key):
		return e.ref(s)
	case slices.Contains(ownedNames, key):
		return e.owned(s)
	}
	return s
}
