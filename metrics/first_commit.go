package metrics

import (
	"cmp"
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// When was the first commit of a pull request written? Nothing that tells of the
// pull request says so, but the pushes to its branch do. Coding time ends, and
// lead time begins, with the answer, so both ask [branch.firstCommit]: else
// coding, pickup, review and deploy would not add up to lead time.
//
// The answer is the earliest author time (a rebase keeps it) of the commits that
// were pushed while the branch was this pull request's. Names of branches are
// used again: GitHub's editor calls every first branch patch-1, and from develop
// one release after the other is merged. So what was pushed before the branch
// was last made, deleted or merged is another's.
//
// Commits that the repository had before, as those of the default branch when it
// is merged into this one, are nobody's first. And a pull request is opened on
// commits that exist: where all that is known of were written after that, the
// first were pushed before anybody listened, or squashed away, and the answer is
// that it is not known. Taking them would give coding times below nothing.

// How an observation was known; see Observation.Basis.
const (
	BasisMeasured  = "measured"   // from pushes to the branch, or from the API
	BasisFromOpen  = "from_open"  // from when the pull request was opened
	BasisFromMerge = "from_merge" // from when it was merged
)

// branch is what is known of one branch of a repository, but the default one.
type branch struct {
	Pushes []branchPush      // sorted
	Merges []timeline.Millis // of pull requests from it; sorted
}

// branchPush is one push to it.
type branchPush struct {
	At    timeline.Millis
	First timeline.Millis // earliest author time of its commits; 0: it brought none
	Turn  branchTurn
}

type branchTurn uint8

const (
	branchMade branchTurn = iota + 1
	branchDeleted
)

func (p branchPush) compare(q branchPush) int {
	return cmp.Or(cmp.Compare(p.At, q.At), cmp.Compare(p.Turn, q.Turn), cmp.Compare(p.First, q.First))
}

// branchOf names the branch that a record is about: that of a push, or the head
// of a pull request from the same repository. It is "" for the default branch,
// from which nothing is merged into itself, for tags, for forks, whose pushes
// nobody hears of, and for what does not say its branch, as comments do not.
func branchOf(e *event.Event) event.EntityID { return event.EntityID(appendBranch(nil, e)) }

// appendBranch appends the name of the branch to b.
func appendBranch(b []byte, e *event.Event) []byte {
	switch {
	case e.Kind == event.Pushed && e.Push != nil:
		name, ok := strings.CutPrefix(e.Push.Ref, "refs/heads/")
		if !ok || e.Push.Default || e.Push.Tag {
			return b
		}
		return append(append(append(b, e.Entity...), "/branch/"...), name...)
	case e.PullRequest != nil && e.PullRequest.HeadRef != "" && !e.PullRequest.FromFork:
		repository, _, ok := strings.Cut(string(e.Entity), "/pr/")
		if !ok {
			return b
		}
		return append(append(append(b, repository...), "/branch/"...), e.PullRequest.HeadRef...)
	}
	return b
}

// see takes a record about the branch, in any order and however often.
func (b *branch) see(e *event.Event) {
	switch {
	case e.Push != nil:
		p := branchPush{At: e.Time}
		switch {
		case e.Push.Deleted:
			p.Turn = branchDeleted
		case e.Push.Created:
			p.Turn = branchMade
		}
		for i := range e.Push.Commits {
			if c := &e.Push.Commits[i]; !c.Elsewhere {
				earliest(&p.First, c.Authored)
			}
		}
		if p.First == 0 && p.Turn == 0 {
			return
		}
		if i, found := slices.BinarySearchFunc(b.Pushes, p, branchPush.compare); !found {
			b.Pushes = slices.Insert(b.Pushes, i, p)
		}
	case e.PullRequest != nil && e.PullRequest.Merged != 0:
		b.Merges = insertSorted(b.Merges, e.PullRequest.Merged)
	case e.Kind == event.PullRequestMerged:
		b.Merges = insertSorted(b.Merges, e.Time)
	}
}

// firstCommit returns when the first commit of a pull request from the branch
// was written, and whether that is known. merged is 0 where it is not merged.
func (b *branch) firstCommit(created, merged timeline.Millis) (first timeline.Millis, known bool) {
	if b == nil {
		return 0, false
	}
	from, until := b.use(created, merged)
	for _, p := range b.Pushes {
		if from <= p.At && p.At <= until {
			earliest(&first, p.First)
		}
	}
	return first, first != 0 && first <= created
}

// use returns from when until when the branch was a pull request's.
func (b *branch) use(created, merged timeline.Millis) (from, until timeline.Millis) {
	until = never
	for _, m := range b.Merges {
		if m < created {
			from = m + 1
		}
	}
	for _, p := range b.Pushes {
		switch {
		case p.Turn == branchMade && p.At <= created:
			from = max(from, p.At)
		case p.Turn == branchDeleted && p.At < created:
			from = max(from, p.At+1)
		case p.Turn == branchDeleted:
			until = min(until, p.At)
		}
	}
	if merged != 0 {
		until = merged
	}
	return from, until
}

// trim forgets what was before an instant, and returns how much that was.
func (b *branch) trim(before timeline.Millis) (gone int64) {
	pushes, merges := len(b.Pushes), len(b.Merges)
	b.Pushes = slices.DeleteFunc(b.Pushes, func(p branchPush) bool { return p.At < before })
	b.Merges = slices.DeleteFunc(b.Merges, func(m timeline.Millis) bool { return m < before })
	return int64(pushes - len(b.Pushes) + merges - len(b.Merges))
}

func (b *branch) empty() bool { return len(b.Pushes) == 0 && len(b.Merges) == 0 }

// branches is branches by name, for a fold that hears of several.
type branches map[event.EntityID]*branch

// see takes a record where it is about a branch, and tells which.
func (bs *branches) see(e *event.Event) event.EntityID {
	id := branchOf(e)
	if id == "" {
		return ""
	}
	b := (*bs)[id]
	if b == nil {
		b = new(branch)
	}
	if b.see(e); b.empty() {
		return id
	}
	if *bs == nil {
		*bs = branches{}
	}
	(*bs)[id] = b
	return id
}

// trim forgets what was before an instant, and branches of which nothing is left.
func (bs branches) trim(before timeline.Millis) (gone int64) {
	for id, b := range bs { // what is left does not depend on the order
		if gone += b.trim(before); b.empty() {
			delete(bs, id)
		}
	}
	return gone
}

// firstKnown joins what the pushes say with what a payload states itself, as one
// that was read from the API does.
func firstKnown(stated, pushed timeline.Millis, known bool, created timeline.Millis) (first timeline.Millis, ok bool) {
	if stated > created {
		stated = 0
	}
	if known {
		earliest(&stated, pushed)
	}
	return stated, stated != 0
}
