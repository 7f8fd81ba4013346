package storage

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Open pages ask the same again with each tick, of rows nearly all of which are the
// same. So answers about the generation that readers see are kept with the clock
// up to which they have every row, and the next time only rows with a later version
// are put in their places: those that were read for everybody (news), or, where an
// answer is older than these, its own. The version is in a column of its own, so that
// is a tenth of the work, and it does not grow with what is shown.
//
// What could be missed that way is what is written with a version that is over, or
// taken away: rows that `verify` puts back (Rewrite), that come from the other half
// (Promote), that an erasure changes (Forget, Redact), and whatever the database copies
// to another server late. Hence reread, keepAgain and keepOverlap.
const (
	keepAgain   = 10 * time.Minute // after which an answer is read anew
	keepOverlap = timeline.Minute  // of versions that are read again
	keptAnswer  = 300              // bytes of an answer without its key and rows
)

// reread makes readers read anew what they have kept: rows were written with versions
// that are over, or are gone. Readers of other processes do so within keepAgain.
func (d *Database) reread() {
	d.again.Add(1)
	d.generations.forget()
}

// Rewritten counts how often that has happened in this process: whoever keeps what he
// made of answers makes it anew.
func (r *Reader) Rewritten() int64 { return r.db.again.Load() }

// kept are the answers of one kind. Their rows are shared: nobody may write to them.
type kept[R any] struct {
	kind keptKind[R]

	mu      sync.Mutex
	of      keptOf // that all of them are about
	answers map[string]*answer[R]
	size    int64
}

// keptOf is what answers are about. A shard that speaks for the first time may be
// behind the clock of the others, and brings versions that were over for them.
type keptOf struct {
	place
	shards, again int64
}

// keptKind says what kept has to know of its rows.
type keptKind[R any] struct {
	most    int64            // bytes that are kept; the answer that was asked for longest ago goes first
	compare func(a, b R) int // by what stands for a row, in the order of the answer
	newer   func(a, b R) bool
	gone    func(R) bool // the row takes back what has stood at its place
	size    func(R) int64
}

type answer[R any] struct {
	key   string
	turn  chan struct{} // who may read it: others wait
	rows  []R
	mark  mark      // it has every row up to here
	whole time.Time // when all of it was read
	asked time.Time
	size  int64 // that kept.size holds
}

// question is what is asked, and how it is read.
type question[R any] struct {
	key   string
	all   func(ctx context.Context, p place) ([]R, error)
	since func(ctx context.Context, p place, v streaming.Version) ([]R, error) // of each place perhaps several; nil: all is read when the clock has moved

	// news are the rows among those read for everybody; false: they do not go back to was.
	// A row that does not take another's place here (stale) makes all be read.
	news  func(ctx context.Context, p keptOf, now, was mark) ([]R, bool, error)
	stale bool
}

// ask answers a question about generation g (0: the current one), which is read each
// time where it is not the current one. The slice is the caller's.
func ask[R any](ctx context.Context, r *Reader, k *kept[R], g streaming.Generation, q question[R]) ([]R, error) {
	f, epoch, err := r.db.lookUp(ctx)
	if err != nil {
		return nil, err
	}
	p, err := f.place(g)
	if err != nil {
		return nil, err
	}
	if !p.current {
		return q.all(ctx, p)
	}
	return k.ask(ctx, keptOf{p, f.shards, f.again}, mark{f.current.Clock, epoch}, q)
}

func (k *kept[R]) ask(ctx context.Context, p keptOf, now mark, q question[R]) ([]R, error) {
	a := k.answer(p, q.key)
	select {
	case a.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-a.turn }()
	again := a.whole.IsZero() || time.Since(a.whole) >= keepAgain
	if !again && a.mark.reaches(now) {
		return slices.Clone(a.rows), nil
	}
	newer, ok, err := k.newer(ctx, p, now, a.mark, again, q)
	if err != nil {
		return nil, err
	}
	if ok {
		a.rows = k.kind.with(a.rows, newer)
	} else {
		began := time.Now()
		rows, err := q.all(ctx, p.place)
		if err != nil {
			return nil, err
		}
		a.rows, a.whole = rows, began
	}
	a.mark = a.mark.and(now)
	k.weigh(a)
	return slices.Clone(a.rows), nil
}

// newer are the rows that an answer of a mark lacks; false: all of it has to be read.
func (k *kept[R]) newer(ctx context.Context, p keptOf, now, was mark, again bool, q question[R]) ([]R, bool, error) {
	if again {
		return nil, false, nil
	}
	if q.news != nil {
		rows, ok, err := q.news(ctx, p, now, was)
		if err != nil || ok && !(q.stale && len(rows) > 0) {
			return rows, ok, err
		}
		if ok {
			return nil, false, nil
		}
	}
	if q.since == nil {
		return nil, false, nil
	}
	rows, err := q.since(ctx, p.place, streaming.NewVersion(p.generation, streaming.RoundOf(max(was.clock-keepOverlap, 0))))
	return rows, true, err
}

// answer finds the answer to a question, or makes room for one. When readers see
// another generation, all that there is goes.
func (k *kept[R]) answer(p keptOf, key string) *answer[R] {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.answers == nil || k.of != p {
		k.of, k.answers, k.size = p, map[string]*answer[R]{}, 0
	}
	a := k.answers[key]
	if a == nil {
		a = &answer[R]{key: key, turn: make(chan struct{}, 1), size: keptAnswer + 2*int64(len(key))} // the map has the key, too
		k.answers[key] = a
		k.size += a.size
	}
	a.asked = time.Now()
	return a
}

// weigh notes how large an answer is now, and drops others where all are too large
// together. One that would take half of the room is not kept.
func (k *kept[R]) weigh(a *answer[R]) {
	size := keptAnswer + 2*int64(len(a.key))
	for _, r := range a.rows {
		size += k.kind.size(r)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.answers[a.key] != a {
		return // dropped meanwhile
	}
	k.size += size - a.size
	a.size = size
	if size > k.kind.most/2 {
		k.drop(a)
	}
	for k.size > k.kind.most {
		k.drop(slices.MinFunc(slices.Collect(maps.Values(k.answers)), func(a, b *answer[R]) int { return a.asked.Compare(b.asked) }))
	}
}

func (k *kept[R]) drop(a *answer[R]) {
	delete(k.answers, a.key)
	k.size -= a.size
}

// with puts newer rows in their places. It writes to neither.
func (k keptKind[R]) with(rows, newer []R) []R {
	if len(newer) == 0 {
		return rows
	}
	latest := slices.SortedFunc(slices.Values(newer), func(a, b R) int {
		return cmp.Or(k.compare(a, b), -compareBool(k.newer(a, b)))
	})
	latest = slices.CompactFunc(latest, func(a, b R) bool { return k.compare(a, b) == 0 })
	out := make([]R, 0, len(rows)+len(latest))
	put := func(r R) {
		if !k.gone(r) {
			out = append(out, r)
		}
	}
	for _, r := range rows {
		for len(latest) > 0 && k.compare(latest[0], r) < 0 {
			put(latest[0])
			latest = latest[1:]
		}
		if len(latest) > 0 && k.compare(latest[0], r) == 0 {
			if k.newer(r, latest[0]) {
				latest[0] = r
			}
			put(latest[0])
			latest = latest[1:]
			continue
		}
		out = append(out, r)
	}
	for _, r := range latest {
		put(r)
	}
	return out
}

func compareBool(b bool) int {
	if b {
		return 1
	}
	return 0
}
