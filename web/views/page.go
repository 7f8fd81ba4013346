package views

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"meridian/web/language"
)

// Page is what every page has around its content.
type Page struct {
	Title   string
	Nav     string // which entry of the navigation is current
	Site    Site
	Foot    Foot
	Notices []Notice
	Chart   bool // has a large chart: uPlot is loaded
	Live    bool // refreshes itself when rows have been written
	Poll    bool // refreshes itself every other second, for nothing tells it to
	Self    string
}

// Site is the same on all pages of a server.
type Site struct {
	Base    string // path under which it is reached, "" or /meridian
	Style   string // addresses of the files; "" where a file is missing
	Script  string
	Live    string // our script with htmx in it
	UPlot   string // and with uPlot
	UPlotUI string // its style sheet
	Icon    string
	Hidden  []string // entries of the navigation that lead the reader nowhere
	SignOut bool
	Tokens  bool // the reader can make API tokens
	Audit   bool // and see the audit log
}

// Path is the address of a page: segments are escaped, so that the team
// acme/web is one.
func (s Site) Path(segments ...string) string {
	if len(segments) == 0 {
		return s.Base + "/"
	}
	escaped := make([]string, len(segments))
	for i, p := range segments {
		escaped[i] = url.PathEscape(p)
	}
	return s.Base + "/" + strings.Join(escaped, "/")
}

// Foot names the computation that a page's numbers come from.
type Foot struct {
	Shown      bool
	Generation string
	Logic      string
	Catalog    string
	Zones      string
	Clock      Time
	Behind     string // "12 min", or ""
	Stands     bool   // no ticks are given, so it does not catch up

	Kept    string // until when numbers were kept and are not computed again; ""
	Coming  string // numbers of another generation, and when; ""
	Changed string // that another one took over lately; ""
	Runs    string // address of the runs
	Diff    string // address of what has changed
}

// Notice is a sentence above the content.
type Notice struct {
	Kind string // info, warn
	Text string
}

// Time is an instant as people read it, and exactly.
type Time struct {
	Text  string // 2 Mar, 14:05
	Exact string // 2026-03-02T13:05:00Z
}

// Value is one of three answers: a value, a zero, or no data with its reason.
type Value struct {
	Text   string // "" where there is no data
	Exact  string
	Reason string // a sentence, set exactly where Text is ""
}

// Change compares a value with the period before.
type Change struct {
	Text  string // ↓ 12 %
	Mood  string // better, worse, or "" where neither is, or it is the same
	Title string // 3 h before
}

// Stat is a metric's headline with its recent past.
type Stat struct {
	Metric   string
	Title    string
	Question string
	Href     string
	Value    Value
	Change   Change
	N        string // n = 42
	Detail   string // where there is room: p75 3 h, p90 4 h
	Usual    string // its own past: usually 2 h to 3 h
	Status   string // provisional, final, revised
	Few      bool   // too few observations to read much into it
	Spark    Spark
}

// entry is one of the navigation.
type entry struct{ name, title, path string }

// entries list what there is for the reader.
func (s Site) entries(ctx context.Context) []entry {
	say := language.Of(ctx)
	all := []entry{
		{"overview", say.Frame.Overview, ""},
		{"dora", say.DORA.DORA, "dora"},
		{"waiting", say.Frame.Waiting, "waiting"},
		{"sources", say.Common.Sources, "sources"},
		{"quality", say.Common.Quality, "quality"},
		{"catalog", say.Common.Catalog, "catalog"},
		{"replays", say.Common.Replays, "replays"},
		{"status", say.Common.Status, "status"},
	}
	return slices.DeleteFunc(all, func(e entry) bool { return slices.Contains(s.Hidden, e.name) })
}

// script is the one that the page needs: charts and refreshes come with the files
// that they are made of, where those are there.
func (p Page) script() string {
	switch {
	case p.Chart && p.Site.UPlot != "":
		return p.Site.UPlot
	case p.Live && p.Site.Live != "":
		return p.Site.Live
	}
	return p.Site.Script
}

// UpTo chooses the day with which a page's 30 days end.
type UpTo struct {
	Action         string
	Date, Latest   string   // 2026-03-02
	Earlier, Later string   // addresses of the 30 days before and after; "": there are none
	Newest         string   // address of the running ones; "": these are
	Rest           []Option // hidden fields: Text is the name
}

// statusWord is a status as the reader's language has it.
func statusWord(ctx context.Context, status string) string {
	say := &language.Of(ctx).Frame
	switch status {
	case "provisional":
		return say.Provisional
	case "revised":
		return say.Revised
	case "final":
		return say.Final
	}
	return status
}

func (s Site) nav(path string) string { return s.Base + "/" + path }

// trigger is what makes a page ask for itself again.
func (p Page) trigger() string {
	if p.Poll {
		return "rows from:body, every 2s"
	}
	return "rows from:body"
}

// pieces are a sentence's parts, of which every second is a command, which
// stands between backticks.
func pieces(sentence string) []string { return strings.Split(sentence, "`") }

// short is the beginning of a hash: enough to tell two apart by eye.
func short(hash string) string { return hash[:min(len(hash), 12)] }
