package metrics

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// kept is the bytes of those sections of the last Save in which nothing has
// changed since: in a quiet minute that is all but a few, and encoding them is
// what a snapshot costs. Folds rest in the bytes that are kept of them, so that these take no
// memory besides; those of cells, windows and quality take about a tenth of the
// state. Nothing is kept before the first Save, so that a history pays nothing;
// what is loaded is kept.
//
// Whoever changes what a section holds must say so here. The property tests
// compare the bytes of an engine that keeps sections with those of one that has
// just made all of them anew.
type kept struct {
	any   bool
	dirty [keptKinds]map[daySection]struct{} // what has changed since the last Save
	teams [keptKinds]uint16                  // and of which buckets of teams, a bit for each
	folds [foldBuckets][]byte
	days  [keptKinds]map[daySection][]byte

	tables map[daySection]*cellTable // of the sections that cells rest in
}

// daySection is a section of one day and of the teams in one bucket: of the
// current day, a quiet minute writes those of the teams that it hears of.
type daySection struct {
	day    utcDay
	bucket uint8
}

const teamBuckets = 16

func teamBucket(team string) uint8 { return uint8(xxhash.Sum64String(team) % teamBuckets) }

// keptKind is a kind of section that is cut by day of UTC and team.
type keptKind uint8

const (
	keptCells keptKind = iota
	keptWindowRows
	keptQuality
	keptKinds
)

func (k keptKind) String() string {
	return [keptKinds]string{"cells", "windows", "quality"}[k]
}

func (s daySection) name(kind keptKind) string {
	return fmt.Sprintf("%s/%d/%02d", kind, s.day, s.bucket)
}

// changed says that the section of a team's day has other content now.
func (k *kept) changed(kind keptKind, t *team, day utcDay) {
	if k.any {
		k.drop(kind, daySection{day, t.bucket})
	}
}

func (k *kept) drop(kind keptKind, s daySection) {
	if k.dirty[kind] == nil {
		k.dirty[kind] = map[daySection]struct{}{}
	}
	k.dirty[kind][s] = struct{}{}
	k.teams[kind] |= 1 << s.bucket
	delete(k.days[kind], s)
}

// keep takes the bytes of a section as they are now.
func (k *kept) keep(kind keptKind, s daySection, data []byte) {
	if k.days[kind] == nil {
		k.days[kind] = map[daySection][]byte{}
	}
	k.days[kind][s] = data
}

// table takes what a section of cells names.
func (k *kept) table(s daySection, t *cellTable) {
	if k.tables == nil {
		k.tables = map[daySection]*cellTable{}
	}
	k.tables[s] = t
}

// saved begins to keep what was saved, or loaded.
func (k *kept) saved() {
	k.any = true
	for kind := range k.dirty {
		clear(k.dirty[kind])
		k.teams[kind] = 0
	}
}

// idle reports whether all sections of the team are kept.
func (k *kept) idle(kind keptKind, t *team) bool { return k.any && k.teams[kind]>>t.bucket&1 == 0 }

// unchanged reports whether the section of a team's day is kept.
func (k *kept) unchanged(kind keptKind, t *team, day utcDay) bool {
	if !k.any {
		return false
	}
	_, dirty := k.dirty[kind][daySection{day, t.bucket}]
	return !dirty
}

// evicted says that things of days before day may have been forgotten. Windows
// are filed by local date, which is up to a day from that of UTC.
func (k *kept) evicted(day utcDay) {
	for s := range k.tables {
		if s.day < day {
			delete(k.tables, s)
		}
	}
	for kind, days := range k.days {
		for s := range days {
			if s.day <= day+1 {
				k.drop(keptKind(kind), s)
			}
		}
	}
}

// changedFold says that an entity is new, gone, or has other content now.
func (e *Engine) changedFold(en *entity) {
	if e.kept.any {
		e.kept.folds[en.bucket] = nil
	}
}

// join makes an entity one of the team's, and of those that its section of folds
// holds.
func (t *team) join(en *entity) {
	t.entities[en.kind][en.id] = en
	en.bucket = uint16((xxhash.Sum64String(string(en.id)) ^ xxhash.Sum64String(t.name)) % foldBuckets)
	members := &t.engine.members[en.bucket]
	*members = append(*members, entityRef{t, en})
}

// leave is the end of an entity.
func (t *team) leave(en *entity) {
	delete(t.entities[en.kind], en.id)
	members := &t.engine.members[en.bucket]
	*members = slices.DeleteFunc(*members, func(r entityRef) bool { return r.entity == en })
}

// saveDays writes one section for each day and bucket of teams: those that have
// changed, and those that are kept. It returns which there are.
func saveDays[T any](k *kept, kind keptKind, changed map[daySection]T, save func(daySection, T) []byte, put func(string, []byte)) (there []savedDay) {
	sections := slices.AppendSeq(slices.Collect(maps.Keys(changed)), maps.Keys(k.days[kind]))
	slices.SortFunc(sections, func(a, b daySection) int { return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.bucket, b.bucket)) })
	for _, s := range sections {
		if _, ok := k.days[kind][s]; !ok {
			k.keep(kind, s, save(s, changed[s]))
		}
		put(s.name(kind), k.days[kind][s])
		if n := len(there); n == 0 || there[n-1].Day != s.day {
			there = append(there, savedDay{Day: s.day})
		}
		there[len(there)-1].Buckets |= 1 << s.bucket
	}
	return there
}
