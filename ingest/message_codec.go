package ingest

import (
	"meridian/ingest/event"
	"meridian/streaming"
)

// AppendMessage appends the record of meridian.events for m: a routed copy with
// its origin, or a tick of one partition of deliveries.
func AppendMessage(b []byte, m *streaming.Message[event.Routed]) []byte {
	return event.AppendMessage(b, &event.Message{
		Partition: m.Origin.Partition,
		Offset:    m.Origin.Offset,
		Ordinal:   m.Origin.Ordinal,
		IsTick:    m.IsTick,
		Tick:      m.Tick,
		Routed:    m.Value,
	})
}

// AppendCopy is [AppendMessage] of a copy.
func AppendCopy(b []byte, r *streaming.Record[event.Routed]) []byte {
	return event.AppendCopy(b, r.Origin.Partition, r.Origin.Offset, r.Origin.Ordinal, &r.Value)
}

// MessageDecoder reads records of meridian.events. The zero MessageDecoder is
// ready; it belongs to one goroutine.
type MessageDecoder struct{ events event.Decoder }

// Message reads what [AppendMessage] wrote. The error wraps [event.ErrUnreadable].
func (d *MessageDecoder) Message(b []byte) (streaming.Message[event.Routed], error) {
	m, err := d.events.Message(b)
	return streaming.Message[event.Routed]{
		Record: streaming.Record[event.Routed]{
			Origin: streaming.Origin{Partition: m.Partition, Offset: m.Offset, Ordinal: m.Ordinal},
			Value:  m.Routed,
		},
		IsTick: m.IsTick,
		Tick:   m.Tick,
	}, err
}

// Copy reads what [AppendCopy] wrote to where it is to lie, which must be zero.
func (d *MessageDecoder) Copy(b []byte, to *streaming.Record[event.Routed]) (err error) {
	o := &to.Origin
	o.Partition, o.Offset, o.Ordinal, err = d.events.Copy(b, &to.Value)
	return err
}

// EntryMessage is what a route's shard is fed with for the entry at a place of
// meridian.deliveries.
func EntryMessage(partition int32, offset int64, e Entry) streaming.Message[Entry] {
	m := streaming.Message[Entry]{
		Record: streaming.Record[Entry]{Origin: streaming.Origin{Partition: partition, Offset: offset}, Value: e},
	}
	if e.IsTick() {
		m.IsTick, m.Tick = true, e.Tick
	}
	return m
}
