package metrics

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// deliveryIndex is what follows from a line's facts. It is not saved, for it can
// be made again; it is kept from round to round, because a service with 10,000
// changes must not be gone through for each of them: a branch is put in order
// again from where a fact belongs, and a deployment is asked again if what it
// shipped or how it failed is no longer what it was.
type deliveryIndex struct {
	line      *DeliveryLine
	catalog   *catalog.Catalog
	orders    []*branchOrder // of all repositories, in their order
	services  []*deliveredService
	releases  map[string]*release        // by part
	left      map[string]*lineDeployment // by part: those that are no releases
	dirty     bool
	stale     bool              // which services there are, or what they deployed
	failing   bool              // how it failed
	tail      timeline.Millis   // what is shipped from then on may differ; never: nothing
	branches  []event.EntityID  // of which pushes have come
	deployed  []*lineDeployment // that have changed
	incidents []*lineIssue      // as failures were last found
	pending   pending
	untold    []string // parts that are no releases, and have not been compared
	touched   []string // since it was last asked
}

// hashes are of what the observations of a part are made of. They are state: a
// part is asked again when they are others than when it was last asked.
type hashes struct {
	Part    string
	Shipped uint64
	Failed  uint64
}

func (h hashes) compare(part string) int { return strings.Compare(h.Part, part) }

// pending is what has been put in order and not been compared.
type pending struct {
	moved, stale bool
	tail         timeline.Millis
}

// dirt says what a fact has made wrong.
type dirt struct {
	repository event.EntityID
	from       timeline.Millis // of its branch
	merge      *lineMerge
	was        lineMerge // before
	branch     event.EntityID
	deployment *lineDeployment
	services   bool            // which there are, or what they deployed
	failures   bool            // how it failed
	tail       timeline.Millis // from when on they ship other things; 0: they do not
}

// deliveredService is a service with its production deployments.
type deliveredService struct {
	name     string
	releases []*release // by first success
	unknown  int        // how many of them are
	orders   []*branchOrder
	named    []string        // repositories that its deployments name, in lower case; sorted
	searched bool            // nothing names its repositories: they are those that hold what it deployed
	signal   timeline.Millis // the latest of its signals of failure; 0: none
	failing  timeline.Millis // when the last of its failures ends, as far as a next success ends them; never: it has not
	shipped  int             // the first of the releases that may have shipped other things
}

// release is a production deployment that has succeeded.
type release struct {
	*lineDeployment
	service  *deliveredService
	at       timeline.Millis // of its first success
	place    int             // in the service
	unknown  bool            // no push that holds its commit has been received
	unlinked bool            // nothing says which of several services it is
	spans    []shippedSpan   // by the service's orders
	exact    []int32         // where its commit stands, -1: not known
	failure  failure
	was      releasedAs
	same     bool // it ships what it shipped when it was last asked, as far as places say
}

// shippedSpan is what a release has put into production: steps from until to.
type shippedSpan struct{ from, to int32 }

// changed notes what a fact has made wrong.
func (l *DeliveryLine) changed(d dirt) {
	x := l.index
	if x == nil {
		return
	}
	x.dirty = true
	x.stale = x.stale || d.services
	x.failing = x.failing || d.failures
	if d.deployment != nil {
		x.deployed = append(x.deployed, d.deployment)
	}
	if d.tail != 0 {
		x.tail = min(x.tail, d.tail)
	}
	if d.branch != "" {
		x.branches = append(x.branches, d.branch)
	}
	if d.repository == "" {
		return
	}
	for _, o := range x.orders {
		if o.repository.ID != d.repository {
			continue
		}
		from := d.from
		if m := d.merge; m != nil {
			o.changed(m, d.was)
			if i, ok := o.commits[m.Commit]; ok && m.Commit != 0 {
				from = min(from, o.steps[i].at)
			}
		}
		o.from = min(o.from, from)
	}
}

// Prepare implements Prepared.
func (l *DeliveryLine) Prepare(v View) { l.use(v.Catalog).compare() }

