package payload

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"reflect"
	"strings"

	"meridian/ingest"
)

// Text returns the JSON text of a delivery: its body, or the field "payload" of
// a form. What is not a form is taken for JSON; the receiver has refused other
// types, and archives may leave the header out. A kept body is JSON whatever its
// headers say of the body that it was made from.
func Text(d ingest.Delivery) ([]byte, error) {
	if d.Kept {
		return d.Body, nil
	}
	media, _, err := mime.ParseMediaType(d.Header("Content-Type"))
	if err != nil || media != "application/x-www-form-urlencoded" {
		return d.Body, nil
	}
	form, err := url.ParseQuery(string(d.Body))
	if err != nil {
		return nil, fmt.Errorf("%w: the body is not a form, as its content type says", ingest.ErrMalformed)
	}
	if !form.Has("payload") {
		return nil, fmt.Errorf("%w: the form has no field payload", ingest.ErrMalformed)
	}
	return []byte(form.Get("payload")), nil
}

// Read unmarshals text. The error wraps [ingest.ErrMalformed]: text is no JSON.
// A reason says that it is JSON of another shape; what has the right shape is
// filled in all the same, so that the delivery can be filed under its scope.
func Read(text []byte, into any) (reason string, err error) {
	err = json.Unmarshal(text, into)
	if err == nil {
		return "", nil
	}
	if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) {
		where := wrong.Field
		if where == "" {
			where = "the body"
		}
		// Value is "number 12" where the payload's number does not fit.
		held, _, _ := strings.Cut(wrong.Value, " ")
		return fmt.Sprintf("%s holds %s where %s is expected", where, article(held), article(wanted(wrong.Type))), nil
	}
	if errors.As(err, new(tooMany)) {
		return err.Error(), nil
	}
	// The parser's own message quotes a character of the payload.
	where := ""
	if syntax := new(json.SyntaxError); errors.As(err, &syntax) {
		where = fmt.Sprintf(" (byte %d)", syntax.Offset)
	}
	return "", fmt.Errorf("%w: the body is not JSON, or is nested too deeply%s", ingest.ErrMalformed, where)
}

func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "bool"
	case reflect.String:
		return "string"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "object"
	}
	return "number"
}

func article(kind string) string {
	switch kind {
	case "array", "object":
		return "an " + kind
	}
	return "a " + kind
}
