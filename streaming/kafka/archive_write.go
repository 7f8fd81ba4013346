package kafka

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Append seals records, which follow what is archived already, and returns
// when they are durable. Long ones become several frames; after an error some
// of them may be archived, which Span tells.
func (a *Archive) Append(partition int32, now time.Time, records []LogRecord) error {
	if len(records) == 0 {
		return nil
	}
	if a.split == nil {
		return errors.New("archive: opened for reading only")
	}
	f, err := newFramer()
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	defer f.close()
	if err := os.MkdirAll(a.partitionDir(partition), 0o700); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if err := syncDir(a.dir); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	day, span, err := a.tail(partition, now)
	if err != nil {
		return err
	}
	if !span.Empty() && records[0].Offset < span.End {
		return fmt.Errorf("%w: offset %d of partition %d is archived already", ErrArchive, records[0].Offset, partition)
	}
	for len(records) > 0 {
		n, size := 0, 0
		for n < len(records) && n < frameRecords && (n == 0 || size+len(records[n].Value) <= frameBytes) {
			size += len(records[n].Value)
			n++
		}
		if err := a.appendFrame(f, partition, day, now.UnixMilli(), records[:n]); err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// tail returns the day whose file is appended to: today, but never one before
// the newest file, since a clock that was set back must not turn the order round.
func (a *Archive) tail(partition int32, now time.Time) (string, Span, error) {
	days, err := a.days(partition)
	if err != nil {
		return "", Span{}, err
	}
	day := now.UTC().Format(dayLayout)
	if len(days) > 0 {
		newest := days[len(days)-1]
		if err := a.cutTorn(partition, newest); err != nil {
			return "", Span{}, err
		}
		day = max(day, newest)
	}
	span, err := a.Span(partition)
	return day, span, err
}

// cutTorn removes what a crash has left behind the last whole frame of a day,
// so that no file but the newest can have a torn end.
func (a *Archive) cutTorn(partition int32, day string) error {
	path := a.path(partition, day, eventsFile)
	_, _, end, err := frames(path, true)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err == nil && info.Size() > end {
		err = os.Truncate(path, end)
	}
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	return nil
}

func (a *Archive) appendFrame(f *framer, partition int32, day string, sealed int64, records []LogRecord) error {
	var bodies [][]byte
	var events []LogRecord
	for _, r := range records {
		e, b := a.split(r.Value)
		events = append(events, LogRecord{Offset: r.Offset, Value: e})
		bodies = append(bodies, b)
	}
	i := -1
	body := f.pack(partition, sealed, records, func(LogRecord) []byte { i++; return bodies[i] })
	event := f.pack(partition, sealed, events, func(r LogRecord) []byte { return r.Value })

	infos, _, _, err := frames(a.path(partition, day, eventsFile), true)
	if err != nil {
		return err
	}
	last := int64(-1)
	if len(infos) > 0 {
		last = infos[len(infos)-1].last
	}
	if err := appendBehind(a.path(partition, day, bodiesFile), last, body); err != nil {
		return err
	}
	if err := appendBehind(a.path(partition, day, eventsFile), last, event); err != nil {
		return err
	}
	return nil
}

// appendBehind writes a frame behind that which ends with offset last, and
// cuts off whatever a crash has left there.
func appendBehind(path string, last int64, frame []byte) error {
	infos, at, end, err := frames(path, true)
	if err != nil {
		return err
	}
	for len(infos) > 0 && infos[len(infos)-1].last > last {
		end = at[len(at)-1]
		infos, at = infos[:len(infos)-1], at[:len(at)-1]
	}
	if len(infos) > 0 && infos[len(infos)-1].last != last || len(infos) == 0 && last >= 0 {
		return fmt.Errorf("%w: %s does not go up to offset %d as its sibling does", ErrArchive, path, last)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	defer f.Close()
	if err := f.Truncate(end); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if _, err := f.WriteAt(frame, end); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("archive: sync %s: %w", path, err)
	}
	if end == 0 {
		if err := syncDir(filepath.Dir(path)); err != nil {
			return fmt.Errorf("archive: %w", err)
		}
	}
	return nil
}
