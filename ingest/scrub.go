package ingest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// A decoder removes free text from what it keeps. What no decoder could read is
// kept too, for a later one, and free text must not be stored for that: here it
// is removed by a rule that knows no provider. Structure, numbers and what looks
// like an id, a time or a word of a protocol stay; every other text is emptied.

// codeKeys are the fields whose texts are words of a protocol, or names of things
// that are no people and no prose.
var codeKeys = map[string]bool{
	"action": true, "after": true, "base": true, "before": true, "conclusion": true, "default_branch": true, "environment": true, "event": true,
	"full_name": true, "iid": true, "issue_event_type_name": true, "key": true, "phase": true, "ref": true, "ref_type": true, "repository": true,
	"revision": true, "service": true, "specversion": true, "state": true, "status": true, "type": true, "webhookevent": true,
}

// openKeys are objects whose fields somebody has named: nothing in them is kept.
var openKeys = map[string]bool{
	"annotations": true, "client_payload": true, "custom_properties": true, "customdata": true, "inputs": true, "labels": true, "payload": true, "properties": true,
}

var (
	idLike    = regexp.MustCompile(`^[0-9]+$|^[0-9a-f]{7,64}$|^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	timeLike  = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.]+(Z|[+-][0-9:]+)?)?$`)
	codeLike  = regexp.MustCompile(`^[A-Za-z0-9._:/+-]{1,128}$`)
	fieldLike = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_.$-]{0,63}$`)
)

// scrub returns what may be kept of a body that no decoder could read, and how it
// is to be read: a form's payload is kept as JSON. What is no JSON cannot be told
// from prose, and nothing of it is kept.
func scrub(d Delivery) (body []byte, headers map[string]string) {
	body, headers = d.Body, d.Headers
	if strings.HasPrefix(strings.ToLower(d.Header("Content-Type")), "application/x-www-form-urlencoded") {
		values, err := url.ParseQuery(string(body))
		if err != nil {
			return nil, headers
		}
		body, headers = []byte(values.Get("payload")), map[string]string{}
		for name, value := range d.Headers {
			headers[name] = value
		}
		headers["Content-Type"] = "application/json"
	}
	decode := json.NewDecoder(bytes.NewReader(body))
	decode.UseNumber() // ids are larger than what a float holds
	var value any
	if decode.Decode(&value) != nil || decode.More() {
		return nil, headers
	}
	kept, err := json.Marshal(scrubbed("", value))
	if err != nil {
		return nil, headers
	}
	return kept, headers
}

func scrubbed(key string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		if openKeys[strings.ToLower(key)] || strings.HasPrefix(key, "customfield_") {
			return out
		}
		for name, field := range v {
			if fieldLike.MatchString(name) {
				out[name] = scrubbed(name, field)
			}
		}
		return out
	case []any:
		for i := range v {
			v[i] = scrubbed(key, v[i])
		}
		return v
	case string:
		if idLike.MatchString(v) || timeLike.MatchString(v) || codeKeys[strings.ToLower(key)] && codeLike.MatchString(v) {
			return v
		}
		return ""
	}
	return value
}

// withoutText is a delivery that no decoder could read, as it is kept.
func withoutText(d Delivery) Delivery {
	d.Body, d.Headers = scrub(d)
	return d
}

// unread says why a delivery could not be read, and what became of its body.
func unread(why string, before, kept Delivery) string {
	if len(before.Body) > 0 && kept.Body == nil {
		return fmt.Sprintf("%s; its %d bytes are no JSON and were not kept", why, len(before.Body))
	}
	return why
}
