package kafka

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Rewrite changes archived records in place: offsets, frames and their times stay,
// and a day in which edit changes nothing is not touched. edit gets a whole value
// and returns what stands in its place. took is called behind each day.
//
// Bodies come into place before events. A crash in between leaves a day of which
// one file is new; both have the same frames, so it can be read, and rewriting it
// again does the rest. Nobody may append meanwhile, and whoever reads goes on with
// the files that they have open.
func (a *Archive) Rewrite(partition int32, edit func(offset int64, value []byte) (_ []byte, changed bool, err error), took func(day string)) error {
	if a.split == nil {
		return errors.New("archive: opened for reading only")
	}
	days, err := a.days(partition)
	if err != nil {
		return err
	}
	f, err := newFramer()
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	defer f.close()
	for i, day := range days {
		if i == len(days)-1 {
			if err := a.cutTorn(partition, day); err != nil {
				return err
			}
		}
		if err := a.rewriteDay(f, partition, day, edit); err != nil {
			return fmt.Errorf("archive: rewrite %s of partition %d: %w", day, partition, err)
		}
		took(day)
	}
	return nil
}

// rewriteDay holds one frame in memory at a time, and the new files only on disk.
func (a *Archive) rewriteDay(f *framer, partition int32, day string, edit func(int64, []byte) ([]byte, bool, error)) (err error) {
	r := &ArchiveReader{archive: a, partition: partition, bodies: true, framer: f, days: []string{day}}
	defer func() { r.events.close(); r.body.close() }()
	if err := r.open(); err != nil {
		return err
	}
	infos := r.infos
	events, err := newDayFile(a.path(partition, day, eventsFile))
	if err != nil {
		return err
	}
	defer events.drop()
	bodies, err := newDayFile(a.path(partition, day, bodiesFile))
	if err != nil {
		return err
	}
	defer bodies.drop()
	changed := false
	for _, info := range infos {
		records, err := r.read()
		if err != nil {
			return err
		}
		var first []LogRecord
		var second [][]byte
		for i, rec := range records {
			value, other, err := edit(rec.Offset, rec.Value)
			if err != nil {
				return err
			}
			changed = changed || other
			e, b := a.split(value)
			records[i].Value = value
			first, second = append(first, LogRecord{Offset: rec.Offset, Value: e}), append(second, b)
		}
		i := -1
		body := f.pack(partition, info.sealed, records, func(LogRecord) []byte { i++; return second[i] })
		event := f.pack(partition, info.sealed, first, func(r LogRecord) []byte { return r.Value })
		if err := errors.Join(bodies.write(body), events.write(event)); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	// The body of what a crash left behind the last event is gone with this.
	if err := bodies.place(); err != nil {
		return err
	}
	return events.place()
}

// dayFile is a file that takes another's place when it is whole.
type dayFile struct {
	path string
	f    *os.File
}

func newDayFile(path string) (*dayFile, error) {
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	return &dayFile{path, f}, err
}

func (d *dayFile) write(b []byte) error {
	_, err := d.f.Write(b)
	return err
}

func (d *dayFile) place() error {
	return errors.Join(d.f.Sync(), os.Rename(d.path+".new", d.path), syncDir(filepath.Dir(d.path)))
}

// drop forgets a file that was not placed.
func (d *dayFile) drop() {
	d.f.Close()
	_ = os.Remove(d.path + ".new") // there is none once it has been placed
}

// TrimDays removes days all of whose records lie before an offset, and returns the
// offset at which the archive begins then. The newest day stays.
func (a *Archive) TrimDays(partition int32, before int64) (start int64, err error) {
	days, err := a.days(partition)
	if err != nil {
		return 0, err
	}
	for i, day := range days {
		infos, _, _, err := frames(a.path(partition, day, eventsFile), i == len(days)-1)
		if err != nil {
			return 0, err
		}
		if i == len(days)-1 || len(infos) == 0 || infos[len(infos)-1].last >= before {
			break
		}
		// Events first: a bodies file without its sibling is of no day.
		for _, kind := range []string{eventsFile, bodiesFile} {
			if err := os.Remove(a.path(partition, day, kind)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return 0, fmt.Errorf("archive: %w", err)
			}
		}
		if err := syncDir(a.partitionDir(partition)); err != nil {
			return 0, fmt.Errorf("archive: %w", err)
		}
	}
	span, err := a.Span(partition)
	return span.Start, err
}

// Boundary returns where a partition's archive begins, and the offset of its first
// record that was sealed on a day or later. The newest file stays whatever its day,
// so the boundary is not behind its first record.
func (a *Archive) Boundary(partition int32, day string) (start, offset int64, err error) {
	days, err := a.days(partition)
	if err != nil || len(days) == 0 {
		return 0, 0, err
	}
	first := func(i int) (int64, error) {
		infos, _, _, err := frames(a.path(partition, days[i], eventsFile), i == len(days)-1)
		if err != nil || len(infos) == 0 {
			return 0, errors.Join(err, fmt.Errorf("%w: %s holds no frame", ErrArchive, a.path(partition, days[i], eventsFile)))
		}
		return infos[0].first, nil
	}
	if start, err = first(0); err != nil {
		return 0, 0, err
	}
	i := 0
	for i < len(days)-1 && days[i] < day {
		i++
	}
	offset, err = first(i)
	return start, offset, err
}