// use brings the index up to date.
func (l *DeliveryLine) use(c *catalog.Catalog) *deliveryIndex {
	x := l.index
	if x == nil || x.catalog != c {
		x = &deliveryIndex{line: l, catalog: c, dirty: true, stale: true, pending: pending{tail: never}}
		for _, r := range l.Repositories { // another index may have placed them
			for _, p := range r.Pushes {
				p.placed = false
			}
			for _, m := range r.Merges {
				m.placed = false
			}
		}
		l.index = x
	}
	if x.dirty {
		x.update()
	}
	return x
}

func (x *deliveryIndex) update() {
	x.dirty = false
	x.updateOrders()
	latest := x.follow()
	if x.stale {
		x.updateServices()
		for _, o := range x.orders {
			o.untold = slices.AppendSeq(o.untold[:0], maps.Values(o.bots)) // what is told of them is sorted
		}
	} else {
		x.searchAgain()
	}
	moved := x.stale || x.failing // whether commits of releases have other places
	for _, s := range x.services {
		moved = s.ship(x.stale, x.tail) || moved
	}
	for _, r := range latest { // what replaces a release by one of its ancestors says that it failed
		was := r.replaced()
		moved = moved || was != nil && r.isAncestorOf(was)
	}
	if moved {
		x.updateFailures()
	}
	if x.tail == 0 {
		moved = true // an index that is new, or as good as new
	}
	x.pending.moved = x.pending.moved || moved
	x.pending.stale = x.pending.stale || x.stale
	x.pending.tail = min(x.pending.tail, x.tail)
	x.stale, x.failing, x.tail = false, false, never
}

func (x *deliveryIndex) updateOrders() {
	l := x.line
	for i, r := range l.Repositories {
		if i == len(x.orders) || x.orders[i].repository != r {
			o := newBranchOrder(r)
			x.orders = slices.Insert(x.orders, i, o)
			x.tail, x.stale = 0, true
		}
		o := x.orders[i]
		o.list()
		for _, b := range x.branches {
			for _, m := range o.ofBranch[b] {
				x.tail = min(x.tail, m.Merged-3*together)
			}
		}
		if o.dirty() {
			x.tail = min(x.tail, o.from-3*together)
			o.build()
		}
	}
	x.branches = x.branches[:0]
}

// updateServices lists the services and what they have released.
func (x *deliveryIndex) updateServices() {
	before, ordersOf := x.releases, map[string][]*branchOrder{}
	for _, s := range x.services {
		ordersOf[s.name] = s.orders
	}
	x.services, x.releases, x.left = nil, make(map[string]*release, len(x.line.Deployments)), map[string]*lineDeployment{}
	byName := map[string]*deliveredService{}
	for _, d := range x.line.Deployments {
		at, ok := d.Fold.succeeded()
		if !ok {
			_, told := d.Fold.frequency()
			if _, known := slices.BinarySearchFunc(x.line.Known, string(d.ID), hashes.compare); told || known {
				x.left[string(d.ID)] = d
			}
			continue
		}
		name := d.Fold.Service.Value
		s := byName[name]
		if s == nil {
			s = &deliveredService{name: name}
			byName[name] = s
			x.services = append(x.services, s)
		}
		r := x.newRelease(d, s, at)
		if was := before[r.part()]; was != nil {
			r.spans, r.exact, r.same = was.spans, was.exact, was.same && was.service.name == name
		}
		s.releases = append(s.releases, r)
		x.releases[r.part()] = r
	}
	slices.SortFunc(x.services, func(a, b *deliveredService) int { return strings.Compare(a.name, b.name) })
	for _, s := range x.services {
		slices.SortFunc(s.releases, func(a, b *release) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.ID, b.ID)) })
		for i, r := range s.releases {
			r.place = i
		}
		x.locate(s)
		if was := ordersOf[s.name]; !slices.Equal(was, s.orders) {
			x.tail = 0 // all that it ships may be other things
		}
	}
}

func (r *release) part() string { return string(r.ID) }

