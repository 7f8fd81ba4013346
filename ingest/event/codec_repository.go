package event

func (p *Repository) append(b []byte, number uint64) []byte {
	if p == nil {
		return b
	}
	b, start := open(b, number)
	b = appendText(b, 1, p.Key)
	b = appendText(b, 2, p.Change)
	b = appendText(b, 3, p.Former)
	return shut(b, start)
}

func (p *Repository) decode(b []byte, n *names) error {
	r := reader{rest: b, names: n}
	for r.next() {
		switch r.tag {
		case 1<<3 | wireBytes:
			p.Key = r.text()
		case 2<<3 | wireBytes:
			p.Change = r.name()
		case 3<<3 | wireBytes:
			p.Former = r.name()
		}
	}
	return r.err
}
