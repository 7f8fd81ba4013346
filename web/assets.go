package web

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"slices"
)

// Files that `make assets` fetched lie in static/vendor. The folder may be
// missing or empty in a fresh checkout: the program builds and the pages work
// all the same, without scripts.
//
//go:embed all:static
var files embed.FS

// vendored are the files that are not ours.
var vendored = [...]string{"vendor/htmx.min.js", "vendor/uPlot.iife.min.js", "vendor/uPlot.min.css"}

// assets are the files of the pages. Their addresses carry a hash of their
// content, so that browsers keep them for ever and never an old one.
type assets struct {
	byPath  map[string]asset
	missing []string
}

type asset struct {
	content []byte
	kind    string
	hash    string
}

func newAssets() (*assets, error) {
	a := &assets{byPath: map[string]asset{}}
	root, err := fs.Sub(files, "static")
	if err != nil {
		return nil, fmt.Errorf("web: open the files of the pages: %w", err)
	}
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		if name == "meridian.js" {
			content = lean(content)
		}
		a.put(name, content)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("web: read the files of the pages: %w", err)
	}
	// A page needs one file: our script, with the libraries that it uses. Together
	// they share a dictionary, which saves 400 bytes of the 40 KB that scripts may have: ours has most words in
	// common with htmx, and deflate looks back 32 KB.
	if h, u, own := a.byPath[vendored[0]].content, a.byPath[vendored[1]].content, a.byPath["meridian.js"].content; h != nil {
		a.put("vendor/live.js", slices.Concat(h, []byte("\n"), own))
		if u != nil {
			a.put("vendor/chart.js", slices.Concat(h, []byte("\n"), own, []byte("\n"), u))
		}
	}
	for _, name := range vendored {
		if _, ok := a.byPath[name]; !ok {
			a.missing = append(a.missing, name)
		}
	}
	return a, nil
}

func (a *assets) put(name string, content []byte) {
	sum := sha256.Sum256(content)
	a.byPath[name] = asset{content, kindOf(name), base64.RawURLEncoding.EncodeToString(sum[:6])}
}

var indents = regexp.MustCompile(`(?m)^\s*(//.*\n)?\s*`)

// lean takes the indents and comment lines out of our script, which has no text
// over several lines. htmx and uPlot leave us 2 KB of the 40 that scripts may have.
func lean(script []byte) []byte { return indents.ReplaceAll(script, nil) }

// kindOf does not ask the machine's own table of types, which differs.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	if t := mime.TypeByExtension(path.Ext(name)); t != "" {
		return t
	}
	return "application/octet-stream"
}

// address is where a file is served, or "" where it is missing.
func (a *assets) address(base, name string) string {
	f, ok := a.byPath[name]
	if !ok {
		return ""
	}
	return base + "/static/" + name + "?v=" + f.hash
}

func (s *Server) static(w http.ResponseWriter, r *http.Request) error {
	f, ok := s.assets.byPath[r.PathValue("file")]
	if !ok {
		return notFound("There is no such file.")
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("ETag", `W/"`+f.hash+`"`)
	h.Set("Cache-Control", "no-cache")
	if r.URL.Query().Get("v") == f.hash {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if matches(r, h.Get("ETag")) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	_, _ = w.Write(f.content) // an error means that the reader has gone
	return nil
}

func (s *Server) favicon(w http.ResponseWriter, r *http.Request) error {
	http.Redirect(w, r, s.assets.address(s.base, "mark.svg"), http.StatusFound)
	return nil
}
