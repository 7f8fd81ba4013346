package ingest

import (
	"bytes"
	"maps"
	"testing"

	"meridian/ingest/event"
	"meridian/streaming"
)

// Whatever a damaged snapshot holds, loading it is an error or gives a route that
// saves and loads the same.
func FuzzLoadRoute(f *testing.F) {
	r := testRoute(f, nil)
	drive(r, []step{{delivery: fact(1, event.Deploy, instant0, instant0)}, {tick: instant0 + 1000}}, func(Copy) {}, nil)
	whole := sections(r)
	for name, data := range whole {
		f.Add(name, []byte(data))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		damaged := maps.Clone(whole)
		damaged[name] = string(data)
		r := testRoute(t, nil)
		if err := r.Load(func(s string) ([]byte, error) { return []byte(damaged[s]), nil }); err != nil {
			return
		}
		state := sections(r)
		if again := sections(restore(t, r.config, state)); !maps.Equal(again, state) {
			t.Fatal("what was loaded is saved, and then saved otherwise")
		}
	})
}

// Records of meridian.events: an error, or what is written again to the byte.
func FuzzMessage(f *testing.F) {
	r := testRoute(f, nil)
	drive(r, []step{{delivery: fact(1, event.Deploy, instant0, instant0)}, {tick: instant0 + 1000}}, func(c Copy) {
		f.Add(AppendMessage(nil, &c.Message))
	}, nil)
	f.Fuzz(func(t *testing.T, data []byte) {
		var d MessageDecoder
		m, err := d.Message(data)
		if err != nil {
			return
		}
		once := AppendMessage(nil, &m)
		var again streaming.Message[event.Routed]
		if again, err = new(MessageDecoder).Message(once); err != nil || !bytes.Equal(AppendMessage(nil, &again), once) {
			t.Fatalf("%x is written as %x, which is not read again: %v", data, once, err)
		}
	})
}
