package event

func (a *Account) append(b []byte, number uint64) []byte {
	if a.IsZero() {
		return b
	}
	return a.appendEven(b, number)
}

// appendEven appends an account that is nobody too, as a list must: its places
// count.
func (a *Account) appendEven(b []byte, number uint64) []byte {
	b, start := open(b, number)
	b = appendText(b, 1, a.Provider)
	b = appendText(b, 2, a.Key)
	b = appendText(b, 3, a.Login)
	b = appendText(b, 4, a.Email)
	b = appendBool(b, 5, a.Bot)
	b = appendBool(b, 6, a.Deleted)
	return shut(b, start)
}

func (a *Account) decode(b []byte, n *names) error {
	r := reader{rest: b, names: n}
	for r.next() {
		switch r.tag {
		case 1<<3 | wireBytes:
			a.Provider = r.name()
		case 2<<3 | wireBytes:
			a.Key = r.name()
		case 3<<3 | wireBytes:
			a.Login = r.name()
		case 4<<3 | wireBytes:
			a.Email = r.name()
		case 5<<3 | wireVarint:
			a.Bot = r.bool()
		case 6<<3 | wireVarint:
			a.Deleted = r.bool()
		}
	}
	return r.err
}

func (p *Person) append(b []byte, number uint64) []byte {
	if *p == (Person{}) {
		return b
	}
	b, start := open(b, number)
	b = appendID(b, 1, p.ID)
	b = appendBool(b, 2, p.Known)
	b = appendBool(b, 3, p.Bot)
	b = appendBool(b, 4, p.Deleted)
	return shut(b, start)
}

func (p *Person) decode(b []byte) error {
	r := reader{rest: b}
	for r.next() {
		switch r.tag {
		case 1<<3 | wireBytes:
			p.ID = r.id()
		case 2<<3 | wireVarint:
			p.Known = r.bool()
		case 3<<3 | wireVarint:
			p.Bot = r.bool()
		case 4<<3 | wireVarint:
			p.Deleted = r.bool()
		}
	}
	return r.err
}
