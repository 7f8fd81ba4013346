package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
	"meridian/ingest"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// exportFlags say what is exported, and how.
type exportFlags struct {
	what, format string
	from, to     string
}

// Formats that ClickHouse writes; those of lines have one with a line of names.
var exportFormats = map[string]struct{ format, header string }{
	"jsonl":   {"JSONEachRow", "JSONEachRow"},
	"csv":     {"CSV", "CSVWithNames"},
	"parquet": {"Parquet", ""},
}

var exportKinds = []string{"deliveries", "points", "evidence", "catalog"}

func (a *app) exportCommand() *cobra.Command {
	var f exportFlags
	var dataDir string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "export FILE", Short: "Write deliveries, points, evidence or the catalog to a file", Args: usageArgs(cobra.ExactArgs(1)),
		Long: "Writes the log as a delivery archive with its ticks, which `meridian import` puts on another\n" +
			"instance and `meridian replay --input` computes. With --what it writes the points that pages\n" +
			"show, their evidence, or the catalog in force instead. A name that ends in .gz or .zst is\n" +
			"compressed; - is standard output. It asks the running server, or opens a stopped instance.",
		Example: "  meridian export deliveries.jsonl.zst\n  meridian export --what points --format parquet points.parquet",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.config(func(c *config.Config) { setIf(cmd, "data-dir", &c.DataDir, dataDir) })
			if err != nil {
				return err
			}
			values, err := f.values()
			if err != nil {
				return withCode(exitUsage, err)
			}
			wrote, err := a.export(cmd.Context(), c, values, args[0])
			if err != nil {
				return err
			}
			if asJSON && args[0] != "-" {
				return json.NewEncoder(a.out).Encode(wrote)
			}
			fmt.Fprintln(a.err, wrote)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.what, "what", "deliveries", "deliveries, points, evidence or catalog")
	flags.StringVar(&f.format, "format", "", "of points and evidence: jsonl (default), csv or parquet")
	flags.StringVar(&f.from, "from", "", "of points and evidence: from this instant or date on")
	flags.StringVar(&f.to, "to", "", "of points and evidence: up to this instant or date, which is not included")
	flags.StringVar(&dataDir, "data-dir", "", "the instance's data directory (default ./meridian-data)")
	flags.BoolVar(&asJSON, "json", false, "print what was written as JSON")
	return cmd
}

// values are the flags as a query, once they make sense.
func (f exportFlags) values() (url.Values, error) {
	if !slices.Contains(exportKinds, f.what) {
		return nil, fmt.Errorf("--what %q: use one of %s", f.what, strings.Join(exportKinds, ", "))
	}
	v := url.Values{"what": {f.what}}
	if f.what == "deliveries" || f.what == "catalog" {
		if f.format != "" && f.format != "jsonl" || f.from != "" || f.to != "" {
			return nil, fmt.Errorf("--format, --from and --to are for points and evidence; %s are written whole, as they are", f.what)
		}
		return v, nil
	}
	if f.format == "" {
		f.format = "jsonl"
	}
	if _, ok := exportFormats[f.format]; !ok {
		return nil, fmt.Errorf("--format %q: use jsonl, csv or parquet", f.format)
	}
	v.Set("format", f.format)
	for name, text := range map[string]string{"from": f.from, "to": f.to} {
		if text == "" {
			continue
		}
		if d, err := time.Parse(time.DateOnly, text); err == nil {
			text = timeline.FromTime(d).String()
		}
		if _, err := timeline.ParseInstant(text); err != nil {
			return nil, fmt.Errorf("--%s: %w", name, err)
		}
		v.Set(name, text)
	}
	return v, nil
}

// exportedFile is what export says that it did.
type exportedFile struct {
	File  string `json:"file"`
	What  string `json:"what"`
	Lines *int64 `json:"lines,omitempty"` // nil: Parquet has none. The names of CSV's columns are one
	Bytes int64  `json:"bytes"`
}

func (f exportedFile) String() string {
	name, lines := f.File, ""
	if name == "-" {
		name = "All of it"
	}
	if f.Lines != nil {
		lines = fmt.Sprintf("%d lines, ", *f.Lines)
	}
	return fmt.Sprintf("%s is written: %s%d bytes before compression.", name, lines, f.Bytes)
}

func (a *app) export(ctx context.Context, c config.Config, v url.Values, path string) (wrote exportedFile, err error) {
	out, err := createFile(path, a.out)
	if err != nil {
		return wrote, err
	}
	defer func() { err = errors.Join(err, out.close(err == nil)) }()
	counted := &countingWriter{to: out, progress: newExportProgress(a.err)}
	if a.server != "" || a.serverAnswers(ctx, c) {
		err = a.adminStream(ctx, c, http.MethodGet, "/export?"+v.Encode(), nil, counted)
	} else {
		err = a.exportHere(ctx, c, v, counted)
	}
	wrote = exportedFile{File: path, What: v.Get("what"), Bytes: counted.bytes}
	if v.Get("format") != "parquet" { // whose bytes only look like ends of lines
		wrote.Lines = &counted.lines
	}
	return wrote, err
}

// exportHere exports from an instance that no server runs on.
func (a *app) exportHere(ctx context.Context, c config.Config, v url.Values, to io.Writer) (err error) {
	if err := mustBeInstance(c.DataDir); err != nil {
		return err
	}
	if v.Get("what") == "points" || v.Get("what") == "evidence" {
		return a.withDatabase(ctx, c, func(ctx context.Context, r *results) error {
			// The engine is starting; once it answers, nothing is written twice.
			err := r.insist(ctx, func() error {
				_, err := r.NewReader().AsOf(ctx)
				return err
			})
			if err != nil {
				return err
			}
			return exportRows(ctx, r.Database, c, v, to)
		})
	}
	in, err := openInstance(ctx, c.DataDir, deliveryPartitions(c))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	l, err := openLog(ctx, c, in, a.log)
	if err != nil {
		return err
	}
	defer l.close()
	if v.Get("what") == "deliveries" {
		return exportArchive(ctx, l, to)
	}
	control, err := kafka.OpenControl(ctx, l.Config)
	if err != nil {
		return withCode(exitUnavailable, err)
	}
	defer control.Close()
	return exportCatalog(ledger{control}, to)
}

func exportArchive(ctx context.Context, l *deliveryLog, to io.Writer) error {
	out := ingest.NewArchiveWriter(to)
	return exportDeliveries(ctx, l, out.Write)
}

// countingWriter counts what is written, and shows it about once a second.
type countingWriter struct {
	to           io.Writer
	lines, bytes int64
	progress     func(lines, bytes int64)
}

func (w *countingWriter) Write(b []byte) (int, error) {
	n, err := w.to.Write(b)
	w.bytes += int64(n)
	w.lines += int64(bytes.Count(b[:n], []byte{'\n'}))
	w.progress(w.lines, w.bytes)
	return n, err
}

func newExportProgress(out io.Writer) func(lines, bytes int64) {
	shown := time.Now()
	return func(lines, bytes int64) {
		if time.Since(shown) >= time.Second {
			shown = time.Now()
			fmt.Fprintf(out, "%d lines, %d MiB\n", lines, bytes>>20)
		}
	}
}
