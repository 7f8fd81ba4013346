package metrics

import (
	"cmp"
	"slices"
	"strconv"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// BranchFold holds a branch of one repository and the pull requests that come
// from it, so that what was pushed meets what was asked to be merged, whichever
// is told first. Of a pull request from a fork there is no branch to hear of;
// it has a fold of its own.
//
// It is a Line, in parts by pull request, since a branch such as develop goes on
// for ever.
type BranchFold struct {
	branch
	Pulls []pull // by number
	Asks  Parts
	Asked []knownFirst // what payloads state themselves; by number
}

// knownFirst is when the first commit of a pull request was written, as the API says.
type knownFirst struct {
	Number int64
	First  timeline.Millis
}

var (
	_ Line = (*BranchFold)(nil)
	_ Aged = (*BranchFold)(nil)
)

func branchKind() FoldKind {
	return FoldKind{
		Subject: SubjectBranch,
		New:     func() Fold { return new(BranchFold) },
		Entity:  spelt(spellBranch),
		Spell:   spellBranch,
	}
}

func spellBranch(b []byte, r *event.Routed) []byte {
	switch {
	case r.Copy != event.Home:
		return b
	case r.Event.PullRequest != nil && r.Event.PullRequest.FromFork:
		return append(b, r.Event.Entity...)
	}
	return appendBranch(b, &r.Event)
}

// Apply implements Fold.
func (f *BranchFold) Apply(r *event.Routed) {
	before := len(f.Pushes) + len(f.Merges)
	f.branch.see(&r.Event)
	if len(f.Pushes)+len(f.Merges) != before {
		for i := range f.Pulls {
			f.Asks.Touch(pullPart(f.Pulls[i].Number))
		}
	}
	p := r.Event.PullRequest
	if p == nil {
		return
	}
	i, found := slices.BinarySearchFunc(f.Pulls, p.Number, func(p pull, n int64) int { return cmp.Compare(p.Number, n) })
	if !found {
		f.Pulls = slices.Insert(f.Pulls, i, pull{Number: p.Number})
	}
	f.Pulls[i].see(r)
	f.Asks.Touch(pullPart(p.Number))
	if p.FirstAuthored != 0 {
		i, found := slices.BinarySearchFunc(f.Asked, p.Number, func(k knownFirst, n int64) int { return cmp.Compare(k.Number, n) })
		if !found {
			f.Asked = slices.Insert(f.Asked, i, knownFirst{Number: p.Number})
		}
		earliest(&f.Asked[i].First, p.FirstAuthored)
	}
}

// first returns when the first commit of one of its pull requests was written.
func (f *BranchFold) first(p *pull) (timeline.Millis, bool) {
	var stated timeline.Millis
	for _, k := range f.Asked {
		if k.Number == p.Number {
			stated = k.First
		}
	}
	pushed, known := f.firstCommit(p.Created, p.Merged)
	return firstKnown(stated, pushed, known, p.Created)
}

// Touched implements Line.
func (f *BranchFold) Touched(yield func(part string)) { f.Asks.Each(yield) }

// Trim implements Line. Of a pull request that is kept, its pushes are kept too.
func (f *BranchFold) Trim(before timeline.Millis) (gone int64) {
	old := func(n int64) bool {
		i := slices.IndexFunc(f.Pulls, func(p pull) bool { return p.Number == n })
		last, open := f.Pulls[i].Life()
		return !open && last < before
	}
	f.Asked = slices.DeleteFunc(f.Asked, func(k knownFirst) bool { return old(k.Number) })
	n := len(f.Pulls)
	f.Pulls = slices.DeleteFunc(f.Pulls, func(p pull) bool { last, open := p.Life(); return !open && last < before })
	gone = int64(n - len(f.Pulls))
	for i := range f.Pulls {
		from, _ := f.use(f.Pulls[i].Created, f.Pulls[i].Merged)
		before = min(before, from-1) // what made it its own, too
	}
	return gone + f.trim(before)
}

// Oldest implements Aged.
func (f *BranchFold) Oldest() timeline.Millis {
	oldest := never
	if len(f.Pushes) > 0 {
		oldest = min(oldest, f.Pushes[0].At)
	}
	if len(f.Merges) > 0 {
		oldest = min(oldest, f.Merges[0])
	}
	for i := range f.Pulls {
		if last, open := f.Pulls[i].Life(); !open {
			oldest = min(oldest, last)
		}
	}
	return oldest
}

// Life implements Fold.
func (f *BranchFold) Life() (last timeline.Millis, open bool) {
	if n := len(f.Pushes); n > 0 {
		last = f.Pushes[n-1].At
	}
	for i := range f.Pulls {
		at, isOpen := f.Pulls[i].Life()
		last, open = max(last, at), open || isOpen
	}
	return last, open
}

func pullPart(number int64) string { return strconv.FormatInt(number, 10) }
