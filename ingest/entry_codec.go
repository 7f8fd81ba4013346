package ingest

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// The schema of the log is logpb/log.proto. The envelope is written by hand for
// the same reason as the events inside it (see package event): a record is read
// many more times than it is written. A test holds it against the generated code.

// Field numbers of log.proto.
const (
	entryDelivery, entryTick, entryCoverage, entryGap, entryErase = 1, 2, 3, 4, 5

	deliveryID, deliveryProvider, deliveryName, deliveryViaAPI, deliveryReceived = 1, 2, 3, 4, 5
	deliveryHeaders, deliveryBody, deliveryKept, deliveryOutcome                 = 6, 7, 8, 9
	deliveryReason, deliveryType, deliveryEvents, deliveryDecoder                = 10, 11, 12, 13

	headerName, headerValue = 1, 2

	spanSource, spanScope, spanFrom, spanTo = 1, 2, 3, 4 // of coverage and gap

	erasePerson = 1
)

// EncodeEntry returns e as a record of meridian.deliveries. Equal entries give
// equal bytes.
func EncodeEntry(e Entry) []byte {
	var w wire
	switch {
	case e.Delivery != nil:
		w.message(entryDelivery, func() { w.delivery(e.Delivery) })
	case e.Coverage != nil:
		w.message(entryCoverage, func() { w.span(e.Coverage.Source, e.Coverage.Scope, e.Coverage.From, e.Coverage.To) })
	case e.Gap != nil:
		w.message(entryGap, func() { w.span(e.Gap.Source, e.Gap.Scope, e.Gap.From, e.Gap.To) })
	case e.Erase != nil:
		w.message(entryErase, func() { w.bytes(erasePerson, e.Erase.Person[:]) })
	default:
		// Written even when it is 0: in a oneof, to be there is the meaning.
		w.b = protowire.AppendTag(w.b, entryTick, protowire.VarintType)
		w.b = protowire.AppendVarint(w.b, protowire.EncodeZigZag(int64(e.Tick)))
	}
	return w.b
}

func (w *wire) delivery(d *LoggedDelivery) {
	w.text(deliveryID, d.ID)
	w.text(deliveryProvider, d.Delivery.Provider)
	w.text(deliveryName, d.Delivery.Name)
	w.bool(deliveryViaAPI, d.Delivery.ViaAPI)
	w.millis(deliveryReceived, d.Delivery.Received)
	for _, name := range slices.Sorted(maps.Keys(d.Delivery.Headers)) {
		w.message(deliveryHeaders, func() {
			w.text(headerName, name)
			w.text(headerValue, d.Delivery.Headers[name])
		})
	}
	w.bytes(deliveryBody, d.Delivery.Body)
	w.bool(deliveryKept, d.Delivery.Kept)
	w.uint(deliveryOutcome, uint64(d.Outcome))
	w.text(deliveryReason, d.Reason)
	w.text(deliveryType, d.Type)
	for i := range d.Events {
		w.message(deliveryEvents, func() { w.b = event.Append(w.b, &d.Events[i]) })
	}
	w.uint(deliveryDecoder, uint64(int64(d.Decoder)))
}

func (w *wire) span(source event.Source, scope string, from, to timeline.Millis) {
	w.uint(spanSource, uint64(source))
	w.text(spanScope, scope)
	w.millis(spanFrom, from)
	w.millis(spanTo, to)
}

// DecodeEntry reads what [EncodeEntry] wrote, in this or an earlier release.
// Nothing of b is kept. The error wraps [event.ErrUnreadable].
func DecodeEntry(b []byte) (Entry, error) {
	return (&EntryDecoder{Bodies: true}).Entry(b)
}

// EntryDecoder decodes like [DecodeEntry]; the names that come again and again
// are shared. The zero EntryDecoder is ready and leaves bodies out, which is what
// everybody wants who takes the events as they are. It belongs to one goroutine.
type EntryDecoder struct {
	Bodies bool // copy the deliveries' bodies too
	events event.Decoder

	deliveries []LoggedDelivery // made and not used
	free       []event.Event
}

// Entry reads one record.
func (d *EntryDecoder) Entry(b []byte) (e Entry, err error) {
	known := false
	err = fields(b, func(f field) error {
		var err error
		switch f.tag {
		case lengthTag(entryDelivery):
			if e.Delivery == nil { // a second one goes on with the first: see SplitEntry
				e = Entry{Delivery: d.made()}
			}
			err = d.delivery(f.data, e.Delivery)
		case varintTag(entryTick):
			e = Entry{Tick: f.millis()}
		case lengthTag(entryCoverage):
			c := &Coverage{}
			e = Entry{Coverage: c}
			err = decodeSpan(f.data, &c.Source, &c.Scope, &c.From, &c.To)
		case lengthTag(entryGap):
			g := &Gap{}
			e = Entry{Gap: g}
			err = decodeSpan(f.data, &g.Source, &g.Scope, &g.From, &g.To)
		case lengthTag(entryErase):
			e = Entry{Erase: &Erase{}}
			err = e.Erase.decode(f.data)
		default:
			return nil
		}
		known = true
		return err
	})
	if err == nil && !known {
		err = fmt.Errorf("%w: a record of meridian.deliveries is of a kind that this version does not know; a newer Meridian wrote it, run that version", event.ErrUnreadable)
	}
	if err != nil {
		return Entry{}, err
	}
	return e, nil
}