// locate finds the repositories of a service: those that its deployments name,
// those that the catalog describes it with, and, where there are neither, those
// that hold a commit which it deployed.
func (x *deliveryIndex) locate(s *deliveredService) {
	s.named = nil
	for _, r := range s.releases {
		if n := strings.ToLower(r.Fold.Repository.Value); n != "" {
			s.named = insertSorted(s.named, n)
		}
	}
	last := s.releases[len(s.releases)-1].at
	for _, o := range x.orders {
		if x.deploys(s, o, last) {
			s.orders = append(s.orders, o)
		}
	}
	if s.searched = len(s.orders) == 0; s.searched {
		x.search(s)
	}
}

// deploys reports whether a repository is named as one of a service.
func (x *deliveryIndex) deploys(s *deliveredService, o *branchOrder, at timeline.Millis) bool {
	return slices.ContainsFunc(o.repository.Names, func(name string) bool {
		_, found := slices.BinarySearch(s.named, name)
		return found || slices.Contains(x.catalog.Touched(name, nil, at), s.name)
	})
}

func (x *deliveryIndex) search(s *deliveredService) {
	for _, o := range x.orders {
		if slices.ContainsFunc(s.releases, func(r *release) bool {
			return slices.ContainsFunc(r.Fold.Revisions.Texts, func(revision string) bool {
				_, found, other := o.find(revision, r.at)
				return found || other
			})
		}) {
			s.orders = append(s.orders, o)
		}
	}
}

// searchAgain finds the repositories of services that nothing names them for: a
// commit may be pushed after it was deployed, to a repository that was known.
func (x *deliveryIndex) searchAgain() {
	for _, s := range x.services {
		if !s.searched {
			continue
		}
		was := s.orders
		s.orders = nil
		if x.search(s); !slices.Equal(was, s.orders) {
			x.tail = 0
		}
	}
}

// ship works out what each release has put into production: what the default
// branch held at its commit and not at those before. Where its commit is not on
// the branch (one that was deployed before it was merged) or not known, what was
// merged when it was begun. It begins with the first that may differ, and reports
// whether a commit is no longer where it was.
func (s *deliveredService) ship(all bool, tail timeline.Millis) (moved bool) {
	from := 0
	if !all {
		from, _ = slices.BinarySearchFunc(s.releases, tail, func(r *release, at timeline.Millis) int { return cmp.Compare(r.at, at) })
		for i := 0; i < from && s.unknown > 0; i++ {
			if r := s.releases[i]; r.unknown && !s.isUnknown(r) {
				from = i
			}
		}
	}
	high := make([]int32, len(s.orders))
	if from > 0 {
		for i, span := range s.releases[from-1].spans {
			high[i] = span.to
		}
	}
	s.shipped = min(s.shipped, from)
	for _, r := range s.releases[from:] {
		exact := make([]int32, len(s.orders))
		any := false
		for i, o := range s.orders {
			exact[i] = -1
			for _, revision := range r.Fold.Revisions.Texts {
				if place, found, _ := o.find(revision, r.at); found {
					any, exact[i] = true, max(exact[i], place)
				}
			}
		}
		moved = moved || r.exact != nil && !slices.Equal(exact, r.exact)
		r.exact = exact
		spans := make([]shippedSpan, len(s.orders))
		if r.unknown {
			s.unknown--
		}
		if r.unknown = !any && s.isUnknown(r); r.unknown {
			s.unknown++
		}
		begun := r.at
		if b := r.Fold.Begun; b != 0 && b < begun {
			begun = b
		}
		for i, o := range s.orders {
			to := high[i]
			switch {
			case r.exact[i] >= 0:
				to = r.exact[i] + 1
			case !any && r.maybeFrom(o):
				to = o.until(begun)
			}
			spans[i] = shippedSpan{high[i], max(high[i], to)}
			high[i] = max(high[i], to)
		}
		r.same = r.same && slices.Equal(spans, r.spans)
		r.spans = spans
	}
	return moved
}

// isUnknown reports whether nobody has seen a commit of a release anywhere.
func (s *deliveredService) isUnknown(r *release) bool {
	return !slices.ContainsFunc(s.orders, func(o *branchOrder) bool {
		return slices.ContainsFunc(r.Fold.Revisions.Texts, func(revision string) bool {
			_, found, other := o.find(revision, r.at)
			return found || other
		})
	})
}

