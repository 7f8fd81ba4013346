package event

func (p *Push) append(b []byte, number uint64) []byte {
	if p == nil {
		return b
	}
	b, start := open(b, number)
	b = appendText(b, 1, p.Ref)
	b = appendBool(b, 2, p.Default)
	b = appendBool(b, 3, p.Tag)
	b = appendText(b, 4, p.Before)
	b = appendText(b, 5, p.After)
	b = appendBool(b, 6, p.Created)
	b = appendBool(b, 7, p.Deleted)
	b = appendBool(b, 8, p.Forced)
	for i := range p.Commits {
		b = p.Commits[i].append(b, 9)
	}
	return shut(b, start)
}

func (p *Push) decode(b []byte, n *names) error {
	r := reader{rest: b, names: n}
	for r.next() {
		switch r.tag {
		case 1<<3 | wireBytes:
			p.Ref = r.name()
		case 2<<3 | wireVarint:
			p.Default = r.bool()
		case 3<<3 | wireVarint:
			p.Tag = r.bool()
		case 4<<3 | wireBytes:
			p.Before = r.text()
		case 5<<3 | wireBytes:
			p.After = r.text()
		case 6<<3 | wireVarint:
			p.Created = r.bool()
		case 7<<3 | wireVarint:
			p.Deleted = r.bool()
		case 8<<3 | wireVarint:
			p.Forced = r.bool()
		case 9<<3 | wireBytes:
			p.Commits = append(p.Commits, Commit{})
			r.fail(p.Commits[len(p.Commits)-1].decode(r.data, n))
		}
	}
	return r.err
}

func (c *Commit) append(b []byte, number uint64) []byte {
	b, start := open(b, number)
	b = appendText(b, 1, c.SHA)
	b = c.Author.append(b, 2)
	b = appendMillis(b, 3, c.Authored)
	b = c.Local.append(b, 4)
	b = appendBool(b, 5, c.Merge)
	b = appendTexts(b, 6, c.Paths)
	b = c.Marks.append(b, 7)
	b = appendTexts(b, 8, c.IssueKeys)
	b = appendBool(b, 9, c.Elsewhere)
	for i := range c.CoAuthors {
		b = c.CoAuthors[i].appendEven(b, 10)
	}
	b = appendUint(b, 11, uint64(c.PullRequest))
	b = appendTexts(b, 12, c.Parents)
	b = appendMillis(b, 13, c.Committed)
	return shut(b, start)
}

func (c *Commit) decode(b []byte, n *names) error {
	r := reader{rest: b, names: n}
	for r.next() {
		switch r.tag {
		case 1<<3 | wireBytes:
			c.SHA = r.text()
		case 2<<3 | wireBytes:
			r.fail(n.account(r.data, &c.Author))
		case 3<<3 | wireVarint:
			c.Authored = r.millis()
		case 4<<3 | wireBytes:
			r.fail(c.Local.decode(r.data, n))
		case 5<<3 | wireVarint:
			c.Merge = r.bool()
		case 6<<3 | wireBytes:
			c.Paths = append(c.Paths, r.name())
		case 7<<3 | wireBytes:
			r.fail(c.Marks.decode(r.data))
		case 8<<3 | wireBytes:
			c.IssueKeys = append(c.IssueKeys, r.text())
		case 9<<3 | wireVarint:
			c.Elsewhere = r.bool()
		case 10<<3 | wireBytes:
			c.CoAuthors = append(c.CoAuthors, Account{})
			r.fail(n.account(r.data, &c.CoAuthors[len(c.CoAuthors)-1]))
		case 11<<3 | wireVarint:
			c.PullRequest = int64(r.value)
		case 12<<3 | wireBytes:
			c.Parents = append(c.Parents, r.text())
		case 13<<3 | wireVarint:
			c.Committed = r.millis()
		}
	}
	return r.err
}
