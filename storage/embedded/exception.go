package embedded

import (
	"net/http"
	"regexp"
	"strconv"
)

// Codes of ClickHouse that are given here and not by the engine.
const (
	codeSyntaxError    = 62
	codeNotImplemented = 48
	codeCancelled      = 394
	codeUnknown        = 1002
)

// exception is what ClickHouse says when a statement fails, in its own words: "Code: 60. DB::Exception: ... (UNKNOWN_TABLE)".
type exception struct {
	code int
	text string
}

func (e *exception) Error() string { return e.text }

var exceptionCode = regexp.MustCompile(`^Code: (\d+)\.`)

// parseException makes an exception of the engine's text; a text without a code gets UNKNOWN_EXCEPTION's.
func parseException(text string) *exception {
	if m := exceptionCode.FindStringSubmatch(text); m != nil {
		if code, err := strconv.Atoi(m[1]); err == nil && code > 0 {
			return &exception{code: code, text: text}
		}
	}
	return newException(codeUnknown, "UNKNOWN_EXCEPTION", text)
}

func newException(code int, name, text string) *exception {
	return &exception{code: code, text: "Code: " + strconv.Itoa(code) + ". DB::Exception: " + text + ". (" + name + ")"}
}

// status is the HTTP status that a ClickHouse server answers an exception with: who sent nonsense learns it from the 4xx, and
// everything that is not the sender's fault is a 500.
func (e *exception) status() int {
	switch e.code {
	case 60, // UNKNOWN_TABLE
		81,  // UNKNOWN_DATABASE
		46,  // UNKNOWN_FUNCTION
		47,  // UNKNOWN_IDENTIFIER
		50,  // UNKNOWN_TYPE
		52,  // UNKNOWN_AGGREGATE_FUNCTION
		56,  // UNKNOWN_STORAGE
		73,  // UNKNOWN_FORMAT
		115: // UNKNOWN_SETTING
		return http.StatusNotFound
	case 6, 26, 27, 38, 41, 53, 62, 69, 70, 72, 117, 131, 349, 456:
		// What cannot be parsed, bound or converted.
		return http.StatusBadRequest
	case 164: // READONLY
		return http.StatusForbidden
	case 159, 209: // TIMEOUT_EXCEEDED, SOCKET_TIMEOUT
		return http.StatusRequestTimeout
	case codeNotImplemented:
		return http.StatusNotImplemented
	}
	return http.StatusInternalServerError
}
