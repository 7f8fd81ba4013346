package metrics

import (
	"cmp"
	"slices"

	"github.com/cespare/xxhash/v2"

	"meridian/streaming/timeline"
)

// head is a commit that was the head of a pull request's branch. When a
// delivery first shows it is when it is known to have been pushed: GitHub tells
// of each push to the branch (synchronize), and whatever else it tells shows the
// head of that moment.
type head struct {
	Commit uint64 // hash of its name
	Seen   timeline.Millis
}

// headed takes in a head that a delivery shows, and reports whether that was news.
func (f *PullRequestFold) headed(sha string, at timeline.Millis) bool {
	if sha == "" || at == 0 {
		return false
	}
	h := head{xxhash.Sum64String(sha), at}
	i, found := slices.BinarySearchFunc(f.Heads, h.Commit, func(a head, commit uint64) int { return cmp.Compare(a.Commit, commit) })
	if found {
		was := f.Heads[i].Seen
		earliest(&f.Heads[i].Seen, at)
		return f.Heads[i].Seen != was
	}
	f.Heads = slices.Insert(f.Heads, i, h)
	return true
}

// pushed reports whether new commits came after from, and no later than to.
func (f *PullRequestFold) pushed(from, to timeline.Millis) bool {
	return slices.ContainsFunc(f.Heads, func(h head) bool { return from < h.Seen && h.Seen <= to })
}
