package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"meridian/ingest"
	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// replayGeneration is the generation of points that come from a file.
const replayGeneration streaming.Generation = 1

// replayInput computes an archive in this process and prints its points.
func (a *app) replayInput(ctx context.Context, f replayFlags) (err error) {
	if err := f.validate(); err != nil {
		return err
	}
	c := catalog.Empty(catalog.Options{Zone: timeline.UTC()})
	if f.catalog != "" {
		if c, err = readCatalog(f.catalog, nil, timeline.UTC()); err != nil {
			return err
		}
	}
	archive, err := openArchiveFile(f.input, a.in)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, archive.close()) }()
	decoders := decoders(c)
	d := defaultPins(c)
	d.generation = replayGeneration
	if f.mode == "restate" {
		if d.historyEnd, err = archive.end(ctx, f); err != nil {
			return err
		}
	}
	atEnd := f.final || f.mode == "restate"
	p, err := newPipeline(d, atEnd)
	if err != nil {
		return err
	}
	out := &printer{out: bufio.NewWriterSize(a.out, 64<<10), grains: f.grains}
	emit := func(metrics.Row) {}
	if f.print && !atEnd {
		emit = out.row
	}
	bad, err := archive.each(ctx, f, p.engine.Due, func(line ingest.ArchiveLine) error {
		if line.Delivery == nil {
			p.feed(line.Control(), emit)
		} else {
			_, l := ingest.DecodeArchived(decoders[line.Delivery.Provider], *line.Delivery)
			p.feed(ingest.Entry{Delivery: l}, emit)
		}
		return out.err
	})
	if err == nil && f.print && atEnd {
		for point := range p.engine.Final() {
			out.point(point)
		}
	}
	if err := errors.Join(err, out.close()); err != nil {
		return err
	}
	if f.summary != "" {
		if err := writeSummary(f.summary, p.counts()); err != nil {
			return err
		}
	}
	if bad > 0 {
		return withCode(exitPartly, fmt.Errorf("%d lines of %s are no archive lines and were passed over", bad, f.input))
	}
	return nil
}

// each calls take with every delivery and tick of the archive, in order. bad
// counts lines that are no archive lines, where those are to be skipped.
func (a *archiveFile) each(ctx context.Context, f replayFlags, due func() timeline.Millis, take func(ingest.ArchiveLine) error) (bad int, err error) {
	lines, hasTicks, err := a.read()
	if err != nil {
		return 0, err
	}
	defer lines.Close()
	ticks := ingest.ArchiveTicks{Lines: hasTicks, Due: due}
	if f.until != "" {
		until, err := timeline.ParseInstant(f.until)
		if err != nil {
			return 0, withCode(exitUsage, err)
		}
		ticks.Until = &until
	}
	ticked := ingest.NewTickedArchive(lines, ticks)
	for {
		if err := ctx.Err(); err != nil {
			return bad, err
		}
		line, err := ticked.Next()
		var broken *ingest.LineError
		switch {
		case errors.Is(err, io.EOF):
			return bad, nil
		case errors.As(err, &broken) && f.skipBad:
			bad++
			continue
		case broken != nil:
			return bad, fmt.Errorf("%s: %w; --skip-bad counts such lines and goes on", f.input, err)
		case err != nil:
			return bad, fmt.Errorf("%s: %w", f.input, err)
		}
		if err := take(line); err != nil {
			return bad, err
		}
	}
}

// end returns the round of the last tick, where a restated history ends.
func (a *archiveFile) end(ctx context.Context, f replayFlags) (end streaming.Round, err error) {
	never := func() timeline.Millis { return math.MaxInt64 }
	_, err = a.each(ctx, f, never, func(line ingest.ArchiveLine) error {
		if line.IsTick() {
			end = max(end, streaming.RoundOf(line.Tick))
		}
		return nil
	})
	return end, err
}

// printer writes points as lines.
type printer struct {
	out    *bufio.Writer
	grains []string // only these; nil: all
	line   []byte
	err    error
}