// maybeFrom reports whether a release may be of a repository.
func (r *release) maybeFrom(o *branchOrder) bool {
	name := strings.ToLower(r.Fold.Repository.Value)
	return name == "" || slices.Contains(o.repository.Names, name) || !slices.ContainsFunc(r.service.orders, func(o *branchOrder) bool {
		return slices.Contains(o.repository.Names, name)
	})
}

// shipped yields the changes that a release has put into production.
func (x *deliveryIndex) shipped(r *release, yield func(o *branchOrder, c *shipment)) {
	for i, o := range r.service.orders {
		for _, s := range o.steps[r.spans[i].from:r.spans[i].to] {
			if s.change < 0 {
				continue
			}
			c := &o.changes[s.change]
			if c.gone != 0 && c.gone <= r.at || !x.touches(o, c, r.service) {
				continue
			}
			yield(o, c)
		}
	}
}

// touches reports whether a change is one of a service: all are, but those of a
// repository of several whose paths say otherwise.
func (x *deliveryIndex) touches(o *branchOrder, c *shipment, s *deliveredService) bool {
	if c.push == nil || len(c.push.Commits) == 0 || slices.Contains(c.push.Services, s.name) && c.touches(s.name) {
		return true
	}
	described := slices.Contains(x.catalog.Touched(o.repository.Name.Value, nil, c.push.At), s.name)
	return !described
}

func (c *shipment) touches(service string) bool {
	if c.merge != nil || c.commit == nil {
		return true // of a pull request all that its push touched
	}
	return event.RoutedCommit{Touches: c.commit.Touches}.TouchesService(slices.Index(c.push.Services, service))
}

// firstOf reports whether no other service has shipped a change before.
func (x *deliveryIndex) firstOf(o *branchOrder, c *shipment, r *release) bool {
	for _, s := range x.services {
		i := slices.Index(s.orders, o)
		if s == r.service || i < 0 || !x.touches(o, c, s) {
			continue
		}
		first, _ := slices.BinarySearchFunc(s.releases, c.step, func(r *release, step int32) int {
			if r.spans[i].to <= step {
				return -1
			}
			return 1
		})
		if first < len(s.releases) {
			if q := s.releases[first]; !q.unmeasured() && cmp.Or(cmp.Compare(q.at, r.at), cmp.Compare(q.ID, r.ID)) < 0 {
				return false
			}
		}
	}
	return true
}

// unmeasured reports whether nothing is told of what a release contains; that
// the first of a service contains it is, as no_baseline.
func (r *release) unmeasured() bool { return r.unlinked || r.unknown && r.place > 0 }

