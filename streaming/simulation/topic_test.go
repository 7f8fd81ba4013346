package simulation

import (
	"context"
	"fmt"
	"slices"

	"meridian/streaming/kafka"
)

// topic is one partition of a log: what has been appended is there for ever,
// but for what was trimmed.
type topic struct {
	name    string
	start   int64 // of what is left
	records [][]byte
}

func (p *topic) append(records ...[]byte) (first int64) {
	first = int64(len(p.records))
	p.records = append(p.records, records...)
	return first
}

func (p *topic) end() int64 { return int64(len(p.records)) }

func (p *topic) trim(below int64) {
	for ; p.start < min(below, p.end()); p.start++ {
		p.records[p.start] = nil
	}
}

// cursor reads a topic in fetches of any size; it implements [kafka.Reader].
type cursor struct {
	topic *topic
	next  int64
	fetch func() int // how many records the next one has at most
}

func (p *topic) open(from int64, fetch func() int) (kafka.Reader, error) {
	if from < p.start || from > p.end() {
		return nil, fmt.Errorf("read %s at offset %d: it holds %d to %d: %w", p.name, from, p.start, p.end(), kafka.ErrTrimmed)
	}
	return &cursor{p, from, fetch}, nil
}

func (c *cursor) Next(context.Context) ([]kafka.LogRecord, error) {
	if c.next < c.topic.start {
		return nil, fmt.Errorf("read %s at offset %d: it begins at %d: %w", c.topic.name, c.next, c.topic.start, kafka.ErrTrimmed)
	}
	var records []kafka.LogRecord
	for n := c.fetch(); n > 0 && c.next < c.topic.end(); n-- {
		records = append(records, kafka.LogRecord{Offset: c.next, Value: slices.Clone(c.topic.records[c.next])})
		c.next++
	}
	return records, nil
}

func (c *cursor) Position() (next, end int64) { return c.next, c.topic.end() }

func (c *cursor) Close() {}
