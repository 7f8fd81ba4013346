package payload

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Redact keeps the shape of a JSON text and of its strings only those under
// names that hold no free text. It is for deliveries that no decoder reads yet,
// or could not: a later one will find ids, states, times and accounts in them.
// What is not JSON becomes {}.
func Redact(text []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var out bytes.Buffer
	if !redactValue(d, &out, "", "", 0) {
		return []byte("{}")
	}
	if _, err := d.Token(); err != io.EOF {
		return []byte("{}")
	}
	return out.Bytes()
}

const (
	maxDepth  = 64  // deeper values are dropped
	maxString = 255 // longer strings are replaced by ~
)

// Names whose strings are kept. All are in small letters, because encoding/json
// does not care for case and a decoder must find the same in what is kept.
var plainNames = names(`action state status conclusion event type login accountid accounttype key
	full_name ref ref_type sha head_sha head_branch base_ref before after default_branch environment
	original_environment task tag_name target_commitish merge_commit_sha commit_id
	webhookevent issue_event_type_name timezone field fieldtype fieldid labels service services source artifactid`)

// Names whose strings are kept where they are times.
var timeNames = names(`created updated timestamp resolutiondate date`)

// "name" is a label's name here and a person's there.
var namedThings = names(`label labels workflow workflow_run workflow_job components issuetype status
	statuscategory environment repository repo`)

func names(list string) []string { return strings.Fields(list) }

// Names that are kept; others may be free text too.
var plainKey = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// The two letters outside ASCII that encoding/json takes for one inside it.
var folded = strings.NewReplacer("\u017f", "s", "\u212a", "k")

// Somebody's login may be their e-mail address.
var address = regexp.MustCompile(`[^\s@/]@[^\s@/]+\.[^\s@/]`)

// isFree reports whether a name stands over anything at all, names included: what
// people have defined themselves. "meridian" is ours to write.
func isFree(key string) bool {
	key = strings.ToLower(key)
	return strings.HasPrefix(key, "customfield_") || key == "client_payload" || key == "customdata" || key == "inputs" || key == "meridian"
}

// redacted is what is kept of a string.
func redacted(parent, key, s string) string {
	parent, key = strings.ToLower(parent), strings.ToLower(key)
	kept := false
	switch {
	case slices.Contains(plainNames, key):
		kept = true
	case key == "id":
		kept = plainKey.MatchString(s)
	case key == "name":
		kept = slices.Contains(namedThings, parent)
	case key == "self":
		kept = parent == "" || parent == "issue" || parent == "comment"
	case strings.HasSuffix(key, "_at") || slices.Contains(timeNames, key):
		kept = ParseTime(s).Known()
	}
	switch {
	case !kept || address.MatchString(s):
		return ""
	case len(s) > maxString:
		return "~"
	}
	return s
}

// redactValue copies one value that stands under key, in an object that stands
// under parent. Elements of an array stand under the array's key. It reports
// whether the text was JSON so far.
func redactValue(d *json.Decoder, out *bytes.Buffer, parent, key string, depth int) bool {
	token, err := d.Token()
	if err != nil {
		return false
	}
	switch v := token.(type) {
	case json.Delim:
		if depth == maxDepth {
			out.WriteString("null")
			return skip(d)
		}
		if v == '[' {
			return redactArray(d, out, parent, key, depth)
		}
		return redactObject(d, out, key, depth)
	case string:
		quoted, _ := json.Marshal(redacted(parent, key, v))
		out.Write(quoted)
	case json.Number:
		if len(v) > 32 {
			v = "0"
		}
		out.WriteString(string(v))
	case bool:
		if v {
			out.WriteString("true")
		} else {
			out.WriteString("false")
		}
	default:
		out.WriteString("null")
	}
	return true
}

func redactArray(d *json.Decoder, out *bytes.Buffer, parent, key string, depth int) bool {
	out.WriteByte('[')
	for i := 0; d.More(); i++ {
		if i > 0 {
			out.WriteByte(',')
		}
		if !redactValue(d, out, parent, key, depth+1) {
			return false
		}
	}
	out.WriteByte(']')
	_, err := d.Token()
	return err == nil
}

func redactObject(d *json.Decoder, out *bytes.Buffer, parent string, depth int) bool {
	out.WriteByte('{')
	first := true
	for d.More() {
		token, err := d.Token()
		key, isKey := token.(string)
		if err != nil || !isKey {
			return false
		}
		key = folded.Replace(key)
		if !plainKey.MatchString(key) || isFree(key) {
			if !redactValue(d, new(bytes.Buffer), parent, "", maxDepth) {
				return false
			}
			continue
		}
		if !first {
			out.WriteByte(',')
		}
		first = false
		out.WriteString(`"` + key + `":`)
		if !redactValue(d, out, parent, key, depth+1) {
			return false
		}
	}
	out.WriteByte('}')
	_, err := d.Token()
	return err == nil
}

// skip reads the rest of a value whose opening bracket has been read.
func skip(d *json.Decoder) bool {
	for open := 1; open > 0; {
		token, err := d.Token()
		if err != nil {
			return false
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			open++
		case json.Delim(']'), json.Delim('}'):
			open--
		}
	}
	return true
}