// compare finds the parts that would now tell other things than when they were
// last asked. No place in an order is hashed: these are others once old pushes
// are forgotten.
func (x *deliveryIndex) compare() {
	todo := x.pending
	x.pending = pending{tail: never}
	b := make([]byte, 0, 1024)
	word := func(vs ...int64) {
		for _, v := range vs {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
	}
	text := func(s string) { word(int64(len(s))); b = append(b, s...) }
	note := func(h hashes) {
		i, found := slices.BinarySearchFunc(x.line.Known, h.Part, hashes.compare)
		switch {
		case !found:
			x.line.Known = slices.Insert(x.line.Known, i, h)
		case x.line.Known[i] == h:
			return
		default:
			x.line.Known[i] = h
		}
		x.touched = append(x.touched, h.Part)
	}
	for _, s := range x.services {
		releases := s.releases
		if !todo.moved {
			releases = releases[s.shipped:]
		}
		s.shipped = len(s.releases)
		for _, r := range releases {
			if r.Base {
				continue
			}
			b = b[:0]
			word(int64(r.at), truth(r.place == 0), truth(r.unknown), truth(r.unlinked), truth(r.Home), int64(r.Fold.Begun))
			text(s.name)
			text(r.Fold.Repository.Value)
			text(r.Fold.Key)
			text(r.Fold.URL.Value)
			r.failure.hash(word, text)
			h := hashes{Part: r.part(), Failed: xxhash.Sum64(b)}
			if i, found := slices.BinarySearchFunc(x.line.Known, h.Part, hashes.compare); found && x.line.Known[i].Failed == h.Failed && r.at < todo.tail && r.same {
				h.Shipped = x.line.Known[i].Shipped
			} else {
				b = b[:0]
				x.shipped(r, func(o *branchOrder, c *shipment) {
					first, basis := x.begin(c)
					word(int64(c.at), int64(first), int64(len(basis)), truth(x.firstOf(o, c, r)), truth(c.bot()))
					text(o.repository.Name.Value)
					if m := c.merge; m != nil {
						word(m.Number, int64(m.Merged), truth(m.Home))
						text(m.URL.Value)
					} else {
						word(int64(c.commit.Commit))
					}
				})
				h.Shipped = xxhash.Sum64(b)
			}
			r.same = true
			note(h)
		}
	}
	if todo.stale {
		x.untold = slices.AppendSeq(x.untold[:0], maps.Keys(x.left)) // parts are sorted when they are told
	}
	for _, part := range x.untold {
		if d := x.left[part]; d != nil {
			b = b[:0]
			// One that tells nothing any more is nothing: facts may come that
			// change it, and are not noted since nothing follows from them.
			if o, tells := d.Fold.frequency(); tells {
				word(int64(o.At), int64(o.Outcome), int64(d.Fold.Begun), truth(d.Home))
				text(string(o.Reason))
				text(d.Fold.Service.Value)
				text(d.Fold.Repository.Value)
				text(d.Fold.Key)
				text(d.Fold.URL.Value)
			}
			note(hashes{Part: part, Failed: xxhash.Sum64(b)})
		}
	}
	x.untold = emptied(x.untold)
	for _, o := range x.orders {
		for _, m := range o.untold {
			b = b[:0]
			word(int64(m.Merged), int64(m.Created))
			text(o.repository.Name.Value)
			text(m.URL.Value)
			note(hashes{Part: string(m.ID), Failed: xxhash.Sum64(b)})
		}
		o.untold = emptied(o.untold)
	}
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (c *shipment) bot() bool {
	if c.merge != nil {
		return c.merge.Bot
	}
	return c.commit.Bot
}

// begin returns when a change began, and how that is known.
func (x *deliveryIndex) begin(c *shipment) (first timeline.Millis, basis string) {
	m := c.merge
	if m == nil {
		return c.commit.Authored, "measured"
	}
	pushed, known := x.line.Branches[m.Branch].firstCommit(m.Created, m.Merged)
	if first, known = firstKnown(m.First, pushed, known, m.Created); known {
		return first, "measured"
	}
	if m.Created != 0 {
		return m.Created, "from_open"
	}
	return m.Merged, "from_merge"
}

// Touched implements Line.
func (l *DeliveryLine) Touched(yield func(part string)) {
	x := l.index
	if x == nil { // nobody has said what the catalog is
		for _, part := range l.parts() {
			yield(part)
		}
		return
	}
	slices.Sort(x.touched)
	for _, part := range slices.Compact(x.touched) {
		yield(part)
	}
	x.touched = x.touched[:0]
}

// parts are all that there are: one for each deployment, and one for each pull
// request of a bot.
func (l *DeliveryLine) parts() (parts []string) {
	for _, d := range l.Deployments {
		if !d.Base {
			parts = append(parts, string(d.ID))
		}
	}
	for _, r := range l.Repositories {
		for _, m := range r.Merges {
			if m.Bot && m.Home {
				parts = append(parts, string(m.ID))
			}
		}
	}
	slices.Sort(parts)
	return parts
}

// each yields the releases of a part, or of all.
func (x *deliveryIndex) each(part string, yield func(*release)) {
	if part != "" {
		if r := x.releases[part]; r != nil && !r.Base {
			yield(r)
		}
		return
	}
	for _, s := range x.services {
		for _, r := range s.releases {
			if !r.Base {
				yield(r)
			}
		}
	}
}

// leftOut yields the deployments of a part, or of all, that are no releases.
func (x *deliveryIndex) leftOut(part string, yield func(*lineDeployment)) {
	if part != "" {
		if d := x.left[part]; d != nil {
			yield(d)
		}
		return
	}
	for _, d := range x.line.Deployments {
		if x.left[string(d.ID)] == d {
			yield(d)
		}
	}
}
