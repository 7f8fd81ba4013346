package kafka

import (
	"fmt"
	"io"
	"os"
)

// ArchiveReader reads a partition's archived records in order.
type ArchiveReader struct {
	archive   *Archive
	partition int32
	bodies    bool
	next      int64

	framer *framer
	days   []string // not opened yet
	infos  []frameInfo
	events archiveFile
	body   archiveFile
}

type archiveFile struct {
	f  *os.File
	at []int64
}

func (f *archiveFile) close() {
	if f.f != nil {
		f.f.Close()
		f.f = nil
	}
}

// ReadArchive returns a reader that begins at fromOffset, or at the first
// archived record after it. With bodies, values are whole again; without, they
// are the events part and the bodies file is never opened. Close releases it.
func (a *Archive) ReadArchive(partition int32, fromOffset int64, bodies bool) (*ArchiveReader, error) {
	days, err := a.days(partition)
	if err != nil {
		return nil, err
	}
	framer, err := newFramer()
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	return &ArchiveReader{archive: a, partition: partition, bodies: bodies, next: fromOffset, framer: framer, days: days}, nil
}

// Next returns the records of the next frame, or io.EOF behind the last whole
// one. Values may be kept, but share memory.
func (r *ArchiveReader) Next() ([]LogRecord, error) {
	for {
		for len(r.infos) > 0 && r.infos[0].last < r.next {
			r.drop()
		}
		if len(r.infos) > 0 {
			return r.read()
		}
		if len(r.days) == 0 {
			return nil, io.EOF
		}
		if err := r.open(); err != nil {
			return nil, err
		}
	}
}

func (r *ArchiveReader) drop() {
	r.infos, r.events.at = r.infos[1:], r.events.at[1:]
	if r.bodies {
		r.body.at = r.body.at[1:]
	}
}

func (r *ArchiveReader) open() error {
	day := r.days[0]
	r.days = r.days[1:]
	r.events.close()
	r.body.close()
	path := r.archive.path(r.partition, day, eventsFile)
	infos, at, end, err := frames(path, len(r.days) == 0)
	if err != nil {
		return err
	}
	// A torn end is a crash, and only the newest file can have one.
	if info, err := os.Stat(path); err != nil {
		return fmt.Errorf("archive: %w", err)
	} else if info.Size() != end && len(r.days) > 0 {
		return fmt.Errorf("%w: %s has a damaged frame at byte %d; restore the file from a backup", ErrArchive, path, end)
	}
	r.infos, r.events.at = infos, at
	if r.events.f, err = os.Open(path); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if !r.bodies {
		return nil
	}
	path = r.archive.path(r.partition, day, bodiesFile)
	bodies, at, _, err := frames(path, len(r.days) == 0)
	if err != nil {
		return err
	}
	if len(bodies) < len(infos) {
		return fmt.Errorf("%w: %s has %d frames and its sibling %d; restore the file from a backup", ErrArchive, path, len(bodies), len(infos))
	}
	r.body.at = at
	if r.body.f, err = os.Open(path); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	return nil
}

func (r *ArchiveReader) read() ([]LogRecord, error) {
	records, err := r.unpack(r.events)
	if err != nil {
		return nil, err
	}
	if r.bodies {
		bodies, err := r.unpack(r.body)
		if err != nil {
			return nil, err
		}
		if len(bodies) != len(records) {
			return nil, fmt.Errorf("%w: bodies of offsets %d to %d are of other records", ErrArchive, r.infos[0].first, r.infos[0].last)
		}
		for i := range records {
			records[i].Value = append(records[i].Value, bodies[i].Value...)
		}
	}
	r.drop()
	for len(records) > 0 && records[0].Offset < r.next {
		records = records[1:]
	}
	r.next = records[len(records)-1].Offset + 1
	return records, nil
}

func (r *ArchiveReader) unpack(file archiveFile) ([]LogRecord, error) {
	info, packed, err := readFrame(file.f, file.at[0])
	if err != nil {
		return nil, fmt.Errorf("archive: %s at byte %d: %w", file.f.Name(), file.at[0], err)
	}
	if info.first != r.infos[0].first || info.last != r.infos[0].last || info.partition != r.partition {
		return nil, fmt.Errorf("%w: %s at byte %d holds partition %d, offsets %d to %d, not partition %d, %d to %d",
			ErrArchive, file.f.Name(), file.at[0], info.partition, info.first, info.last, r.partition, r.infos[0].first, r.infos[0].last)
	}
	records, err := r.framer.unpack(info, packed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.f.Name(), err)
	}
	return records, nil
}

// Close releases the reader.
func (r *ArchiveReader) Close() {
	r.events.close()
	r.body.close()
	r.framer.close()
}
