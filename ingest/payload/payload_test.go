package payload

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"meridian/ingest"
	"meridian/streaming/timeline"
)

func TestTime(t *testing.T) {
	for _, c := range []struct {
		json   string
		want   string // "" none, "bad"
		offset int16
	}{
		{`null`, "", 0},
		{`"2026-03-02T09:00:00Z"`, "2026-03-02T09:00:00Z", 0},
		{`"2026-03-02T16:00:00.123+0700"`, "2026-03-02T09:00:00.123Z", 420},
		{`"2026-03-02T05:30:00-03:30"`, "2026-03-02T09:00:00Z", -210},
		{`1772442000`, "2026-03-02T09:00:00Z", 0},
		{`1772442000123`, "2026-03-02T09:00:00.123Z", 0},
		{`"1969-12-31T23:59:59Z"`, "1969-12-31T23:59:59Z", 0},
		{`"2026-02-30T09:00:00Z"`, "bad", 0},
		{`"2026-03-02T09:00:00+51:30"`, "bad", 0},
		{`"2026-03-02T09:00:00+1830"`, "bad", 0},
		{`"2026-03-02"`, "bad", 0},
		{`"0000-01-01T00:00:00Z"`, "bad", 0},
		{`""`, "bad", 0},
		{`0`, "bad", 0},
		{`-5`, "bad", 0},
		{`1e9`, "bad", 0},
		{`99999999999999999999`, "bad", 0},
		{`true`, "bad", 0},
		{`{"at": 5}`, "bad", 0},
		{`[]`, "bad", 0},
	} {
		var got Time
		if err := json.Unmarshal([]byte(c.json), &got); err != nil {
			t.Errorf("%s: %v", c.json, err)
		}
		switch {
		case c.want == "" && !got.IsZero(), c.want == "bad" && !got.Bad(), c.want != "" && c.want != "bad" && !got.Known():
			t.Errorf("%s is %+v, want %q", c.json, got, c.want)
		case got.Known() && (got.At.String() != c.want || got.Local().Offset != c.offset || got.Local().HasOffset != (c.offset != 0)):
			t.Errorf("%s is %v with offset %d, want %s with %d", c.json, got.At, got.Local().Offset, c.want, c.offset)
		}
	}
}

// What is kept of a time is the same time, offset included.
func TestTimeIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Time{
			At:     timeline.Millis(rapid.Int64Range(int64(earliest), int64(latest)).Draw(t, "at")),
			offset: int16(rapid.IntRange(-18*60, 18*60).Draw(t, "offset")),
			state:  timeKnown,
		}
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Time
		if err := json.Unmarshal(text, &got); err != nil || got != want {
			t.Fatalf("%+v is kept as %s and read as %+v (%v)", want, text, got, err)
		}
	})
}

func TestLearn(t *testing.T) {
	for _, c := range []struct {
		title, text, ref string
		want             Learned
	}{
		{"WEB-12: a thing", "see OPS-7, WEB-12 and web-13", "feature/AB2_C-9-x", Learned{IssueKeys: []string{"AB2_C-9", "OPS-7", "WEB-12"}}},
		{"A-1 is no key, nor is AB-0", "", "", Learned{}},
		{`Revert "a thing"`, "", "", Learned{Revert: true}},
		{"revert: a thing", "", "", Learned{Revert: true}},
		{"Reverting is hard", "", "", Learned{Revert: true}},
		{"Revertible things", "we may revert it", "", Learned{}},
		{"a thing", "Reverts acme/web#6", "", Learned{Revert: true}},
		{"a thing", "x\nThis reverts commit 1a2b3c4d5e.", "", Learned{Revert: true}},
		{"a thing", "", "revert-6-thing", Learned{Revert: true}},
		{"Hot-fix the cart", "", "", Learned{Hotfix: true}},
		{"a thing", "no hotfix", "hotfix/cart", Learned{Hotfix: true}},
		{"hotfixture", "", "", Learned{}},
	} {
		if got := Learn(c.title, c.text, c.ref); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q, %q, %q teach %+v, want %+v", c.title, c.text, c.ref, got, c.want)
		}
	}
	if l := LearnMessage("Merge pull request #6 from acme/x\n\nWEB-1"); !l.Merge || !reflect.DeepEqual(l.IssueKeys, []string{"WEB-1"}) {
		t.Errorf("a merge teaches %+v", l)
	}
	if l := LearnMessage("Merge the two carts"); l.Merge {
		t.Errorf("a commit with merge in its title teaches %+v", l)
	}
}

