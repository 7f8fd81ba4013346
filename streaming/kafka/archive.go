package kafka

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// LogRecord is one record of a partition of deliveries.
type LogRecord struct {
	Offset int64
	Value  []byte
}

// Split cuts a record's value into what every reader needs and what only a new
// decoder opens again. events followed by body must be an encoding of the same
// value, as two pieces of one Protobuf message are. body may be empty.
type Split func(value []byte) (events, body []byte)

// Archive is the sealed part of deliveries, in files:
//
//	0/2026-03-02.events    frames of partition 0 that were sealed on that day (UTC)
//	0/2026-03-02.bodies    the same records' bodies, frame by frame
//
// A record is archived when its frame in the events file is whole; bodies are
// written before. What is behind the last whole frame is a torn append, which
// readers ignore and the next append cuts off. One process writes, any number read.
type Archive struct {
	dir   string
	split Split
}

const (
	eventsFile = ".events"
	bodiesFile = ".bodies"
	dayLayout  = "2006-01-02"
)

// OpenArchive returns the archive in dir, which need not exist. Readers may
// leave split nil.
func OpenArchive(dir string, split Split) *Archive { return &Archive{dir: dir, split: split} }

func (a *Archive) partitionDir(partition int32) string {
	return filepath.Join(a.dir, fmt.Sprint(partition))
}

// days lists the days of a partition that have a file, in order.
func (a *Archive) days(partition int32) ([]string, error) {
	entries, err := os.ReadDir(a.partitionDir(partition))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	var days []string
	for _, e := range entries {
		if day, ok := strings.CutSuffix(e.Name(), eventsFile); ok {
			days = append(days, day)
		}
	}
	slices.Sort(days)
	return days, nil
}

// path names a file of a partition.
func (a *Archive) path(partition int32, day, kind string) string {
	return filepath.Join(a.partitionDir(partition), day+kind)
}

// frames lists the whole frames at the head of a file, by hopping from header
// to header. end is where the next one goes. Contents are checked when they
// are read, except those of the last frame of the newest file, which alone can
// be torn.
func frames(path string, newest bool) (infos []frameInfo, at []int64, end int64, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, 0, nil
	}
	if err != nil {
		return nil, nil, 0, fmt.Errorf("archive: %w", err)
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, nil, 0, fmt.Errorf("archive: %w", err)
	}
	header := make([]byte, frameHeader)
	for end+frameHeader <= size {
		if _, err := f.ReadAt(header, end); err != nil {
			return nil, nil, 0, fmt.Errorf("archive: %w", err)
		}
		info, err := parseHeader(header)
		if err != nil || end+info.size() > size {
			break
		}
		if newest && end+info.size() == size {
			_, packed, err := readFrame(f, end)
			if err != nil || checksum(info.header(), packed) != info.sum {
				break
			}
		}
		infos, at = append(infos, info), append(at, end)
		end += info.size()
	}
	return infos, at, end, nil
}

// Span is what the archive holds of a partition: [Start, End), and up to where
// frames are that were sealed at or before a time.
type Span struct {
	Start, End int64
	frames     []frameInfo
}

// Empty reports whether nothing is archived.
func (s Span) Empty() bool { return len(s.frames) == 0 }

// SealedBefore returns the offset below which everything was sealed at or
// before t, else Start.
func (s Span) SealedBefore(t time.Time) int64 {
	end := s.Start
	for _, f := range s.frames {
		if f.sealed > t.UnixMilli() {
			break
		}
		end = f.last + 1
	}
	return end
}

// Span returns what is archived of a partition.
func (a *Archive) Span(partition int32) (Span, error) {
	days, err := a.days(partition)
	if err != nil {
		return Span{}, err
	}
	var s Span
	for i, day := range days {
		infos, _, _, err := frames(a.path(partition, day, eventsFile), i == len(days)-1)
		if err != nil {
			return Span{}, err
		}
		s.frames = append(s.frames, infos...)
	}
	if len(s.frames) > 0 {
		s.Start, s.End = s.frames[0].first, s.frames[len(s.frames)-1].last+1
	}
	return s, nil
}
