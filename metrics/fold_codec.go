package metrics

import (
	"fmt"
)

// What each fold keeps, in the order in which it is written. Whoever adds a field
// adds it here; TestFoldCodecs finds one that was forgotten. Snapshots of another
// foldFormat are refused, and what they held is computed again from the log.

// foldFormat is the first byte of a fold that has a code method; that of any other
// is foldCBOR, with its CBOR behind it.
const (
	foldCBOR   = 0
	foldFormat = 1
)

// coded is a Fold that says its fields to a coder.
type coded interface{ code(c *coder) }

// appendFold appends the bytes of a fold.
func (c *coder) appendFold(b []byte, f Fold) ([]byte, error) {
	if v, ok := f.(coded); ok {
		c.write()
		v.code(c)
		return append(append(b, foldFormat), c.w.b...), nil
	}
	c.write() // it has said nothing
	data, err := theCodec.Marshal(f)
	return append(append(b, foldCBOR), data...), err
}

// readFold reads what appendFold wrote into an empty fold of the same kind. Its
// strings are slices of s.
func (c *coder) readFold(f Fold, s string) error {
	v, ok := f.(coded)
	switch {
	case s == "" || ok != (s[0] == foldFormat) || !ok && s[0] != foldCBOR:
		return fmt.Errorf("it is of format %q", s[:min(len(s), 1)])
	case !ok:
		c.read("") // it has said nothing
		return theCodec.Unmarshal([]byte(s[1:]), f)
	}
	c.read(s[1:])
	v.code(c)
	return c.end()
}

func (f *PullRequestFold) code(c *coder) {
	f.pull.code(c)
	codeList(c, &f.Reviews, (*review).code)
	c.instant(&f.Size.At)
	c.signed(&f.Size.Added)
	c.signed(&f.Size.Removed)
	codeList(c, &f.Comments, (*comment).code)
	codeList(c, &f.Requests, (*request).code)
	codeList(c, &f.Heads, (*head).code)
}

func (f *pull) code(c *coder) {
	c.instant(&f.Created)
	c.instant(&f.Merged)
	codeInstants(c, &f.Closed)
	codeInstants(c, &f.Reopens)
	c.instant(&f.Last)
	f.Author.code(c)
	f.Drafts.code(c)
	c.signed(&f.Number)
	f.Repository.code(c)
	f.URL.code(c)
}

func (w *who) code(c *coder) {
	c.person(&w.Person)
	text(c, &w.Key)
	text(c, &w.Login)
	c.flags(&w.Bot, &w.Deleted)
}

func (d *drafts) code(c *coder) {
	code(c, &d.Opened)
	codeList(c, &d.Turns, func(a *assertion, c *coder) { c.instant(&a.At); c.flags(&a.Ready) })
	c.instant(&d.SeenReady)
	c.instant(&d.SeenDraft)
}

func (l *latest) code(c *coder) {
	c.instant(&l.At)
	text(c, &l.Value)
}

func (l *latestTexts) code(c *coder) {
	c.instant(&l.At)
	c.flags(&l.Known)
	codeTexts(c, &l.Texts)
}

func (v *review) code(c *coder) {
	raw(c, &v.Key)
	c.instant(&v.Submitted)
	code(c, &v.State)
	v.By.code(c)
}

func (v *comment) code(c *coder) {
	raw(c, &v.Key)
	c.instant(&v.At)
	v.By.code(c)
}

func (q *request) code(c *coder) {
	text(c, &q.Of)
	c.instant(&q.At)
	c.flags(&q.Withdrawn)
	q.Who.code(c)
	text(c, &q.Team)
}

func (h *head) code(c *coder) {
	c.fixed(&h.Commit)
	c.instant(&h.Seen)
}

func (f *DeploymentFold) code(c *coder) {
	codeList(c, &f.States, func(s *deploymentState, c *coder) {
		c.instant(&s.At)
		code(c, &s.State)
		c.flags(&s.Production)
		text(c, &s.Environment)
	})
	c.instant(&f.Last)
	f.Service.code(c)
	f.Repository.code(c)
	f.URL.code(c)
	text(c, &f.Key)
	c.instant(&f.Begun)
	f.Revisions.code(c)
	f.Environment.code(c)
	f.Fixes.code(c)
	c.flags(&f.Rework, &f.Named)
}

func (f *IssueFold) code(c *coder) {
	c.instant(&f.Created)
	f.Began.code(c)
	codeList(c, &f.Changes, func(s *statusChange, c *coder) { c.instant(&s.At); s.From.code(c); s.To.code(c) })
	c.instant(&f.Last)
	f.Key.code(c)
	f.URL.code(c)
	f.Type.code(c)
	f.Labels.code(c)
	f.Service.code(c)
	codeTexts(c, &f.CausedBy)
	c.flags(&f.Deleted, &f.Incident, &f.GitHub)
}

func (s *status) code(c *coder) {
	text(c, &s.Name)
	code(c, &s.Category)
}

func (f *ActivityFold) code(c *coder) {
	c.person(&f.Person)
	codeList(c, &f.Acts, func(a *act, c *coder) {
		raw(c, &a.Key)
		code(c, &a.Kind)
		c.instant(&a.At)
		code(c, &a.Class)
		code(c, &a.Known)
		text(c, &a.Zone)
		text(c, &a.Ignored)
		c.flags(&a.Primary)
	})
}

func (f *PersonLine) code(c *coder) {
	codeList(c, &f.Acts, func(a *personAct, c *coder) {
		c.instant(&a.At)
		raw(c, &a.Key)
		code(c, &a.Class)
		code(c, &a.Known)
		c.flags(&a.Primary)
	})
	codeTexts(c, (*[]string)(&f.Asks))
	c.person(&f.Person)
}

func (f *BranchFold) code(c *coder) {
	f.branch.code(c)
	codeList(c, &f.Pulls, (*pull).code)
	codeTexts(c, (*[]string)(&f.Asks))
	codeList(c, &f.Asked, func(k *knownFirst, c *coder) { c.signed(&k.Number); c.instant(&k.First) })
}

func (b *branch) code(c *coder) {
	codeList(c, &b.Pushes, func(p *branchPush, c *coder) {
		c.instant(&p.At)
		c.instant(&p.First)
		code(c, &p.Turn)
	})
	codeInstants(c, &b.Merges)
}
