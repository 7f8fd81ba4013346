package ingest

import (
	"cmp"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/fxamacker/cbor/v2"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// openLife is how long an entity that is still open keeps its place after its
// last fact. A closed one keeps it for the horizon.
const openLife = 400 * timeline.Day

// places holds the home team of every entity that has had an accepted fact: a
// pull request, an issue, a deployment. The first fact places it and the later
// ones follow, even when the repository is renamed, the issue moves to another
// project, or a status of a deployment no longer says where it came from; else
// half of its facts would lie in another team's fold, where nothing completes them.
//
// Most of it could be computed again (the catalog at the entity's creation is a
// pure function), but not which names the entity had then, so all are kept: about
// a hundred bytes each. Pushes are about a repository, which has no life to fix:
// each is placed by its own time.
type places struct {
	horizon timeline.Millis
	of      table[event.EntityID, place]
	swept   int64 // the UTC day of the clock that last swept

	// first is a clock before which nothing is gone; not exact, and not saved.
	first streaming.Clock

	// kept is the sections of the last Save that have not changed since.
	kept [placeBuckets][]byte
	any  bool // there was one: a history before it pays nothing
}

// placeBuckets is how many sections places are spread over by the hash of their
// entity: one more fact writes one of them anew, a 256th of all. Days would not do
// as they do for ids: each fact moves its entity from one day to another.
const placeBuckets = 256

func bucketOf(hash uint64) uint8 { return uint8(occupied(hash) >> 56) }

type place struct {
	team string
	last timeline.Millis // time of the newest accepted fact
	open bool            // as that fact says
	act  *starting       // of a deployment: who started it, once a fact has said so
}

// starting is the act of starting a deployment, as the first fact that knew of it
// told it. Each state tells it again, and some know less than others: one without
// the start has its own time. So the person, and the instant at which their teams
// are asked for, are those of the first; else somebody who changes teams between
// two states would have started it in both.
type starting struct {
	who event.PersonID
	at  timeline.Millis
}

func newPlaces(horizon timeline.Millis) *places {
	return &places{horizon: horizon, swept: math.MinInt64, first: math.MaxInt64}
}

// gone reports whether p may be forgotten at clock c.
func (ps *places) gone(p *place, c streaming.Clock) bool {
	if c == streaming.NoClock {
		return false
	}
	life := ps.horizon
	if p.open {
		life = max(life, openLife)
	}
	return p.last+life <= c
}

// find returns an entity's place, while it has one at clock c, else nil. In
// history nothing is forgotten: pass NoClock. The pointer is good until the next add.
func (ps *places) find(hash uint64, id event.EntityID, c streaming.Clock) *place {
	p := ps.of.get(hash, id)
	if p == nil || ps.gone(p, c) {
		return nil
	}
	return p
}

// touch notes an accepted fact. An older one that came late says nothing about
// how far its entity has got.
func (ps *places) touch(hash uint64, p *place, t timeline.Millis, open bool) {
	if t >= p.last {
		p.last, p.open = t, open
		ps.changed(hash)
	}
}

// add keeps the place of an entity that had none.
func (ps *places) add(hash uint64, id event.EntityID, p place) *place {
	ps.first = min(ps.first, p.last+ps.horizon)
	ps.changed(hash)
	return ps.of.put(hash, id, p)
}

// changed says that a section has other bytes now.
func (ps *places) changed(hash uint64) {
	if ps.any {
		ps.kept[bucketOf(hash)] = nil
	}
}

func hashEntity(id event.EntityID) uint64 { return xxhash.Sum64String(string(id)) }

// sweep drops what is gone, once for each day of the clock: on the days that the
// ticks name, so that a restart in between changes nothing.
func (ps *places) sweep(c streaming.Clock) {
	day := dayOf(c)
	if day <= ps.swept {
		return
	}
	ps.swept = day
	if c < ps.first {
		return
	}
	ps.first = math.MaxInt64
	var gone []event.EntityID
	for id, p := range ps.of.all() {
		if ps.gone(p, c) {
			gone = append(gone, id)
		} else {
			ps.first = min(ps.first, p.last+ps.horizon)
		}
	}
	for _, id := range gone {
		hash := hashEntity(id)
		ps.changed(hash)
		ps.of.remove(hash, id)
	}
}

// savedPlace is a place in a snapshot.
type savedPlace struct {
	_      struct{} `cbor:",toarray"`
	Entity event.EntityID
	Team   string
	Last   timeline.Millis
	Open   bool
	Act    *savedStarting
}

type savedStarting struct {
	_   struct{} `cbor:",toarray"`
	Who event.PersonID
	At  timeline.Millis
}

func (s *starting) saved() *savedStarting {
	if s == nil {
		return nil
	}
	return &savedStarting{Who: s.who, At: s.at}
}

func (s *savedStarting) loaded() *starting {
	if s == nil {
		return nil
	}
	return &starting{who: s.Who, at: s.At}
}

// save writes the places in sections by the hash of their entities, sorted within
// each, and encodes those alone that have changed since the last time.
func (ps *places) save(put func(bucket int, data []byte)) {
	const each = placeBuckets >> partBits // sections of a part of the table
	for i := range ps.of.parts {
		var changed [each][]savedPlace
		first := i * each
		if !slices.ContainsFunc(ps.kept[first:first+each], func(b []byte) bool { return b == nil }) {
			continue
		}
		for j := range ps.of.parts[i].slots {
			s := &ps.of.parts[i].slots[j]
			if b := int(bucketOf(s.hash)) - first; s.hash != 0 && ps.kept[first+b] == nil {
				changed[b] = append(changed[b], savedPlace{Entity: s.key, Team: s.value.team, Last: s.value.last, Open: s.value.open, Act: s.value.act.saved()})
			}
		}
		for b, list := range changed {
			if ps.kept[first+b] == nil {
				slices.SortFunc(list, func(a, b savedPlace) int { return cmp.Compare(a.Entity, b.Entity) })
				ps.kept[first+b] = []byte{} // empty, and known to be
				if len(list) > 0 {
					ps.kept[first+b] = canonical(list)
				}
			}
		}
	}
	ps.any = true
	for b, data := range ps.kept {
		if len(data) > 0 {
			put(b, data)
		}
	}
}

// load adds a section that was saved. Team names are shared again.
func (ps *places) load(b []byte, teams map[string]string) error {
	var list []savedPlace
	if err := cbor.Unmarshal(b, &list); err != nil {
		return err
	}
	for _, s := range list {
		team, ok := teams[s.Team]
		if !ok {
			team = s.Team
			teams[team] = team
		}
		ps.add(hashEntity(s.Entity), s.Entity, place{team, s.Last, s.Open, s.Act.loaded()})
	}
	return nil
}
