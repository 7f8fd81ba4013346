package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// stateOf returns the sections of a route that has seen some days.
func stateOf(t *testing.T) (*Route, map[string]string) {
	r := testRoute(t, nil)
	var steps []step
	for i := range 40 {
		at := instant0 + timeline.Millis(i)*7*timeline.Hour
		steps = append(steps, step{delivery: fact(byte(i), event.Deploy, at, at)}, step{tick: at})
	}
	drive(r, steps, func(Copy) {}, nil)
	return r, sections(r)
}

func TestSectionsAreCutSoThatMostOfThemRest(t *testing.T) {
	r, before := stateOf(t)
	// 40 steps of 7 hours from 10:00 on 2026-03-02, day 20514, end 273 hours later.
	var days []string
	homes := 0
	for name := range before {
		switch {
		case strings.HasPrefix(name, "ids/"):
			days = append(days, name)
		case strings.HasPrefix(name, "places/"):
			homes++
		}
	}
	slices.Sort(days)
	want := []string{"ids/20514/0", "ids/20515/0", "ids/20516/0", "ids/20517/0", "ids/20518/0", "ids/20519/0", "ids/20520/0", "ids/20521/0", "ids/20522/0", "ids/20523/0", "ids/20524/0", "ids/20525/0"}
	if !slices.Equal(days, want) || homes < 30 || len(before) != len(days)+homes+1 {
		t.Errorf("sections %v, want these days and some of 40 homes", slices.Sorted(maps.Keys(before)))
	}

	// Another fact of the last day leaves the others as they are.
	at := instant0 + 273*timeline.Hour
	drive(r, []step{{delivery: fact(200, event.Deploy, at, at)}, {tick: at + timeline.Minute}}, func(Copy) {}, nil)
	var changed []string
	for name, data := range sections(r) {
		if before[name] != data {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	home := fmt.Sprintf("places/%d", bucketOf(hashEntity("deploy/ci/200/web")))
	if !slices.Equal(changed, []string{"ids/20525/0", home, "route"}) {
		t.Errorf("changed %v", changed)
	}
}

// A day of many ids lies in pieces, and one more id changes the last alone; what
// was put is never written to again.
func TestIDsLieInPieces(t *testing.T) {
	r := testRoute(t, nil)
	add := func(n int) {
		for range n {
			id := event.NewID("pieces", fmt.Sprint(r.ids.times.size))
			r.ids.claim(id, instant0, instant0)
		}
	}
	put := func() map[string][]byte {
		m := map[string][]byte{}
		r.Save(func(s string, b []byte) { m[s] = b })
		return m
	}
	add(2 * memoryPiece / memoryIDSize)
	add(10)
	first := put()
	before := maps.Clone(first)
	for name, b := range first {
		before[name] = slices.Clone(b)
	}
	add(5)
	second := put()
	for _, name := range []string{"ids/20514/0", "ids/20514/1"} {
		if &first[name][0] != &second[name][0] || len(second[name]) != memoryPiece {
			t.Errorf("%s is not the very memory that it was", name)
		}
	}
	if got, want := len(second["ids/20514/2"]), 15*memoryIDSize; got != want {
		t.Errorf("the last piece has %d bytes, want %d", got, want)
	}
	for name, b := range first {
		if !bytes.Equal(b, before[name]) {
			t.Errorf("%s was written to after it had been put", name)
		}
	}
}

func TestDamagedStateIsNotLoaded(t *testing.T) {
	_, whole := stateOf(t)
	home := fmt.Sprintf("places/%d", bucketOf(hashEntity("deploy/ci/7/web")))
	for name, test := range map[string]struct {
		section, data, want string
	}{
		"the head is missing":     {"route", "", "section route"},
		"another version":         {"route", "\xa1\x01\x01", "version 1"},
		"a day of ids is missing": {"ids/20515/0", "", "section ids/20515/0"},
		"a day of ids is cut":     {"ids/20515/0", whole["ids/20515/0"][:19], "a multiple of 20"},
		"homes are broken":        {home, "\xff", "section " + home},
	} {
		damaged := maps.Clone(whole)
		damaged[test.section] = test.data
		err := testRoute(t, nil).Load(func(s string) ([]byte, error) { return []byte(damaged[s]), nil })
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	broken := errors.New("disk")
	for section := range whole {
		err := testRoute(t, nil).Load(func(s string) ([]byte, error) {
			if s == section {
				return nil, broken
			}
			return []byte(whole[s]), nil
		})
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), section) {
			t.Errorf("%s cannot be read: %v", section, err)
		}
	}
}

func TestAnIDThatIsUsedAgain(t *testing.T) {
	m := newMemory(timeline.Day)
	id := event.ID{7}
	if _, fresh := m.claim(id, instant0, instant0); !fresh {
		t.Fatal("a new id is known")
	}
	later := instant0 + 10*timeline.Day
	if _, fresh := m.claim(id, later, later); !fresh {
		t.Fatal("an id is remembered ten days with a horizon of one")
	}
	if m.times.size != 1 || len(m.days) != 1 || m.oldest != dayOf(later) {
		t.Errorf("%d ids, %d days, the oldest is %d", m.times.size, len(m.days), m.oldest)
	}
	m.forget(later + 3*timeline.Day)
	if m.times.size != 0 || len(m.days) != 0 || m.oldest != noDay {
		t.Errorf("%d ids, %d days are left", m.times.size, len(m.days))
	}
}

func TestDayOf(t *testing.T) {
	for _, test := range []struct {
		t    timeline.Millis
		want int64
	}{{0, 0}, {-1, -1}, {-timeline.Day, -1}, {-timeline.Day - 1, -2}, {timeline.Day - 1, 0}, {timeline.Day, 1}} {
		if got := dayOf(test.t); got != test.want {
			t.Errorf("dayOf(%d) = %d, want %d", test.t, got, test.want)
		}
	}
}
