package event

import "meridian/streaming/timeline"

// Message is what a partition of meridian.events holds at one offset: a routed
// copy with its origin, or a tick of one partition of deliveries. It has the
// fields of streaming.Message, which this package may not know.
type Message struct {
	Partition int32 // of deliveries, as are offset and ordinal
	Offset    int64
	Ordinal   int32
	IsTick    bool
	Tick      timeline.Millis // meaningful when IsTick
	Routed    Routed          // the zero Routed when IsTick
}

// AppendMessage appends m's record to b.
func AppendMessage(b []byte, m *Message) []byte {
	b = appendOrigin(b, m.Partition, m.Offset, m.Ordinal)
	b = appendBool(b, 4, m.IsTick)
	b = appendMillis(b, 5, m.Tick)
	if m.IsTick {
		return b
	}
	b, start := open(b, 6)
	return shut(AppendRouted(b, &m.Routed), start)
}

// AppendCopy is [AppendMessage] of a copy that lies somewhere else than in a
// message.
func AppendCopy(b []byte, partition int32, offset int64, ordinal int32, r *Routed) []byte {
	b, start := open(appendOrigin(b, partition, offset, ordinal), 6)
	return shut(AppendRouted(b, r), start)
}

func appendOrigin(b []byte, partition int32, offset int64, ordinal int32) []byte {
	b = appendUint(b, 1, uint64(partition))
	b = appendUint(b, 2, uint64(offset))
	return appendUint(b, 3, uint64(ordinal))
}

// DecodeMessage reads what [AppendMessage] wrote; see [Decode].
func DecodeMessage(b []byte) (Message, error) {
	var m Message
	err := m.decode(b, nil)
	return m, err
}

func (m *Message) decode(b []byte, n *names) error {
	return m.decodeTo(b, n, &m.Routed)
}

// decodeTo decodes a message whose copy is to lie somewhere else.
func (m *Message) decodeTo(b []byte, n *names, to *Routed) error {
	r := reader{rest: b, names: n}
	for r.next() {
		switch r.tag {
		case 1<<3 | wireVarint:
			m.Partition = int32(r.value)
		case 2<<3 | wireVarint:
			m.Offset = int64(r.value)
		case 3<<3 | wireVarint:
			m.Ordinal = int32(r.value)
		case 4<<3 | wireVarint:
			m.IsTick = r.bool()
		case 5<<3 | wireVarint:
			m.Tick = r.millis()
		case 6<<3 | wireBytes:
			r.fail(to.decode(r.data, n))
		}
	}
	return r.err
}

// AppendRouted appends r's record to b.
func AppendRouted(b []byte, r *Routed) []byte {
	b = appendUint(b, 1, uint64(r.Copy))
	b = appendText(b, 2, r.Team)
	b = appendUint(b, 3, uint64(r.Verdict))
	b = appendText(b, 4, r.Reason)
	b = appendMillis(b, 5, r.Received)
	b = appendBool(b, 6, r.LateAccepted)
	b = appendBool(b, 7, r.Healed)
	b = appendBool(b, 8, r.Backfilled)
	b = appendMillis(b, 9, r.Clock)
	b, start := open(b, 10)
	b = shut(Append(b, &r.Event), start)
	b = appendText(b, 11, r.Service)
	b = appendTexts(b, 12, r.Services)
	b = appendBool(b, 13, r.Production)
	b = r.Actor.append(b, 14)
	b = r.Author.append(b, 15)
	b = r.Act.append(b, 16)
	for _, c := range r.Commits {
		b = c.append(b, 17)
	}
	return b
}

func (c RoutedCommit) append(b []byte, number uint64) []byte {
	b, start := open(b, number)
	b = appendUint(b, 1, c.Touches)
	b = appendBool(b, 2, c.Bot)
	return shut(b, start)
}

func (c *RoutedCommit) decode(b []byte) error {
	r := reader{rest: b}
	for r.next() {
		switch r.tag {
		case 1<<3 | wireVarint:
			c.Touches = r.value
		case 2<<3 | wireVarint:
			c.Bot = r.bool()
		}
	}
	return r.err
}

// DecodeRouted reads what [AppendRouted] wrote; see [Decode].
func DecodeRouted(b []byte) (Routed, error) {
	var r Routed
	err := r.decode(b, nil)
	return r, err
}

func (o *Routed) decode(b []byte, n *names) error {
	r := reader{rest: b, names: n}
	for r.next() {
		switch r.tag {
		case 1<<3 | wireVarint:
			o.Copy = Copy(r.small())
		case 2<<3 | wireBytes:
			o.Team = r.name()
		case 3<<3 | wireVarint:
			o.Verdict = Verdict(r.small())
		case 4<<3 | wireBytes:
			o.Reason = r.name()
		case 5<<3 | wireVarint:
			o.Received = r.millis()
		case 6<<3 | wireVarint:
			o.LateAccepted = r.bool()
		case 7<<3 | wireVarint:
			o.Healed = r.bool()
		case 8<<3 | wireVarint:
			o.Backfilled = r.bool()
		case 9<<3 | wireVarint:
			o.Clock = r.millis()
		case 10<<3 | wireBytes:
			r.fail(o.Event.decode(r.data, n))
		case 11<<3 | wireBytes:
			o.Service = r.name()
		case 12<<3 | wireBytes:
			o.Services = append(o.Services, r.name())
		case 13<<3 | wireVarint:
			o.Production = r.bool()
		case 14<<3 | wireBytes:
			r.fail(o.Actor.decode(r.data))
		case 15<<3 | wireBytes:
			r.fail(o.Author.decode(r.data))
		case 16<<3 | wireBytes:
			r.fail(made(&o.Act).decode(r.data, n))
		case 17<<3 | wireBytes:
			o.Commits = append(o.Commits, RoutedCommit{})
			r.fail(o.Commits[len(o.Commits)-1].decode(r.data))
		}
	}
	return r.err
}

func (a *Act) append(b []byte, number uint64) []byte {
	if a == nil {
		return b
	}
	b, start := open(b, number)
	b = appendText(b, 1, a.Key)
	b = appendUint(b, 2, uint64(a.Kind))
	b = appendMillis(b, 3, a.At)
	b = appendBool(b, 4, a.Primary)
	b = appendText(b, 5, a.Zone)
	b = appendUint(b, 6, uint64(a.Known))
	b = appendUint(b, 7, uint64(a.Class))
	b = appendText(b, 8, a.Ignored)
	return shut(b, start)
}

func (a *Act) decode(b []byte, n *names) error {
	r := reader{rest: b, names: n}
	for r.next() {
		switch r.tag {
		case 1<<3 | wireBytes:
			a.Key = r.text()
		case 2<<3 | wireVarint:
			a.Kind = ActKind(r.small())
		case 3<<3 | wireVarint:
			a.At = r.millis()
		case 4<<3 | wireVarint:
			a.Primary = r.bool()
		case 5<<3 | wireBytes:
			a.Zone = r.name()
		case 6<<3 | wireVarint:
			a.Known = ZoneSource(r.small())
		case 7<<3 | wireVarint:
			a.Class = timeline.Class(r.small())
		case 8<<3 | wireBytes:
			a.Ignored = r.name()
		}
	}
	return r.err
}
