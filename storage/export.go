package storage

import (
	"context"
	"errors"
	"fmt"
	"io"

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
// written once. Any other format is one statement.
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
		named := format
		if i == 0 && header != "" {
			named = header
		}
		answer, err := d.Raw(ctx, Raw{
			Text: string(text), Format: named,
			Settings: map[string]string{"date_time_output_format": "iso", "output_format_json_quote_64bit_integers": "0"},
			Params: map[string]string{
				"table": exportPair[what][0] + "_" + string(p.side), "generation": fmt.Sprint(uint32(p.generation)), "border": fmt.Sprint(int64(p.border)),
				"from": fmt.Sprint(int64(w.Start)), "to": fmt.Sprint(int64(w.End)),
			},
		})
		if err != nil {
			return err
		}
		_, err = io.Copy(out, answer)
		if err = errors.Join(err, answer.Close()); err != nil {
			return fmt.Errorf("storage: export %s: %w", what, err)
		}
	}
	return nil
}

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
