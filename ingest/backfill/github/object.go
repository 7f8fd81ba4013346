package github

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"
)

// object is a JSON object as it came, with some fields set otherwise.
type object map[string]json.RawMessage

func parse(data json.RawMessage) (object, error) {
	var o object
	if err := json.Unmarshal(data, &o); err != nil {
		return nil, fmt.Errorf("GitHub sent something that is no object: %w", err)
	}
	return o, nil
}

// with returns o with fields set; nil is null.
func (o object) with(pairs ...any) object {
	out := maps.Clone(o)
	if out == nil {
		out = object{}
	}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i].(string)] = raw(pairs[i+1])
	}
	return out
}

func raw(v any) json.RawMessage {
	switch v := v.(type) {
	case nil:
		return json.RawMessage("null")
	case json.RawMessage:
		if len(v) == 0 {
			return json.RawMessage("null")
		}
		return v
	case time.Time:
		if v.IsZero() {
			return json.RawMessage("null")
		}
		return raw(v.UTC().Format(time.RFC3339))
	}
	b, _ := json.Marshal(v) // text, numbers, objects of raw JSON
	return b
}
