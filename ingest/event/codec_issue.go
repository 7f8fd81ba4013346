package event

func (i *Issue) append(b []byte, number uint64) []byte {
	if i == nil {
		return b
	}
	b, start := open(b, number)
	b = appendText(b, 1, i.Key)
	b = appendText(b, 2, i.Type)
	b = appendMillis(b, 3, i.Created)
	b = i.Reporter.append(b, 4)
	b = i.Current.append(b, 5)
	b = i.From.append(b, 6)
	b = i.To.append(b, 7)
	b = appendText(b, 8, i.Change)
	b = appendTexts(b, 9, i.Components)
	b = appendTexts(b, 10, i.Labels)
	b = appendMillis(b, 11, i.Resolved)
	b = appendText(b, 12, i.URL)
	b = appendTexts(b, 13, i.FormerKeys)
	b = appendBool(b, 14, i.IsIncident)
	b = appendTexts(b, 15, i.CausedBy)
	return shut(b, start)
}

func (i *Issue) decode(b []byte, n *names) error {
	r := reader{rest: b, names: n}
	for r.next() {
		switch r.tag {
		case 1<<3 | wireBytes:
			i.Key = r.text()
		case 2<<3 | wireBytes:
			i.Type = r.name()
		case 3<<3 | wireVarint:
			i.Created = r.millis()
		case 4<<3 | wireBytes:
			r.fail(n.account(r.data, &i.Reporter))
		case 5<<3 | wireBytes:
			r.fail(i.Current.decode(r.data, n))
		case 6<<3 | wireBytes:
			r.fail(i.From.decode(r.data, n))
		case 7<<3 | wireBytes:
			r.fail(i.To.decode(r.data, n))
		case 8<<3 | wireBytes:
			i.Change = r.text()
		case 9<<3 | wireBytes:
			i.Components = append(i.Components, r.name())
		case 10<<3 | wireBytes:
			i.Labels = append(i.Labels, r.name())
		case 11<<3 | wireVarint:
			i.Resolved = r.millis()
		case 12<<3 | wireBytes:
			i.URL = r.text()
		case 13<<3 | wireBytes:
			i.FormerKeys = append(i.FormerKeys, r.text())
		case 14<<3 | wireVarint:
			i.IsIncident = r.bool()
		case 15<<3 | wireBytes:
			i.CausedBy = append(i.CausedBy, r.text())
		}
	}
	return r.err
}

func (s *Status) append(b []byte, number uint64) []byte {
	if *s == (Status{}) {
		return b
	}
	b, start := open(b, number)
	b = appendText(b, 1, s.Name)
	b = appendUint(b, 2, uint64(s.Category))
	return shut(b, start)
}

func (s *Status) decode(b []byte, n *names) error {
	r := reader{rest: b, names: n}
	for r.next() {
		switch r.tag {
		case 1<<3 | wireBytes:
			s.Name = r.name()
		case 2<<3 | wireVarint:
			s.Category = StatusCategory(r.small())
		}
	}
	return r.err
}
