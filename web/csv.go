package web

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"meridian/metrics"
)

// Lists are JSON, or CSV for whoever asks for it: by Accept, or with format=csv,
// because a link cannot send a header. Columns are the JSON's fields under the
// same names; what is a list or an object there is its JSON in one cell.

// asCSV reports whether r wants CSV. An unknown format is the handler's error.
func asCSV(r *http.Request) bool {
	switch r.URL.Query().Get("format") {
	case "csv":
		return true
	case "json":
		return false
	}
	best, found := -1.0, false
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		q := 1.0
		if text, ok := params["q"]; ok {
			if q, err = strconv.ParseFloat(text, 64); err != nil {
				q = 0
			}
		}
		switch kind { // the first of equal ones wins, and JSON is what any wildcard gets
		case "text/csv", "application/json", "application/*", "*/*":
			if q > best {
				best, found = q, kind == "text/csv"
			}
		}
	}
	return found && best > 0
}

// writeList answers a list in the format that was asked for.
func writeList[T any](w http.ResponseWriter, r *http.Request, items []T, as metrics.AsOf, next string) error {
	nextLink(w, r, next)
	if !asCSV(r) {
		return writeJSON(w, list(items, as, next))
	}
	return writeCSV(w, r, items, as)
}

// nextLink names the next page in a header: CSV has no other place for it.
func nextLink(w http.ResponseWriter, r *http.Request, next string) {
	w.Header().Add("Vary", "Accept")
	if next == "" {
		return
	}
	q := r.URL.Query()
	q.Set("cursor", next)
	w.Header().Set("Link", "<"+(&url.URL{RawQuery: q.Encode()}).String()+`>; rel="next"`)
}

func writeCSV[T any](w http.ResponseWriter, r *http.Request, items []T, as metrics.AsOf) error {
	var b strings.Builder
	c := csv.NewWriter(&b)
	var fields [][]int
	var header []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			fields, header = append(fields, f.Index), append(header, name)
		}
	}
	_ = c.Write(header) // into memory
	row := make([]string, len(fields))
	for i := range items {
		v := reflect.ValueOf(&items[i]).Elem()
		for k, f := range fields {
			cell, err := csvCell(v.FieldByIndex(f))
			if err != nil {
				return fmt.Errorf("web: write an answer as CSV: %w", err)
			}
			row[k] = cell
		}
		_ = c.Write(row)
	}
	c.Flush()
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8; header=present")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": csvName(r)}))
	h.Set("Meridian-Generation", fmt.Sprint(as.Generation))
	if text := timeOrNull(as.Clock); text != nil {
		h.Set("Meridian-Clock", *text)
	}
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	_, _ = w.Write([]byte(b.String())) // an error means that the reader has gone
	return nil
}

// csvName is the file that a browser saves: points-pr_pickup_time-web.csv.
func csvName(r *http.Request) string {
	parts := []string{r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]}
	for _, name := range []string{"metric", "team", "scope"} {
		if v := r.URL.Query().Get(name); v != "" {
			parts = append(parts, v)
		}
	}
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' {
			return c
		}
		return '-'
	}, strings.Join(parts, "-"))
	return name[:min(len(name), 100)] + ".csv"
}

// formulas are how a cell begins that a spreadsheet would run. Titles and names
// come from outside, so text that begins so gets an apostrophe before it, which
// spreadsheets do not show.
const formulas = "=+-@\t\r"

func csvCell(v reflect.Value) (string, error) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "", nil
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		s := v.String()
		if s != "" && strings.IndexByte(formulas, s[0]) >= 0 {
			s = "'" + s
		}
		return s, nil
	case reflect.Map, reflect.Slice:
		if v.Len() == 0 {
			return "", nil
		}
	}
	b, err := json.Marshal(v.Interface())
	return strings.Trim(string(b), `"`), err
}

// csvPoints are points as JSON has them; the columns are the same whatever is asked.
func csvPoints(points []*metrics.Point) []metrics.PointJSON {
	out := make([]metrics.PointJSON, 0, len(points))
	for _, p := range points {
		out = append(out, p.JSON())
	}
	return out
}

// givenPoint has two columns more, of what it was.
type givenPoint struct {
	metrics.PointJSON
	GivenJSON
}

func givenPoints(points []*metrics.Point) []givenPoint {
	out := make([]givenPoint, 0, len(points))
	for _, p := range points {
		out = append(out, givenPoint{p.JSON(), givenJSON(p)})
	}
	return out
}

// format reads format=, which asCSV acts on.
func (p *params) format() { p.oneOf("format", "json", "csv") }
