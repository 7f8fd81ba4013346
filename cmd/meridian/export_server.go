package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"

	"meridian/cmd/meridian/config"
	"meridian/metrics"
	"meridian/storage"
	"meridian/streaming/timeline"
)

// answerExport is GET /export of the admin address.
func (m *machine) answerExport(w http.ResponseWriter, r *http.Request) {
	v := r.URL.Query()
	f := exportFlags{what: v.Get("what"), format: v.Get("format"), from: v.Get("from"), to: v.Get("to")}
	v, err := f.values()
	if err != nil {
		answerProblem(w, http.StatusBadRequest, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	out := &lateWriter{to: w}
	switch v.Get("what") {
	case "deliveries":
		err = exportArchive(r.Context(), m.log, out)
	case "catalog":
		err = exportCatalog(ledger{m.control}, out)
	default:
		err = exportRows(r.Context(), m.database.Database, m.config, v, out)
	}
	switch {
	case err == nil:
	case out.began:
		m.app.log.Error("an export broke off", "what", v.Get("what"), "error", err)
		panic(http.ErrAbortHandler) // half a file is none: whoever asked sees that it broke off
	case errors.Is(err, storage.ErrNothingYet), errors.Is(err, errNoCatalog):
		answerProblem(w, http.StatusNotFound, err.Error())
	default:
		answerProblem(w, http.StatusServiceUnavailable, err.Error())
	}
}

// lateWriter knows whether an answer has begun, so that an error before that has
// an answer of its own.
type lateWriter struct {
	to    io.Writer
	began bool
}

func (w *lateWriter) Write(b []byte) (int, error) {
	w.began = true
	return w.to.Write(b)
}

// exportRows writes points or evidence. ClickHouse formats them, but for points as
// lines: those are the lines of `replay --print`, with all that is made of their state.
func exportRows(ctx context.Context, d *storage.Database, c config.Config, v url.Values, to io.Writer) error {
	from, until := timeline.Millis(-1<<62), timeline.Millis(1<<62)
	for name, at := range map[string]*timeline.Millis{"from": &from, "to": &until} {
		if text := v.Get(name); text != "" {
			t, err := timeline.ParseInstant(text)
			if err != nil {
				return err
			}
			*at = t
		}
	}
	if v.Get("what") == "points" && v.Get("format") == "jsonl" {
		return exportPoints(ctx, d, c, from, until, to)
	}
	f := exportFormats[v.Get("format")]
	return d.Export(ctx, storage.Exported(v.Get("what")), f.format, f.header, from, until, to)
}

func exportPoints(ctx context.Context, d *storage.Database, c config.Config, from, until timeline.Millis, to io.Writer) error {
	known, err := metrics.With(variationsOf(c.Metrics))
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(to, 64<<10)
	var line []byte
	err = d.NewReader().Knowing(known...).Seen(ctx, from, until, func(p *metrics.Point) error {
		line = append(p.AppendJSON(line[:0]), '\n')
		_, err := out.Write(line)
		return err
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

var errNoCatalog = errors.New("the instance keeps no catalog file: there is none (each repository is its own team), or the program made it, as the demo's; `meridian catalog show` prints what is in force")

// exportCatalog writes the catalog that the newest generation is pinned to, as it
// was read: the one file, or those of a folder as YAML documents with their names,
// which are a catalog as they are.
func exportCatalog(l ledger, to io.Writer) error {
	m, any, err := currentManifest(l.control)
	if err != nil {
		return err
	}
	if !any {
		return errNoCatalog
	}
	files, ok, err := l.catalogFiles(m.CatalogHash)
	if err != nil {
		return err
	}
	if !ok || len(files) == 0 {
		return errNoCatalog
	}
	out := bufio.NewWriter(to)
	for _, f := range files {
		if len(files) > 1 {
			fmt.Fprintf(out, "--- # %s\n", filepath.Base(f.Name))
		}
		if _, err := out.Write(f.Data); err != nil {
			return err
		}
		if len(files) > 1 && !bytes.HasSuffix(f.Data, []byte("\n")) {
			_ = out.WriteByte('\n') // Flush tells
		}
	}
	return out.Flush()
}
