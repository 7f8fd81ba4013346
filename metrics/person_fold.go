package metrics

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// PersonLine holds what one person does for one team: a Line, for sessions know
// no midnight, neither of UTC nor of anybody.
//
// What an act is of by itself is in [ActivityFold], by day; here is only what a
// session needs of it.
type PersonLine struct {
	Acts []personAct // by time and key
	Asks Parts       // by UTC day of a session's first act

	Person event.PersonID
}

// personAct is an act that counts: those that were ignored are not kept.
type personAct struct {
	At      timeline.Millis
	Key     string
	Class   timeline.Class
	Known   event.ZoneSource
	Primary bool
}

func (a *personAct) compare(b *personAct) int {
	if a.At != b.At {
		return cmp.Compare(a.At, b.At)
	}
	return cmp.Compare(a.Key, b.Key)
}

// better decides between two that say the same act of one instant.
func (a *personAct) better(b *personAct) bool {
	if c := cmp.Or(cmp.Compare(a.Known, b.Known), cmp.Compare(a.Class, b.Class)); c != 0 {
		return c < 0
	}
	return a.Primary && !b.Primary
}

// sessionGap is how long somebody may do nothing and still be in the same session.
const sessionGap = 60 * timeline.Minute

func actAt(a *personAct) timeline.Millis { return a.At }

var (
	_ Line = (*PersonLine)(nil)
	_ Aged = (*PersonLine)(nil)
)

func personKind() FoldKind {
	return FoldKind{
		Subject: SubjectPerson,
		New:     func() Fold { return new(PersonLine) },
		Entity:  spelt(spellLine),
		Spell:   spellLine,
	}
}

func spellLine(b []byte, r *event.Routed) []byte {
	if r.Copy != event.Activity || r.Act == nil || r.Act.Ignored != "" {
		return b
	}
	return spellPerson(b, r)
}

// Apply implements Fold. An act that is told of again, at an earlier time, moves:
// what was a session may fall apart.
func (f *PersonLine) Apply(r *event.Routed) {
	if bytes.Compare(r.Actor.ID[:], f.Person[:]) > 0 {
		f.Person = r.Actor.ID // the same in all of them
	}
	a := personAct{At: r.Act.At, Key: r.Act.Key, Class: r.Act.Class, Known: r.Act.Known, Primary: r.Act.Primary}
	if a.moves(r.Act.Kind) {
		if i := slices.IndexFunc(f.Acts, func(b personAct) bool { return b.Key == a.Key }); i >= 0 && f.Acts[i].At != a.At {
			if f.Acts[i].At < a.At {
				return
			}
			f.touch(f.Acts[i].At)
			f.Acts = slices.Delete(f.Acts, i, i+1)
		}
	}
	i, found := f.find(&a)
	switch {
	case !found:
		f.Acts = slices.Insert(f.Acts, i, a)
	case !a.better(&f.Acts[i]):
		return
	default:
		f.Acts[i] = a
	}
	f.touch(a.At)
}

// find returns the place of an act: nearly always at the end.
func (f *PersonLine) find(a *personAct) (int, bool) {
	if n := len(f.Acts); n == 0 || f.Acts[n-1].compare(a) < 0 {
		return n, false
	}
	return slices.BinarySearchFunc(f.Acts, a, func(b personAct, a *personAct) int { return b.compare(a) })
}

// moves reports whether those who tell of such an act may differ about its time.
// Of the others, the time is in the key or in the fact.
func (personAct) moves(k event.ActKind) bool { return k == event.ActDeployed }

// touch asks again for all sessions that an act at t is, or was, about.
func (f *PersonLine) touch(t timeline.Millis) {
	first, last := SessionAbout(f.Acts, actAt, sessionGap, t)
	for day := utcDayOf(first); day <= utcDayOf(last); day++ {
		f.Asks.Touch(dayPart(day))
	}
}

// sessions yields those that begin on the day of a part, or all.
func (f *PersonLine) sessions(part string, yield func([]personAct)) {
	from, to := -never, never
	if part != "" {
		day, err := strconv.ParseInt(part, 10, 32)
		if err != nil {
			return
		}
		from, to = utcDay(day).start(), utcDay(day+1).start()
	}
	for s := range SessionsIn(f.Acts, actAt, sessionGap, from, to) {
		yield(s)
	}
}

func dayPart(day utcDay) string { return strconv.FormatInt(int64(day), 10) }

// Touched implements Line.
func (f *PersonLine) Touched(yield func(part string)) { f.Asks.Each(yield) }

// Trim implements Line.
func (f *PersonLine) Trim(before timeline.Millis) (gone int64) {
	n := SessionsBefore(f.Acts, actAt, sessionGap, before)
	f.Acts = slices.Delete(f.Acts, 0, n)
	return int64(n)
}

// Oldest implements Aged.
func (f *PersonLine) Oldest() timeline.Millis {
	if len(f.Acts) == 0 {
		return never
	}
	return f.Acts[0].At
}

// Life implements Fold.
func (f *PersonLine) Life() (last timeline.Millis, open bool) {
	if n := len(f.Acts); n > 0 {
		last = f.Acts[n-1].At
	}
	return last, false
}
