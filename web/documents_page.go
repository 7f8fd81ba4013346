package web

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"meridian/docs/sources"
	"meridian/web/views"
)

// Pages of docs/sources are Markdown in the repository, which a program that asks
// for one gets as it stands. A browser gets it in the layout of all pages, with
// links that lead to the other pages here.

// markdown draws what the repository's own pages use: it does not pass HTML on,
// so that comments in them stay where they are.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table))

var (
	linkTo   = regexp.MustCompile(`\]\(([a-z-]+)\.md(#[^)]*)?\)`)
	linkOut  = regexp.MustCompile(`\[([^\]]*)\]\(\.\./[^)]*\)`)
	mark     = regexp.MustCompile(`(?m)^<!--.*-->\n`)
	tableTag = regexp.MustCompile(`<table>`)
	preTag   = regexp.MustCompile(`<pre>`)
)

// sourceDocument is a page of docs/sources for a browser. It holds no secret and
// no address of this server, so anybody may read it, and nobody's session is asked.
func (s *Server) sourceDocument(w http.ResponseWriter, r *http.Request, name string, page []byte) error {
	text := string(mark.ReplaceAll(page, nil))
	text = linkTo.ReplaceAllStringFunc(text, func(link string) string {
		to := linkTo.FindStringSubmatch(link)
		return "](" + s.base + "/docs/sources/" + to[1] + to[2] + ")"
	})
	text = linkOut.ReplaceAllString(text, "$1") // to what is in the repository alone
	title, rest, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
	var b bytes.Buffer
	if err := markdown.Convert([]byte(rest), &b); err != nil {
		return fmt.Errorf("web: draw the page %s: %w", name, err)
	}
	html := tableTag.ReplaceAllString(b.String(), `<table class="numbers">`)
	html = preTag.ReplaceAllString(html, `<pre tabindex="0">`) // it scrolls
	v := views.Document{Page: views.Page{Title: title, Nav: "sources", Site: s.site(r)}, Title: title, HTML: html}
	for _, d := range sources.Documents() {
		v.Others = append(v.Others, views.Link{ID: "doc-" + d.Name, Text: d.Title, Href: s.site(r).Path("docs", "sources", d.Name), Current: d.Name == name})
	}
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Add("Vary", "Accept")
	return s.render(w, r, http.StatusOK, v.Render())
}

// sourceIndex is the page that says which sources there are.
func (s *Server) sourceIndex(w http.ResponseWriter, r *http.Request) error {
	return s.sourceNamed(w, r, "README")
}
