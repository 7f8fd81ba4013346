// Package views draws pages: HTML and SVG out of plain structs that are shaped
// like the page. It knows how a number is written for people and where a line
// of a chart runs. It does not know what a metric means, who may see it, or
// where it comes from: whoever fills a struct has decided that.
//
// Components are pure: the same struct gives the same bytes, which the golden
// files hold. Text goes through templ, which escapes it for where it stands;
// nothing here writes raw HTML. The content security policy forbids inline
// scripts and styles, so there is no style attribute either: positions that
// depend on data are SVG attributes.
//
// The surprising thing: charts have no viewBox. Their text must not shrink with
// the window, so widths are per cent and heights are pixels, and only lines,
// which a viewBox may stretch, have one of their own.
package views
