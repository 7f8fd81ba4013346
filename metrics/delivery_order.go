package metrics

import (
	"cmp"
	"slices"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// branchOrder is the order in which a repository's default branch grew, and the
// changes that it grew by.
//
// Pushes follow each other by their times, which GitHub gives in seconds, and
// which are those of the repository's latest push when the delivery was made:
// two pushes of one moment may bear one time, or the later one's. What a push
// says that the branch was before tells them apart. A pull request whose push
// was missed stands where it was merged.
//
// Positions and not times say what a deployment contains: its commit, and what
// lies before it.
type branchOrder struct {
	repository *lineRepository
	steps      []step
	changes    []shipment
	commits    map[uint64]int32 // the latest step of each commit
	authored   map[uint64]int32 // by author and author time: the first step of it
	placed     []placement
	resets     []reset
	from       timeline.Millis // what is dirty begins here; never: nothing is

	// Of its pull requests those that are merged.
	listed   bool                            // all of them are in these
	mergeOf  map[uint64]*lineMerge           // by commit
	ofBranch map[event.EntityID][]*lineMerge // by branch
	bots     map[string]*lineMerge           // by part: of the team, by bots
	news     []*lineMerge                    // that have changed, or have no place any more
	untold   []*lineMerge                    // of bots, that have not been compared
}

// step is one commit on its way, or a merge that was never seen pushed.
type step struct {
	at      timeline.Millis // never before that of the step before
	commit  uint64
	earlier int32 // step of the same commit, -1: none
	change  int32 // that is complete with it, -1: none
}

// shipment is a change: what a lead time is measured of.
type shipment struct {
	step   int32
	at     timeline.Millis // when it came to the default branch
	merge  *lineMerge      // nil: a commit pushed by itself
	push   *linePush       // nil: a merge that was never seen pushed
	commit *lineCommit
	gone   timeline.Millis // when a forced push took it away; 0: it did not
}

// placement is a push or a merge in the order.
type placement struct {
	push    *linePush
	merge   *lineMerge
	step    int // its first
	changes int // before it
}

// reset is a forced push back to where the branch had been.
type reset struct {
	placed int     // its own place
	taken  []int32 // changes that it took away
}

// together is how far the times of pushes may be wrong against each other.
const together = timeline.Minute

func newBranchOrder(r *lineRepository) *branchOrder {
	return &branchOrder{repository: r, commits: map[uint64]int32{}, authored: map[uint64]int32{}, from: 0}
}

func (o *branchOrder) dirty() bool { return o.from != never }

// forget takes out what may have another place now.
func (o *branchOrder) forget() {
	keep := len(o.placed)
	for keep > 0 && o.at(keep-1) >= o.from-2*together {
		keep--
	}
	for keep > 0 && keep < len(o.placed) && o.at(keep-1) == o.at(keep) {
		keep-- // what shares an instant is placed together
	}
	if keep == len(o.placed) {
		return
	}
	first, changes := o.placed[keep].step, o.placed[keep].changes
	for _, p := range o.placed[keep:] {
		if p.merge != nil {
			p.merge.placed = false
			o.news = append(o.news, p.merge)
			continue
		}
		p.push.placed = false
		for i := range p.push.Commits {
			if key := p.push.Commits[i].identity(); int(o.authored[key]) >= first {
				delete(o.authored, key)
			}
		}
	}
	for i := len(o.steps) - 1; i >= first; i-- {
		s := &o.steps[i]
		if s.commit == 0 {
			continue
		}
		if s.earlier >= 0 {
			o.commits[s.commit] = s.earlier
		} else {
			delete(o.commits, s.commit)
		}
	}
	for len(o.resets) > 0 && o.resets[len(o.resets)-1].placed >= keep {
		for _, i := range o.resets[len(o.resets)-1].taken {
			o.changes[i].gone = 0
		}
		o.resets = o.resets[:len(o.resets)-1]
	}
	o.placed, o.steps, o.changes = o.placed[:keep], o.steps[:first], o.changes[:changes]
}

func (o *branchOrder) at(placed int) timeline.Millis {
	if p := o.placed[placed]; p.step < len(o.steps) {
		return o.steps[p.step].at
	}
	return never
}

// build places what is not placed.
func (o *branchOrder) build() {
	o.forget()
	slices.SortFunc(o.news, func(a, b *lineMerge) int {
		return cmp.Or(cmp.Compare(a.Merged, b.Merged), cmp.Compare(a.Number, b.Number))
	})

	pushes := o.unplaced()
	pushed := map[uint64]bool{}
	for _, p := range pushes {
		for i := range p.Commits {
			pushed[p.Commits[i].Commit] = true
		}
		if !p.resets() {
			pushed[p.After] = true
		}
	}
	var alone []*lineMerge // merges whose pushes have not been seen
	for _, m := range slices.Compact(o.news) {
		if _, known := o.commits[m.Commit]; m.placed || m.Commit != 0 && (known || pushed[m.Commit]) {
			continue
		}
		alone = append(alone, m)
	}
	for len(pushes) > 0 || len(alone) > 0 {
		if len(pushes) == 0 || len(alone) > 0 && alone[0].Merged < pushes[0].At {
			o.placeMerge(alone[0])
			alone = alone[1:]
			continue
		}
		i := o.next(pushes)
		p := pushes[i]
		copy(pushes[1:i+1], pushes[:i])
		pushes = pushes[1:]
		o.placePush(p)
	}
	o.from, o.news = never, emptied(o.news)
}

// list takes in the merges that have changed. They are others than those that are
// listed, or say more.
func (o *branchOrder) list() {
	if !o.listed {
		o.listed = true
		o.mergeOf, o.ofBranch, o.bots = map[uint64]*lineMerge{}, map[event.EntityID][]*lineMerge{}, map[string]*lineMerge{}
		o.news = slices.Clone(o.repository.Merges)
	}
	o.news = slices.DeleteFunc(o.news, func(m *lineMerge) bool { return m.Merged == 0 })
	for _, m := range o.news {
		if was := o.mergeOf[m.Commit]; m.Commit != 0 && (was == nil || was.Number < m.Number) {
			o.mergeOf[m.Commit] = m
		}
		if of := o.ofBranch[m.Branch]; m.Branch != "" && !slices.Contains(of, m) {
			o.ofBranch[m.Branch] = append(of, m)
		}
		if m.Bot && m.Home {
			o.bots[string(m.ID)] = m
			o.untold = append(o.untold, m)
		}
	}
}

// changed notes that a merge is another than it was.
func (o *branchOrder) changed(m *lineMerge, was lineMerge) {
	o.news = append(o.news, m)
	if was.Merged != 0 && (was.Commit != 0 && was.Commit != m.Commit || was.Branch != "" && was.Branch != m.Branch) {
		o.listed = false
	}
}

// unplaced returns the pushes that have no place, by time.
func (o *branchOrder) unplaced() []*linePush {
	all := o.repository.Pushes
	n := len(all)
	for n > 0 && !all[n-1].placed {
		n--
	}
	// Behind the last that is placed there are only some that came together.
	for i := n; i > 0 && all[n-1].At-all[i-1].At <= 3*together; i-- {
		if !all[i-1].placed {
			n = i - 1
		}
	}
	list := make([]*linePush, 0, len(all)-n)
	for _, p := range all[n:] {
		if !p.placed {
			list = append(list, p)
		}
	}
	return list
}

// next says which of some pushes comes next: of those that are told for about
// one moment the one that begins where the branch is.
func (o *branchOrder) next(pushes []*linePush) int {
	if len(pushes) == 1 || pushes[1].At-pushes[0].At > together {
		return 0
	}
	tip := uint64(0)
	for i := len(o.placed) - 1; i >= 0 && tip == 0; i-- {
		if p := o.placed[i].push; p != nil {
			tip = p.After
		}
	}
	near := 1
	for near < len(pushes) && pushes[near].At-pushes[0].At <= together {
		near++
	}
	for i, p := range pushes[:near] {
		if tip != 0 && p.Before == tip {
			return i
		}
	}
	// Else one that none of the others leads to.
	for i, p := range pushes[:near] {
		if !slices.ContainsFunc(pushes[:near], func(q *linePush) bool { return q != p && q.After == p.Before && p.Before != 0 }) {
			return i
		}
	}
	return 0
}

func (o *branchOrder) begin(push *linePush, merge *lineMerge) {
	o.placed = append(o.placed, placement{push, merge, len(o.steps), len(o.changes)})
}

// step appends a commit, and returns its place.
func (o *branchOrder) step(at timeline.Millis, commit uint64) int32 {
	i := int32(len(o.steps))
	if i > 0 {
		at = max(at, o.steps[i-1].at)
	}
	s := step{at: at, commit: commit, earlier: -1, change: -1}
	if commit != 0 {
		if was, ok := o.commits[commit]; ok {
			s.earlier = was
		}
		o.commits[commit] = i
	}
	o.steps = append(o.steps, s)
	return i
}

func (o *branchOrder) change(c shipment) {
	c.step = int32(len(o.steps) - 1)
	o.steps[c.step].change = int32(len(o.changes))
	o.changes = append(o.changes, c)
}

func (o *branchOrder) placeMerge(m *lineMerge) {
	m.placed = true
	o.begin(nil, m)
	o.step(m.Merged, m.Commit)
	o.change(shipment{at: m.Merged, merge: m})
}

// placePush appends the commits of a push. Those that a pull request or a merge
// commit has brought are no changes of their own.
func (o *branchOrder) placePush(p *linePush) {
	p.placed = true
	o.begin(p, nil)
	if p.resets() {
		o.reset(p)
	}
	brought := o.brought(p)
	for i := range p.Commits {
		c := &p.Commits[i]
		_, again := o.commits[c.Commit]
		at := o.step(p.At, c.Commit)
		if m := o.mergeOf[c.Commit]; m != nil {
			if !o.counted(m) {
				o.change(shipment{at: m.Merged, merge: m, push: p, commit: c})
			}
			continue
		}
		if brought[i] || c.Merge {
			continue
		}
		if again && !o.wasTaken(o.steps[at].earlier) {
			continue // pushed again by a forced push
		}
		key := c.identity()
		if was, ok := o.authored[key]; ok && key != 0 {
			if !o.wasTaken(was) {
				continue // rebased, and pushed by force
			}
		} else if key != 0 {
			o.authored[key] = at
		}
		o.change(shipment{at: p.At, push: p, commit: c})
	}
	if n := len(p.Commits); n == 0 || p.Commits[n-1].Commit != p.After {
		o.step(p.At, p.After)
		if m := o.mergeOf[p.After]; m != nil && !p.resets() && !o.counted(m) {
			o.change(shipment{at: m.Merged, merge: m, push: p})
		}
	}
}

// resets reports whether a push only sets the branch back.
func (p *linePush) resets() bool { return p.Forced && len(p.Commits) == 0 }

// identity is what a commit keeps when it is rebased; 0 where that is not known.
func (c *lineCommit) identity() uint64 {
	if c.Author == 0 || c.Authored == 0 {
		return 0
	}
	const prime = 0x9e3779b97f4a7c15
	return (c.Author ^ uint64(c.Authored)*prime) * prime
}

// counted reports whether the pull request is a change on the branch already.
func (o *branchOrder) counted(m *lineMerge) bool {
	i, ok := o.commits[m.Commit]
	for ; ok && i >= 0; i = o.steps[i].earlier {
		if c := o.steps[i].change; c >= 0 && o.changes[c].merge == m && o.changes[c].gone == 0 {
			return true
		}
	}
	return false
}

// wasTaken reports whether the change of a step, if it is one, was taken away.
func (o *branchOrder) wasTaken(at int32) bool {
	if at < 0 || o.steps[at].change < 0 {
		return false
	}
	return o.changes[o.steps[at].change].gone != 0
}

// brought says of each commit of a push whether a pull request or a merge
// commit has brought it. Pushes do not tell parents: a merge commit brings what
// stands before it, a pull request that was rebased the last as many as it had.
func (o *branchOrder) brought(p *linePush) []bool {
	brought := make([]bool, len(p.Commits))
	begin := 0 // behind the last that was merged
	for i := range p.Commits {
		m := o.mergeOf[p.Commits[i].Commit]
		switch {
		case p.Commits[i].Merge:
		case m != nil && m.Count > 0 && int64(i-begin) != m.Count: // else it is a merge commit with words of its own
			begin = max(begin, i+1-int(min(m.Count, int64(i+1))))
		case m != nil && m.Count > 0:
		case m != nil:
			begin = i
		default:
			continue
		}
		for ; begin <= i; begin++ {
			brought[begin] = true
		}
	}
	return brought
}

// reset takes away the changes behind the commit that the branch is set back to.
func (o *branchOrder) reset(p *linePush) {
	to, ok := o.commits[p.After]
	if !ok {
		return
	}
	r := reset{placed: len(o.placed) - 1}
	for i := len(o.changes) - 1; i >= 0 && o.changes[i].step > to; i-- {
		if o.changes[i].gone == 0 {
			o.changes[i].gone = p.At
			r.taken = append(r.taken, int32(i))
		}
	}
	o.resets = append(o.resets, r)
}

// find returns the place of a commit on the branch, as it was at an instant.
// later says that it came only after that, other that it was seen elsewhere.
func (o *branchOrder) find(revision string, at timeline.Millis) (place int32, found, other bool) {
	i, ok := o.commits[commitNumber(revision)]
	if from, to, short := shortName(revision); !ok && short {
		for j := len(o.steps) - 1; j >= 0 && !ok; j-- {
			if c := o.steps[j].commit; from <= c && c <= to {
				i, ok = int32(j), true
			}
		}
	}
	for ; ok && i >= 0; i = o.steps[i].earlier {
		if o.steps[i].at <= at {
			return i, true, false
		}
		other = true
	}
	return 0, false, other || o.repository.has(revision)
}

// has reports whether a commit was the head of another branch.
func (r *lineRepository) has(revision string) bool {
	from, to, short := shortName(revision)
	if !short {
		from = commitNumber(revision)
		to = from
	}
	i, found := slices.BinarySearchFunc(r.Others, from, func(o otherCommit, c uint64) int { return cmp.Compare(o.Commit, c) })
	return found || i < len(r.Others) && r.Others[i].Commit <= to
}

// until returns how many steps there were at an instant.
func (o *branchOrder) until(at timeline.Millis) int32 {
	i, _ := slices.BinarySearchFunc(o.steps, at, func(s step, at timeline.Millis) int {
		if s.at <= at {
			return -1
		}
		return 1
	})
	return int32(i)
}
