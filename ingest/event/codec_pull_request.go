package event

func (p *PullRequest) append(b []byte, number uint64) []byte {
	if p == nil {
		return b
	}
	b, start := open(b, number)
	b = appendUint(b, 1, uint64(p.Number))
	b = p.Author.append(b, 2)
	b = appendMillis(b, 3, p.Created)
	b = appendBool(b, 4, p.Draft)
	b = appendText(b, 5, p.State)
	b = appendMillis(b, 6, p.Merged)
	b = appendMillis(b, 7, p.Closed)
	b = p.MergedBy.append(b, 8)
	b = appendBool(b, 9, p.AutoMerge)
	b = appendText(b, 10, p.BaseRef)
	b = appendText(b, 11, p.HeadRef)
	b = appendText(b, 12, p.HeadSHA)
	b = appendText(b, 13, p.MergeSHA)
	b = appendBool(b, 14, p.FromFork)
	b = appendBool(b, 15, p.IntoMain)
	b = appendUint(b, 16, uint64(p.Additions))
	b = appendUint(b, 17, uint64(p.Deletions))
	b = appendUint(b, 18, uint64(p.Commits))
	b = appendTexts(b, 19, p.Labels)
	b = appendTexts(b, 20, p.IssueKeys)
	b = p.Marks.append(b, 21)
	b = appendText(b, 22, p.URL)
	b = p.RequestedReviewer.append(b, 23)
	b = appendText(b, 24, p.RequestedTeam)
	b = appendMillis(b, 25, p.FirstAuthored)
	return shut(b, start)
}

func (p *PullRequest) decode(b []byte, n *names) error {
	r := reader{rest: b, names: n}
	for r.next() {
		switch r.tag {
		case 1<<3 | wireVarint:
			p.Number = int64(r.value)
		case 2<<3 | wireBytes:
			r.fail(n.account(r.data, &p.Author))
		case 3<<3 | wireVarint:
			p.Created = r.millis()
		case 4<<3 | wireVarint:
			p.Draft = r.bool()
		case 5<<3 | wireBytes:
			p.State = r.name()
		case 6<<3 | wireVarint:
			p.Merged = r.millis()
		case 7<<3 | wireVarint:
			p.Closed = r.millis()
		case 8<<3 | wireBytes:
			r.fail(n.account(r.data, &p.MergedBy))
		case 9<<3 | wireVarint:
			p.AutoMerge = r.bool()
		case 10<<3 | wireBytes:
			p.BaseRef = r.name()
		case 11<<3 | wireBytes:
			p.HeadRef = r.text()
		case 12<<3 | wireBytes:
			p.HeadSHA = r.text()
		case 13<<3 | wireBytes:
			p.MergeSHA = r.text()
		case 14<<3 | wireVarint:
			p.FromFork = r.bool()
		case 15<<3 | wireVarint:
			p.IntoMain = r.bool()
		case 16<<3 | wireVarint:
			p.Additions = int64(r.value)
		case 17<<3 | wireVarint:
			p.Deletions = int64(r.value)
		case 18<<3 | wireVarint:
			p.Commits = int64(r.value)
		case 19<<3 | wireBytes:
			p.Labels = append(p.Labels, r.name())
		case 20<<3 | wireBytes:
			p.IssueKeys = append(p.IssueKeys, r.text())
		case 21<<3 | wireBytes:
			r.fail(p.Marks.decode(r.data))
		case 22<<3 | wireBytes:
			p.URL = r.text()
		case 23<<3 | wireBytes:
			r.fail(n.account(r.data, &p.RequestedReviewer))
		case 24<<3 | wireBytes:
			p.RequestedTeam = r.name()
		case 25<<3 | wireVarint:
			p.FirstAuthored = r.millis()
		}
	}
	return r.err
}

func (m *Marks) append(b []byte, number uint64) []byte {
	if *m == (Marks{}) {
		return b
	}
	b, start := open(b, number)
	b = appendBool(b, 1, m.Revert)
	b = appendBool(b, 2, m.Hotfix)
	return shut(b, start)
}

func (m *Marks) decode(b []byte) error {
	r := reader{rest: b}
	for r.next() {
		switch r.tag {
		case 1<<3 | wireVarint:
			m.Revert = r.bool()
		case 2<<3 | wireVarint:
			m.Hotfix = r.bool()
		}
	}
	return r.err
}

func (v *Review) append(b []byte, number uint64) []byte {
	if v == nil {
		return b
	}
	b, start := open(b, number)
	b = appendText(b, 1, v.Key)
	b = appendUint(b, 2, uint64(v.State))
	b = appendMillis(b, 3, v.Submitted)
	b = v.Author.append(b, 4)
	return shut(b, start)
}

func (v *Review) decode(b []byte, n *names) error {
	r := reader{rest: b, names: n}
	for r.next() {
		switch r.tag {
		case 1<<3 | wireBytes:
			v.Key = r.text()
		case 2<<3 | wireVarint:
			v.State = ReviewState(r.small())
		case 3<<3 | wireVarint:
			v.Submitted = r.millis()
		case 4<<3 | wireBytes:
			r.fail(n.account(r.data, &v.Author))
		}
	}
	return r.err
}

func (c *Comment) append(b []byte, number uint64) []byte {
	if c == nil {
		return b
	}
	b, start := open(b, number)
	b = appendText(b, 1, c.Key)
	b = appendMillis(b, 2, c.Created)
	return shut(b, start)
}

func (c *Comment) decode(b []byte) error {
	r := reader{rest: b}
	for r.next() {
		switch r.tag {
		case 1<<3 | wireBytes:
			c.Key = r.text()
		case 2<<3 | wireVarint:
			c.Created = r.millis()
		}
	}
	return r.err
}
