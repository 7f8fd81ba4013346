package event

// Append appends e's record to b. Equal events give equal bytes. Texts are
// written as they are; decoders make valid UTF-8 of what they read.
func Append(b []byte, e *Event) []byte {
	b = appendID(b, 1, e.ID)
	b = appendUint(b, 2, uint64(e.Source))
	b = appendUint(b, 3, uint64(e.Kind))
	b = appendMillis(b, 4, e.Time)
	b = appendText(b, 5, string(e.Entity))
	b = appendMillis(b, 6, e.Created)
	b = e.Scope.append(b, 7)
	b = e.Actor.append(b, 8)
	b = e.Local.append(b, 9)
	b = appendText(b, 10, e.Defect)
	b = e.PullRequest.append(b, 11)
	b = e.Review.append(b, 12)
	b = e.Comment.append(b, 13)
	b = e.Push.append(b, 14)
	b = e.Deployment.append(b, 15)
	b = e.Issue.append(b, 16)
	return e.Repository.append(b, 17)
}

// Encode returns e's record.
func Encode(e Event) []byte { return Append(make([]byte, 0, 512), &e) }

// Decode reads a record that [Append] wrote, of this or an earlier release.
// Fields of later ones are skipped. Empty lists come back as nil. Nothing of b
// is kept. The error wraps [ErrUnreadable].
func Decode(b []byte) (Event, error) {
	var e Event
	err := e.decode(b, nil)
	return e, err
}

// Decoder decodes like [Decode], and gives names that come again and again
// (repositories, logins, teams) one string. The zero Decoder is ready; it
// belongs to one goroutine.
type Decoder struct{ names names }

// Event reads what [Append] wrote.
func (d *Decoder) Event(b []byte) (Event, error) {
	var e Event
	err := e.decode(b, &d.names)
	return e, err
}

// EventTo reads what [Append] wrote to where it is to lie, which must be zero.
func (d *Decoder) EventTo(b []byte, to *Event) error { return to.decode(b, &d.names) }

// Name gives a name that comes again and again one string.
func (d *Decoder) Name(b []byte) string { return d.names.text(b) }

// Routed reads what [AppendRouted] wrote.
func (d *Decoder) Routed(b []byte) (Routed, error) {
	var r Routed
	err := r.decode(b, &d.names)
	return r, err
}

// Message reads what [AppendMessage] wrote.
func (d *Decoder) Message(b []byte) (Message, error) {
	var m Message
	err := m.decode(b, &d.names)
	return m, err
}

// Copy reads what [AppendCopy] wrote, the copy itself to where it is to lie; that
// must be the zero Routed.
func (d *Decoder) Copy(b []byte, to *Routed) (partition int32, offset int64, ordinal int32, err error) {
	var m Message
	err = m.decodeTo(b, &d.names, to)
	return m.Partition, m.Offset, m.Ordinal, err
}

func (e *Event) decode(b []byte, n *names) error {
	r := reader{rest: b, names: n}
	for r.next() {
		switch r.tag {
		case 1<<3 | wireBytes:
			e.ID = r.id()
		case 2<<3 | wireVarint:
			e.Source = Source(r.small())
		case 3<<3 | wireVarint:
			e.Kind = Kind(r.small())
		case 4<<3 | wireVarint:
			e.Time = r.millis()
		case 5<<3 | wireBytes:
			e.Entity = EntityID(r.text())
		case 6<<3 | wireVarint:
			e.Created = r.millis()
		case 7<<3 | wireBytes:
			r.fail(n.scope(r.data, &e.Scope))
		case 8<<3 | wireBytes:
			r.fail(n.account(r.data, &e.Actor))
		case 9<<3 | wireBytes:
			r.fail(e.Local.decode(r.data, n))
		case 10<<3 | wireBytes:
			e.Defect = r.text()
		case 11<<3 | wireBytes:
			r.fail(made(&e.PullRequest).decode(r.data, n))
		case 12<<3 | wireBytes:
			r.fail(made(&e.Review).decode(r.data, n))
		case 13<<3 | wireBytes:
			r.fail(made(&e.Comment).decode(r.data))
		case 14<<3 | wireBytes:
			r.fail(made(&e.Push).decode(r.data, n))
		case 15<<3 | wireBytes:
			r.fail(made(&e.Deployment).decode(r.data, n))
		case 16<<3 | wireBytes:
			r.fail(made(&e.Issue).decode(r.data, n))
		case 17<<3 | wireBytes:
			r.fail(made(&e.Repository).decode(r.data, n))
		}
	}
	return r.err
}

// made returns what p points to, made first where there is nothing: a message
// that comes twice is merged, as Protobuf wants it.
func made[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}

func (s *Scope) append(b []byte, number uint64) []byte {
	b, start := open(b, number)
	b = appendText(b, 1, s.Provider)
	b = appendText(b, 2, s.Name)
	b = appendText(b, 3, s.Repository)
	b = appendText(b, 4, s.DefaultTip)
	b = appendText(b, 5, s.Project)
	b = appendText(b, 6, s.Service)
	b = appendText(b, 7, s.Environment)
	b = appendTexts(b, 8, s.Components)
	b = appendTexts(b, 9, s.Labels)
	return shut(b, start)
}

func (s *Scope) decode(b []byte, n *names) error {
	r := reader{rest: b, names: n}
	for r.next() {
		switch r.tag {
		case 1<<3 | wireBytes:
			s.Provider = r.name()
		case 2<<3 | wireBytes:
			s.Name = r.name()
		case 3<<3 | wireBytes:
			s.Repository = r.name()
		case 4<<3 | wireBytes:
			s.DefaultTip = r.name()
		case 5<<3 | wireBytes:
			s.Project = r.name()
		case 6<<3 | wireBytes:
			s.Service = r.name()
		case 7<<3 | wireBytes:
			s.Environment = r.name()
		case 8<<3 | wireBytes:
			s.Components = append(s.Components, r.name())
		case 9<<3 | wireBytes:
			s.Labels = append(s.Labels, r.name())
		}
	}
	return r.err
}

func (l *LocalEvidence) append(b []byte, number uint64) []byte {
	if *l == (LocalEvidence{}) {
		return b
	}
	b, start := open(b, number)
	b = appendBool(b, 1, l.HasOffset)
	b = appendSigned(b, 2, int64(l.Offset))
	b = appendText(b, 3, l.Profile)
	return shut(b, start)
}

func (l *LocalEvidence) decode(b []byte, n *names) error {
	r := reader{rest: b, names: n}
	for r.next() {
		switch r.tag {
		case 1<<3 | wireVarint:
			l.HasOffset = r.bool()
		case 2<<3 | wireVarint:
			l.Offset = r.minutes()
		case 3<<3 | wireBytes:
			l.Profile = r.name()
		}
	}
	return r.err
}
