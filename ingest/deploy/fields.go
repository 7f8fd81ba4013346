package deploy

import (
	"encoding/json"
	"fmt"

	"meridian/ingest/payload"
)

// object reads the fields of one deployment. The first that is wrong stays in err,
// and names its field.
type object struct {
	prefix string // [3]. in a list
	fields map[string]json.RawMessage
	err    error
}

func newObject(prefix string, body json.RawMessage) *object {
	o := &object{prefix: prefix}
	if body[0] != '{' || json.Unmarshal(body, &o.fields) != nil {
		what := "the body"
		if prefix != "" {
			what = prefix[:len(prefix)-1]
		}
		o.err = malformed(what + " must be an object")
	}
	return o
}

func (o *object) fail(name, want string) {
	if o.err == nil {
		o.err = malformed(fmt.Sprintf("%s%s %s", o.prefix, name, want))
	}
}

// raw is a field as it is written; null is as good as none.
func (o *object) raw(name string) (json.RawMessage, bool) {
	raw, ok := o.fields[name]
	return raw, ok && string(raw) != "null"
}

func (o *object) need(name string) {
	if _, ok := o.raw(name); !ok {
		o.fail(name, "is missing")
	}
}

// text is a field that holds text, "" where there is none.
func (o *object) text(name string, longest int) string {
	raw, ok := o.raw(name)
	if !ok {
		return ""
	}
	var s string
	switch err := json.Unmarshal(raw, &s); {
	case err != nil:
		o.fail(name, "must be a string")
	case len(s) > longest:
		o.fail(name, fmt.Sprintf("is longer than %d bytes", longest))
	default:
		return s
	}
	return ""
}

// name is a field that holds text and must.
func (o *object) name(name string) string {
	o.need(name)
	s := o.text(name, maxText)
	if s == "" {
		o.fail(name, "must not be empty")
	}
	return s
}

// names is a field that holds a list of text.
func (o *object) names(name string) []string {
	raw, ok := o.raw(name)
	if !ok {
		return nil
	}
	var list payload.List[string]
	reason, err := payload.Read(raw, &list)
	switch {
	case raw[0] != '[' || (err == nil && reason != "" && len(list) < maxList):
		o.fail(name, "must be a list of strings")
		return nil
	case err != nil || reason != "" || len(list) > maxList:
		o.fail(name, fmt.Sprintf("holds more than %d elements", maxList))
		return nil
	}
	for _, s := range list {
		if s == "" || len(s) > maxText {
			o.fail(name, fmt.Sprintf("holds an empty string, or one of more than %d bytes", maxText))
			return nil
		}
	}
	return list
}

// time is a field that holds an instant.
func (o *object) time(name string) payload.Time {
	s := o.text(name, maxText)
	if s == "" {
		return payload.Time{}
	}
	t := payload.ParseTime(s)
	if !t.Known() {
		o.fail(name, "is no time in RFC 3339, as 2026-03-02T09:04:10Z")
	}
	return t
}
