package metrics

import (
	"iter"
	"sort"

	"meridian/streaming/timeline"
)

// Sessions are runs of acts: an act joins the one before it when no more than
// the gap lies between them, and exactly the gap still joins. A session is what
// the acts make it at the moment; one that arrives late may bridge two, and one
// that moves away may split one. So a session is never kept: whoever needs them
// keeps the acts, sorted by time, and asks.
//
// All functions here take acts in ascending order of their times. One act is a
// session of length 0.

// SessionsIn yields the sessions that begin in [from, to), each as a part of acts.
func SessionsIn[A any](acts []A, at func(*A) timeline.Millis, gap, from, to timeline.Millis) iter.Seq[[]A] {
	return func(yield func([]A) bool) {
		i := sort.Search(len(acts), func(i int) bool { return at(&acts[i]) >= from })
		for i < len(acts) && i > 0 && at(&acts[i])-at(&acts[i-1]) <= gap {
			i++ // it goes on with a session that begins before from
		}
		for i < len(acts) && at(&acts[i]) < to {
			end := sessionEnd(acts, at, gap, i)
			if !yield(acts[i:end]) {
				return
			}
			i = end
		}
	}
}

// sessionEnd returns the place after the last act of the session that holds acts[i].
func sessionEnd[A any](acts []A, at func(*A) timeline.Millis, gap timeline.Millis, i int) int {
	for i++; i < len(acts) && at(&acts[i])-at(&acts[i-1]) <= gap; i++ {
	}
	return i
}

// SessionAbout returns the times of the first and the last act of the session
// that an act at t belongs to, whether that act is among acts or not. Every
// session that the act makes, lengthens, bridges, or by leaving shortens or splits, lies in
// it: those are the ones to ask for again when it comes or goes.
func SessionAbout[A any](acts []A, at func(*A) timeline.Millis, gap, t timeline.Millis) (first, last timeline.Millis) {
	first, last = t, t
	i := sort.Search(len(acts), func(i int) bool { return at(&acts[i]) >= t })
	for j := i - 1; j >= 0 && first-at(&acts[j]) <= gap; j-- {
		first = at(&acts[j])
	}
	for j := i; j < len(acts) && at(&acts[j])-last <= gap; j++ {
		last = at(&acts[j])
	}
	return first, last
}

// SessionsBefore returns how many acts at the beginning belong to sessions that
// no act at or after an instant can join: what a Line may forget.
func SessionsBefore[A any](acts []A, at func(*A) timeline.Millis, gap, before timeline.Millis) (n int) {
	for n < len(acts) {
		end := sessionEnd(acts, at, gap, n)
		if at(&acts[end-1])+gap >= before {
			break
		}
		n = end
	}
	return n
}
