package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/streaming/timeline"
)

// Exported is what can be written to a file for others.
type Exported string

// What can be exported.
const (
	ExportPoints   Exported = "points"
	ExportEvidence Exported = "evidence"
)

// exportPair names the pair of tables of each, and the column that its windows or
// observations are dated by.
var exportPair = map[Exported][2]string{ExportPoints: {"points", "start"}, ExportEvidence: {"observations", "at"}}

// ErrNothingYet says that no generation has been computed.
var ErrNothingYet = errors.New("there are no numbers yet")

// Export writes what readers see of [from, to) in a format of ClickHouse, which
// writes it. A format of lines goes month by month, so that neither engine nor
// program holds it whole; header is its name where it has a line of names, which is
// written once. Any other format is one statement, whose answer the embedded engine
// writes to a file first: it would else hold it whole.
func (d *Database) Export(ctx context.Context, what Exported, format, header string, from, to timeline.Millis, out io.Writer) error {
	text, err := queries.ReadFile("queries/export_" + string(what) + ".sql")
	if err != nil {
		return fmt.Errorf("storage: %q is nothing that is exported", what)
	}
	p, err := d.find(ctx, 0)
	if err != nil {
		return err
	}
	if p.generation == 0 {
		return ErrNothingYet
	}
	pieces := []timeline.Window{{Start: clamp(from), End: clamp(to)}}
	if header != "" {
		if pieces, err = d.exportMonths(ctx, exportPair[what], p, pieces[0]); err != nil {
			return err
		}
	}
	for i, w := range pieces {
		q := Raw{
			Text: string(text), Format: format,
			Settings: map[string]string{
				"date_time_output_format": "iso", "output_format_json_quote_64bit_integers": "0",
				"max_bytes_before_external_sort": "268435456", "max_bytes_ratio_before_external_sort": "0",
			},
			Params: map[string]string{
				"table": exportPair[what][0] + "_" + string(p.side), "generation": fmt.Sprint(uint32(p.generation)), "border": fmt.Sprint(int64(p.border)),
				"from": fmt.Sprint(int64(w.Start)), "to": fmt.Sprint(int64(w.End)),
			},
		}
		if i == 0 && header != "" {
			q.Format = header
		}
		if header == "" && d.cfg.Scratch != "" {
			err = d.exportFile(ctx, q, out)
		} else {
			err = d.exportAnswer(ctx, q, out)
		}
		if err != nil {
			return fmt.Errorf("storage: export %s: %w", what, err)
		}
	}
	return nil
}

// exportAnswer copies an answer as it comes.
func (d *Database) exportAnswer(ctx context.Context, q Raw, out io.Writer) error {
	answer, err := d.Raw(ctx, q)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, answer)
	return errors.Join(err, answer.Close())
}

// exportFile has the embedded engine write a file, piece by piece, and copies that.
func (d *Database) exportFile(ctx context.Context, q Raw, out io.Writer) (err error) {
	dir, err := os.MkdirTemp(d.cfg.Scratch, ScratchPrefix)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "answer")
	q.Text = fmt.Sprintf("INSERT INTO FUNCTION file('%s', '%s') %s", strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(path), q.Format, q.Text)
	q.Format, q.Write = "", true // into the file, and into no table
	maps.Copy(q.Settings, map[string]string{
		"output_format_parquet_row_group_size": "65536", "output_format_parquet_parallel_encoding": "0", "max_insert_threads": "1",
	})
	if err := d.exportAnswer(ctx, q, io.Discard); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, f)
	return errors.Join(err, f.Close())
}

// ScratchPrefix begins the names of folders that exports make, and remove again. What
// a crash has left of them nobody needs.
const ScratchPrefix = ".export-"

// exportMonths cuts a span into the months that hold anything; the first begins and
// the last ends where the span does. There is always one, for the line of names.
func (d *Database) exportMonths(ctx context.Context, of [2]string, p place, span timeline.Window) ([]timeline.Window, error) {
	var starts []timeline.Millis
	err := d.query(ctx, "export_months", map[string]any{
		"table": of[0] + "_" + string(p.side), "column": of[1], "generation": uint32(p.generation), "border": int64(p.border), "from": int64(span.Start), "to": int64(span.End),
	}, func(rows driver.Rows) error {
		var at int64
		if err := rows.Scan(&at); err != nil {
			return err
		}
		starts = append(starts, timeline.Millis(at))
		return nil
	})
	if err != nil || len(starts) == 0 {
		return []timeline.Window{span}, err
	}
	windows := make([]timeline.Window, len(starts))
	for i, at := range starts {
		windows[i] = timeline.Window{Start: max(span.Start, at), End: span.End}
		if i > 0 {
			windows[i-1].End = windows[i].Start
		}
	}
	windows[0].Start = span.Start
	return windows, nil
}