func (d *EntryDecoder) delivery(b []byte, to *LoggedDelivery) error {
	for rest := b; len(rest) > 0; {
		var f field
		var err error
		if f, rest, err = nextField(rest); err != nil {
			return err
		}
		switch f.tag {
		case lengthTag(deliveryID):
			to.ID = string(f.data)
		case lengthTag(deliveryProvider):
			to.Delivery.Provider = shared(f.data)
		case lengthTag(deliveryName):
			to.Delivery.Name = d.events.Name(f.data)
		case varintTag(deliveryViaAPI):
			to.Delivery.ViaAPI = f.value != 0
		case varintTag(deliveryReceived):
			to.Delivery.Received = f.millis()
		case lengthTag(deliveryHeaders):
			if d.Bodies { // they are needed where the body is decoded again
				err = decodeHeader(f.data, &to.Delivery)
			}
		case lengthTag(deliveryBody):
			if d.Bodies {
				to.Delivery.Body = slices.Clone(f.data)
			}
		case varintTag(deliveryKept):
			to.Delivery.Kept = f.value != 0
		case varintTag(deliveryOutcome):
			if f.value > uint64(OutcomeUndecodable) {
				err = fmt.Errorf("%w: a delivery has outcome %d, which this version does not know", event.ErrUnreadable, f.value)
			}
			to.Outcome = Outcome(f.value)
		case lengthTag(deliveryReason):
			to.Reason = string(f.data)
		case lengthTag(deliveryType):
			to.Type = d.events.Name(f.data)
		case lengthTag(deliveryEvents):
			if to.Events == nil {
				to.Events = d.room(1 + count(rest, deliveryEvents))
			}
			if len(to.Events) == cap(to.Events) { // a message that came twice
				to.Events = slices.Grow(to.Events, 1)
			}
			to.Events = to.Events[:len(to.Events)+1]
			err = d.events.EventTo(f.data, &to.Events[len(to.Events)-1])
		case varintTag(deliveryDecoder):
			to.Decoder = int32(f.value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// slab is how many deliveries and events are allocated at once. What one of them
// keeps alive are its neighbours, which are read and forgotten with it.
const slab = 32

// made returns a delivery that is zero.
func (d *EntryDecoder) made() *LoggedDelivery {
	if len(d.deliveries) == 0 {
		d.deliveries = make([]LoggedDelivery, slab)
	}
	one := &d.deliveries[0]
	d.deliveries = d.deliveries[1:]
	return one
}

// room returns room for events: they are large, and most deliveries have one.
func (d *EntryDecoder) room(n int) []event.Event {
	if n > slab/4 {
		return make([]event.Event, 0, n)
	}
	if len(d.free) < n {
		d.free = make([]event.Event, slab)
	}
	room := d.free[:0:n]
	d.free = d.free[n:]
	return room
}

func decodeHeader(b []byte, to *Delivery) error {
	var name, value string
	err := fields(b, func(f field) error {
		switch f.tag {
		case lengthTag(headerName):
			name = string(f.data)
		case lengthTag(headerValue):
			value = string(f.data)
		}
		return nil
	})
	if to.Headers == nil {
		to.Headers = map[string]string{}
	}
	to.Headers[name] = value
	return err
}

func decodeSpan(b []byte, source *event.Source, scope *string, from, to *timeline.Millis) error {
	return fields(b, func(f field) error {
		switch f.tag {
		case varintTag(spanSource):
			if f.value > uint64(event.Deploy) {
				return fmt.Errorf("%w: source %d is one that this version does not know", event.ErrUnreadable, f.value)
			}
			*source = event.Source(f.value)
		case lengthTag(spanScope):
			*scope = string(f.data)
		case varintTag(spanFrom):
			*from = f.millis()
		case varintTag(spanTo):
			*to = f.millis()
		}
		return nil
	})
}

func (e *Erase) decode(b []byte) error {
	return fields(b, func(f field) error {
		if f.tag == lengthTag(erasePerson) {
			if copy(e.Person[:], f.data) != len(f.data) || len(f.data) != len(e.Person) {
				return fmt.Errorf("%w: a person of %d bytes instead of %d", event.ErrUnreadable, len(f.data), len(e.Person))
			}
		}
		return nil
	})
}

// shared gives the providers' names one string each.
func shared(b []byte) string {
	switch string(b) {
	case "github":
		return "github"
	case "jira":
		return "jira"
	case "deploy":
		return "deploy"
	case "argocd":
		return "argocd"
	case "cdevents":
		return "cdevents"
	}
	return string(b)
}
