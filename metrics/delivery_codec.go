package metrics

import (
	"maps"
	"slices"
	"strconv"

	"meridian/ingest/event"
)

// code says what a line keeps. What follows from it is in its index, which is
// made anew.
func (l *DeliveryLine) code(c *coder) {
	codeList(c, &l.Repositories, codeNew((*lineRepository).code))
	codeList(c, &l.Deployments, codeNew(func(d *lineDeployment, c *coder) {
		text(c, &d.ID)
		c.flags(&d.Home, &d.Base)
		d.Fold.code(c)
	}))
	codeList(c, &l.Issues, codeNew(func(i *lineIssue, c *coder) { text(c, &i.ID); i.Fold.code(c) }))
	l.Branches.code(c)
	codeList(c, &l.Rollbacks, func(r *rollback, c *coder) {
		text(c, &r.Service)
		c.instant(&r.At)
		text(c, &r.Environment)
	})
	codeList(c, &l.Signals, func(s *signal, c *coder) { text(c, &s.Service); c.instant(&s.At) })
	c.instant(&l.Last)
	codeList(c, &l.Known, func(h *hashes, c *coder) {
		text(c, &h.Part) // the name of a deployment or a pull request above
		c.fixed(&h.Shipped)
		c.fixed(&h.Failed)
	})
}

// codeNew codes the items of a list of pointers.
func codeNew[T any](one func(*T, *coder)) func(**T, *coder) {
	return func(p **T, c *coder) {
		if c.reading {
			*p = new(T)
		}
		one(*p, c)
	}
}

func (r *lineRepository) code(c *coder) {
	raw(c, &r.ID)
	codeTexts(c, &r.Names)
	r.Name.code(c)
	codeList(c, &r.Pushes, codeNew((*linePush).code))
	codeList(c, &r.Merges, codeNew((*lineMerge).code))
	codeList(c, &r.Others, func(o *otherCommit, c *coder) { c.fixed(&o.Commit); c.instant(&o.At) })
}

func (p *linePush) code(c *coder) {
	c.instant(&p.At)
	c.fixed(&p.Before)
	c.fixed(&p.After)
	c.flags(&p.Forced)
	codeTexts(c, &p.Services)
	codeList(c, &p.Commits, (*lineCommit).code)
}

func (l *lineCommit) code(c *coder) {
	named := !c.reading && l.Name == l.numbered()
	everywhere := l.Touches == event.EveryService
	c.fixed(&l.Commit)
	c.instant(&l.Authored)
	c.fixed(&l.Author)
	c.flags(&l.Merge, &l.Bot, &named, &everywhere)
	if everywhere {
		l.Touches = event.EveryService
	} else {
		code(c, &l.Touches)
	}
	if named {
		l.Name = l.numbered()
	} else {
		raw(c, &l.Name)
	}
}

// numbered is what a commit is called whose number is made of its name.
func (l *lineCommit) numbered() string {
	var b [numberDigits]byte
	digits := strconv.AppendUint(b[:0], l.Commit, 16)
	zeros := numberDigits - len(digits)
	name := make([]byte, 0, shownDigits)
	for i := range shownDigits {
		if i < zeros {
			name = append(name, '0')
		} else {
			name = append(name, digits[i-zeros])
		}
	}
	return string(name)
}

func (m *lineMerge) code(c *coder) {
	c.signed(&m.Number)
	text(c, &m.ID)
	c.instant(&m.Merged)
	c.instant(&m.Created)
	c.instant(&m.First)
	c.fixed(&m.Commit)
	c.signed(&m.Count)
	text(c, &m.Branch)
	c.flags(&m.Bot, &m.Home)
	m.URL.code(c)
}

// code writes branches in the order of their names.
func (bs *branches) code(c *coder) {
	names := slices.Sorted(maps.Keys(*bs))
	codeList(c, &names, func(id *event.EntityID, c *coder) {
		text(c, id)
		b := (*bs)[*id]
		if c.reading {
			if *bs == nil {
				*bs = branches{}
			}
			b = new(branch)
			(*bs)[*id] = b
		}
		b.code(c)
	})
}