func (pr *printer) point(p *metrics.Point) {
	if pr.err != nil || pr.grains != nil && !slices.Contains(pr.grains, string(p.Grain)) {
		return
	}
	pr.line = append(p.AppendJSON(pr.line[:0]), '\n')
	_, pr.err = pr.out.Write(pr.line)
}

func (pr *printer) row(r metrics.Row) {
	if p, ok := r.(*metrics.Point); ok {
		pr.point(p)
	}
}

func (pr *printer) close() error {
	if err := errors.Join(pr.err, pr.out.Flush()); err != nil {
		return fmt.Errorf("cannot print the points: %w", err)
	}
	return nil
}

// summary is what --summary writes. Each event is counted once, copies for teams are none.
type summary struct {
	Deliveries   int64            `json:"deliveries"`
	Ignored      int64            `json:"ignored"`
	Undecodable  int64            `json:"undecodable"`
	Decoded      int64            `json:"decoded"`
	Accepted     int64            `json:"accepted"`
	LateAccepted int64            `json:"late_accepted"`
	LateDropped  int64            `json:"late_dropped"`
	Duplicates   int64            `json:"duplicates"`
	Quarantined  int64            `json:"quarantined"`
	ByReason     map[string]int64 `json:"by_reason"`

	// LateByAPI is how many of LateDropped an API read has brought, beyond the
	// horizon: with --mode restate they are accepted. Left out where there are none.
	LateByAPI int64 `json:"late_by_api,omitempty"`
}

func writeSummary(path string, n ingest.Counts) error {
	data, err := json.MarshalIndent(summary{
		Deliveries: n.Deliveries, Ignored: n.Ignored, Undecodable: n.Undecodable, Decoded: n.Decoded, Accepted: n.Accepted,
		LateAccepted: n.LateAccepted, LateDropped: n.Late, Duplicates: n.Duplicates, Quarantined: n.Quarantined, ByReason: n.ByReason, LateByAPI: n.LateByAPI,
	}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("cannot write the summary: %w", err)
	}
	return nil
}

// archiveFile is an archive that can be read twice: to see whether it has
// ticks, and for good. Standard input is kept in a file that has no name.
type archiveFile struct{ file *os.File }

func openArchiveFile(path string, stdin io.Reader) (*archiveFile, error) {
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("cannot read the archive: %w", err)
		}
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, errors.Join(fmt.Errorf("%s is a directory, and --input takes one archive file; name a file in it, or `meridian export` writes one of all", path), f.Close())
		}
		return &archiveFile{f}, nil
	}
	f, err := os.CreateTemp("", "meridian-input-*")
	if err != nil {
		return nil, fmt.Errorf("cannot keep standard input: %w", err)
	}
	_, err = io.Copy(f, stdin)
	if err := errors.Join(err, os.Remove(f.Name())); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot keep standard input: %w", err), f.Close())
	}
	return &archiveFile{f}, nil
}

func (a *archiveFile) read() (lines *ingest.ArchiveReader, hasTicks bool, err error) {
	for _, step := range []func() error{
		a.rewind,
		func() error { hasTicks, err = ingest.HasTicks(a.file); return err },
		a.rewind,
		func() error { lines, err = ingest.NewArchiveReader(a.file); return err },
	} {
		if err := step(); err != nil {
			return nil, false, err
		}
	}
	return lines, hasTicks, nil
}

func (a *archiveFile) rewind() error {
	_, err := a.file.Seek(0, io.SeekStart)
	return err
}

func (a *archiveFile) close() error { return a.file.Close() }

// defaultPins are those of a configuration that says nothing.
func defaultPins(c *catalog.Catalog) pins {
	return pins{
		eventPartitions: 1,
		horizon:         metrics.DefaultHorizon,
		bounds: map[event.Source]timeline.Millis{
			event.GitHub: 5 * timeline.Minute, event.Jira: 15 * timeline.Minute, event.Deploy: 10 * timeline.Minute,
		},
		futureSkew:  10 * timeline.Minute,
		definitions: metrics.Definitions(),
		catalog:     c,
	}
}
