package event

import (
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

func TestEventRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.Make[Event]().Draw(t, "event")
		normalize(reflect.ValueOf(&e))
		record := Encode(e)
		got, err := Decode(record)
		if err != nil {
			t.Fatal(err)
		}
		clear(record) // nothing of it may be kept: the log's client uses it again
		if !reflect.DeepEqual(got, e) {
			t.Fatalf("decoded %+v\nwant    %+v", got, e)
		}
		var d Decoder
		for range 2 { // the second time from remembered names
			if got, err := d.Event(Encode(e)); err != nil || !reflect.DeepEqual(got, e) {
				t.Fatalf("the decoder gives %+v, %v\nwant %+v", got, err, e)
			}
		}
	})
}

func TestMessageRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.Make[Message]().Draw(t, "message")
		if m.IsTick {
			m.Routed = Routed{}
		}
		normalize(reflect.ValueOf(&m))
		record := AppendMessage(nil, &m)
		got, err := DecodeMessage(record)
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Fatalf("decoded %+v, %v\nwant %+v", got, err, m)
		}
		if again := AppendMessage(nil, &got); !reflect.DeepEqual(again, record) {
			t.Fatalf("the same message has two records, %x and %x", record, again)
		}
		var d Decoder
		if got, err := d.Message(record); err != nil || !reflect.DeepEqual(got, m) {
			t.Fatalf("the decoder gives %+v, %v\nwant %+v", got, err, m)
		}
		if got, err := DecodeRouted(AppendRouted(nil, &m.Routed)); err != nil || !reflect.DeepEqual(got, m.Routed) {
			t.Fatalf("decoded %+v, %v\nwant %+v", got, err, m.Routed)
		}
		if got, err := d.Routed(AppendRouted(nil, &m.Routed)); err != nil || !reflect.DeepEqual(got, m.Routed) {
			t.Fatalf("decoded %+v, %v\nwant %+v", got, err, m.Routed)
		}
	})
}

// An appended record must not touch what lies before it, whatever its length.
func TestAppendKeepsWhatIsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.Make[Event]().Draw(t, "event")
		b := Append([]byte("before"), &e)
		if string(b[:6]) != "before" || !reflect.DeepEqual(b[6:], Encode(e)) {
			t.Fatalf("appended %q", b)
		}
	})
}

func TestDecodeRefuses(t *testing.T) {
	for name, record := range map[string][]byte{
		"text that is cut":                 {5<<3 | wireBytes, 4, 'a', 'b'},
		"number that is cut":               {4<<3 | wireVarint, 0x80},
		"length that is too large":         {5<<3 | wireBytes, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 'a'},
		"id of three bytes":                {1<<3 | wireBytes, 3, 1, 2, 3},
		"kind 300 of a later version":      {3<<3 | wireVarint, 0xac, 0x02},
		"field number 0":                   {0, 0},
		"group":                            {5<<3 | 3},
		"broken account inside":            {8<<3 | wireBytes, 2, 1<<3 | wireBytes, 9},
		"broken pull request inside":       {11<<3 | wireBytes, 1, 0x80},
		"offset beyond 16 bits inside":     {9<<3 | wireBytes, 4, 2<<3 | wireVarint, 0x80, 0x80, 0x04},
		"fixed field that is cut":          {99 &^ 7 & 0x7f, 0, 5<<3 | wireFixed8, 1, 2, 3},
		"number of more than sixty-four b": {4<<3 | wireVarint, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
	} {
		if e, err := Decode(record); !errors.Is(err, ErrUnreadable) {
			t.Errorf("%s: decoded %+v, %v", name, e, err)
		}
	}
}

func TestUnknownFieldsAreSkipped(t *testing.T) {
	e := Event{Entity: "github/repo/42/pr/7", Kind: PullRequestMerged, Time: 1772442000000}
	record := Encode(e)
	for _, extra := range [][]byte{
		appendElement(nil, 900, "text of a later release"),
		appendUint(nil, 901, 7),
		append(appendTag(nil, 902, wireFixed8), 1, 2, 3, 4, 5, 6, 7, 8),
		append(appendTag(nil, 903, wireFixed4), 1, 2, 3, 4),
		appendUint(nil, 5, 7), // a known number, another type
	} {
		for _, b := range [][]byte{append(extra, record...), append(record[:len(record):len(record)], extra...)} {
			if got, err := Decode(b); err != nil || !reflect.DeepEqual(got, e) {
				t.Errorf("with %x: %+v, %v", extra, got, err)
			}
		}
	}
}

func TestNamesAreShared(t *testing.T) {
	var n names
	a, b := n.text([]byte("acme/web")), n.text([]byte("acme/web"))
	if a != "acme/web" || a != b || len(n.known) != 1 {
		t.Fatalf("%q %q %v", a, b, n.known)
	}
	long := make([]byte, maxNameLength+1)
	n.text(long)
	if len(n.known) != 1 {
		t.Error("a long text is remembered")
	}
	for i := range 2 * maxNames {
		n.text([]byte{byte(i), byte(i >> 8), byte(i >> 16), 'x'})
	}
	if len(n.known) > maxNames {
		t.Errorf("%d names are remembered", len(n.known))
	}
}

func FuzzDecode(f *testing.F) {
	for _, e := range samples() {
		f.Add(Encode(e))
		r := Routed{Copy: Home, Team: "web", Verdict: Accepted, Event: e, Act: &Act{Key: "k"}}
		f.Add(AppendMessage(nil, &Message{Partition: 1, Offset: 2, Ordinal: 3, Routed: r}))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if e, err := Decode(b); err == nil {
			again, err := Decode(Encode(e))
			if err != nil || !reflect.DeepEqual(again, e) {
				t.Fatalf("%+v becomes %+v, %v", e, again, err)
			}
		}
		if m, err := DecodeMessage(b); err == nil && !m.IsTick {
			again, err := DecodeMessage(AppendMessage(nil, &m))
			if err != nil || !reflect.DeepEqual(again, m) {
				t.Fatalf("%+v becomes %+v, %v", m, again, err)
			}
		}
	})
}

// normalize makes empty lists nil, as they come out of the codec.
func normalize(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			normalize(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			normalize(v.Field(i))
		}
	case reflect.Slice:
		if v.Len() == 0 && v.CanSet() {
			v.SetZero()
		}
		for i := range v.Len() {
			normalize(v.Index(i))
		}
	}
}