func TestRead(t *testing.T) {
	var into struct {
		Number int64 `json:"number"`
		Inner  struct {
			Names List[string] `json:"names"`
		} `json:"inner"`
	}
	for _, c := range []struct{ text, reason string }{
		{`{"number": "a secret"}`, "number holds a string where a number is expected"},
		{`{"number": 1.5}`, "number holds a number where a number is expected"},
		{`{"inner": [1]}`, "inner holds an array where an object is expected"},
		{`[]`, "the body holds an array where an object is expected"},
		{`{"inner": {"names": [` + strings.Repeat(`"",`, maxList) + `""]}}`, "a list holds more than 10000 elements"},
		{`{"number": 5}`, ""},
		{`null`, ""},
	} {
		if reason, err := Read([]byte(c.text), &into); reason != c.reason || err != nil {
			t.Errorf("%.80s: reason %q, error %v, want %q", c.text, reason, err, c.reason)
		}
	}
	for _, text := range []string{``, `{`, `{"a": tru}`, `{} {}`, strings.Repeat("[", 20_000)} {
		if _, err := Read([]byte(text), &into); !errors.Is(err, ingest.ErrMalformed) {
			t.Errorf("%.80s: error %v", text, err)
		}
	}
}

func TestRedact(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"action": "opened", "title": "secret", "n": 5, "ok": true, "none": null}`, `{"action":"opened","title":"","n":5,"ok":true,"none":null}`},
		{`{"user": {"name": "Mai", "login": "mai"}, "labels": [{"name": "bug"}, "shop"]}`, `{"user":{"name":"","login":"mai"},"labels":[{"name":"bug"},"shop"]}`},
		{`{"login": "mai@acme.example", "created_at": "2026-03-02T09:00:00Z", "edited_at": "secret"}`, `{"login":"","created_at":"2026-03-02T09:00:00Z","edited_at":""}`},
		{`{"a secret": 1, "customfield_1": {"secret": 1}, "meridian": {"revert": true}, "id": "10010"}`, `{"id":"10010"}`},
		{`{"ref": "` + strings.Repeat("x", 300) + `"}`, `{"ref":"~"}`},
		{`{"n": 1` + strings.Repeat("0", 100) + `}`, `{"n":0}`},
		{strings.Repeat("[", 100) + strings.Repeat("]", 100), strings.Repeat("[", 64) + "null" + strings.Repeat("]", 64)},
		{`{"a": }`, `{}`},
		{`[1] [2]`, `{}`},
		{``, `{}`},
	} {
		got := string(Redact([]byte(c.text)))
		if got != c.want {
			t.Errorf("%.80s\nis kept as %s\nwant       %s", c.text, got, c.want)
		}
		if again := string(Redact([]byte(got))); again != got {
			t.Errorf("%s is kept as %s", got, again)
		}
	}
}

func TestWebURL(t *testing.T) {
	for s, want := range map[string]string{
		"https://ci.example/runs/42?token=secret#x": "https://ci.example/runs/42",
		"https://mai:secret@ci.example/a%2Fb":       "https://ci.example/a%2Fb",
		"javascript:alert(1)":                       "",
		"/runs/42":                                  "",
		"https://":                                  "",
		"https://x/" + strings.Repeat("a", 2000):    "",
		"https://a b/":                              "",
	} {
		if got := WebURL(s); got != want {
			t.Errorf("%.60s is %q, want %q", s, got, want)
		}
	}
}

func TestForm(t *testing.T) {
	form := ingest.Delivery{Headers: map[string]string{"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}, Body: []byte("payload=%7B%22a%22%3A1%7D")}
	if got, err := Text(form); err != nil || string(got) != `{"a":1}` {
		t.Errorf("the form holds %s, %v", got, err)
	}
	form.Kept, form.Body = true, []byte(`{"a":1}`)
	if got, err := Text(form); err != nil || string(got) != `{"a":1}` {
		t.Errorf("the kept body of a form holds %s, %v", got, err)
	}
	form.Kept, form.Body = false, []byte("%zz")
	if _, err := Text(form); !errors.Is(err, ingest.ErrMalformed) {
		t.Errorf("no form is %v", err)
	}
}
