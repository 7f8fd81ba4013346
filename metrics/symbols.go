package metrics

import (
	"strings"

	"meridian/ingest/event"
)

// symbols numbers the few strings and people that observations name over and
// over, so that one kept in memory takes 24 bytes and not 200. Numbers are
// given in order of arrival and mean nothing outside this process: whatever is
// compared, emitted or saved is the name.
type symbols struct {
	names   []string
	ids     map[string]uint32
	people  []event.PersonID
	persons map[event.PersonID]uint32

	// The last that were asked for: whatever is observed of one entity names
	// the same few, one after the other.
	recent       [8]uint32
	next         uint8
	recentPerson uint32

	crowd crowd // scratch
}

func newSymbols() *symbols {
	return &symbols{
		names: []string{""}, ids: map[string]uint32{"": 0},
		people: []event.PersonID{{}}, persons: map[event.PersonID]uint32{{}: 0},
	}
}

func (s *symbols) id(name string) uint32 {
	if name == "" {
		return 0
	}
	for _, id := range &s.recent {
		if s.names[id] == name {
			return id
		}
	}
	id, ok := s.ids[name]
	if !ok {
		id = uint32(len(s.names))
		name = strings.Clone(name) // it may be a slice of a snapshot
		s.names = append(s.names, name)
		s.ids[name] = id
	}
	s.recent[s.next%8] = id
	s.next++
	return id
}

func (s *symbols) person(p event.PersonID) uint32 {
	if p == (event.PersonID{}) {
		return 0
	}
	if s.people[s.recentPerson] == p {
		return s.recentPerson
	}
	id, ok := s.persons[p]
	if !ok {
		id = uint32(len(s.people))
		s.people = append(s.people, p)
		s.persons[p] = id
	}
	s.recentPerson = id
	return id
}
