package metrics

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"slices"
	"strconv"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// ActivityFold holds what one person did for one team on one day of UTC.
type ActivityFold struct {
	Person event.PersonID
	Acts   []act // by key

	news // of acts
}

// act is one activity of a human in their own local time; see event.Act.
type act struct {
	Key     string
	Kind    event.ActKind
	At      timeline.Millis
	Class   timeline.Class
	Known   event.ZoneSource
	Zone    string
	Primary bool
	Ignored Reason
}

// compare orders what is said of one act: told with several times, it happened
// at the first of them, as a deployment starts before it ends.
func (a *act) compare(b *act) int {
	if c := cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Known, b.Known), cmp.Compare(a.Class, b.Class),
		cmp.Compare(a.Zone, b.Zone), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Ignored, b.Ignored)); c != 0 || a.Primary == b.Primary {
		return c
	}
	if a.Primary {
		return -1
	}
	return 1
}

func activityKind() FoldKind {
	return FoldKind{
		Subject: SubjectActivity,
		New:     func() Fold { return new(ActivityFold) },
		Entity:  spelt(spellActivity),
		Spell:   spellActivity,
	}
}

// spellActivity cuts a person's acts by day, so that no fold grows for ever.
// That needs an act to have one time. A deployment's may differ between those
// who tell of it (not all know when it started), so each is its own entity.
func spellActivity(b []byte, r *event.Routed) []byte {
	if r.Copy != event.Activity || r.Act == nil {
		return b
	}
	b = append(spellPerson(b, r), '/')
	if r.Act.Kind == event.ActDeployed {
		return append(b, r.Act.Key...)
	}
	return strconv.AppendInt(b, int64(utcDayOf(r.Act.At)), 10)
}

func spellPerson(b []byte, r *event.Routed) []byte { return appendPerson(b, r.Actor.ID) }

func appendPerson(b []byte, id event.PersonID) []byte {
	return hex.AppendEncode(append(b, "person/"...), id[:])
}

// Apply implements Fold.
func (f *ActivityFold) Apply(r *event.Routed) {
	if bytes.Compare(r.Actor.ID[:], f.Person[:]) > 0 {
		f.Person = r.Actor.ID // the same in all of them
		f.forget()
	}
	a := act{
		Key: r.Act.Key, Kind: r.Act.Kind, At: r.Act.At, Class: r.Act.Class, Known: r.Act.Known, Zone: r.Act.Zone,
		Primary: r.Act.Primary, Ignored: Reason(r.Act.Ignored),
	}
	f.tell(a.Key)
	i, found := f.find(a.Key)
	switch {
	case !found:
		f.Acts = slices.Insert(f.Acts, i, a)
	case a.compare(&f.Acts[i]) < 0:
		f.Acts[i] = a
	}
}

func (f *ActivityFold) find(key string) (int, bool) {
	return slices.BinarySearchFunc(f.Acts, key, func(a act, key string) int { return cmp.Compare(a.Key, key) })
}

// Life implements Fold. Nothing that is done is open.
func (f *ActivityFold) Life() (last timeline.Millis, open bool) {
	for i := range f.Acts {
		last = max(last, f.Acts[i].At)
	}
	return last, false
}
