package web

import (
	"testing"

	"meridian/web/language"
)

func TestUnreadTypes(t *testing.T) {
	for _, c := range []struct {
		of   map[string]int64
		want string
	}{
		{nil, ""},
		{map[string]int64{"b": 1, "a": 1, "c": 7}, "c 7, a 1, b 1"},
		{map[string]int64{"a": 9, "b": 8, "c": 7, "d": 6, "e": 5, "f": 4, "g": 3, "h": 2, "i": 1}, "a 9, b 8, c 7, d 6, e 5, f 4, g 3, h 2, and 1 more type"},
	} {
		if got := unreadTypes(language.English, c.of); got != c.want {
			t.Errorf("%v is %q, want %q", c.of, got, c.want)
		}
	}
}
