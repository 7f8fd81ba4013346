package views

import (
	"context"
	"regexp"
	"strconv"
	"strings"
)

// Locale is how numbers and dates are written for a reader. The words of pages are
// English, for everybody; their numbers are made as in English too, and written as
// the reader's language has them when they are drawn, so that what handlers and
// memos keep is the same for all.
type Locale struct {
	group, point string
	american     bool // Mar 3, 3:05 PM
}

type localeKey struct{}

// Separators by language; what is not listed is as in English.
var (
	withDots   = strings.Fields("de es it nl pt id tr da el hr sl ro vi ca sr bs gl eu is mk")
	withSpaces = strings.Fields("fr cs sk pl ru uk bg fi nb nn no sv hu lt lv et be kk hy ka")
)

// WithLocale puts the locale of an Accept-Language header into a context.
func WithLocale(ctx context.Context, header string) context.Context {
	l := localeOf(header)
	if l == (Locale{group: ",", point: "."}) {
		return ctx // as numbers are made
	}
	return context.WithValue(ctx, localeKey{}, l)
}

// localeOf reads the tag that is liked best.
func localeOf(header string) Locale {
	best, tag := 0.0, ""
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		q := 1.0
		if text, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
			var err error
			if q, err = strconv.ParseFloat(text, 64); err != nil {
				continue
			}
		}
		if name = strings.TrimSpace(name); q > best && name != "" && name != "*" {
			best, tag = q, strings.ToLower(name)
		}
	}
	language, region, _ := strings.Cut(tag, "-")
	l := Locale{group: ",", point: "."}
	has := func(list []string) bool {
		for _, name := range list {
			if name == language {
				return true
			}
		}
		return false
	}
	switch {
	case tag == "en-us":
		l.american = true
	case region == "ch" || region == "li":
		l.group = "’"
	case language == "es" && region != "" && region != "es" && region != "ar" && region != "cl" && region != "co":
		// Most of America writes Spanish with a point.
	case has(withDots):
		l = Locale{group: ".", point: ","}
	case has(withSpaces):
		l = Locale{group: thin, point: ","}
	}
	return l
}

var (
	numerals = regexp.MustCompile(`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+`)
	dates    = regexp.MustCompile(`\b(\d{1,2}) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b(?: (\d{4}))?`)
	clocks   = regexp.MustCompile(`\b(\d\d):(\d\d)\b`)
)

// Local writes a text of ours for the reader: never one that comes from outside,
// in which a number may be a name.
func Local(ctx context.Context, text string) string {
	l, ok := ctx.Value(localeKey{}).(Locale)
	if !ok {
		return text
	}
	if !l.american {
		return numerals.ReplaceAllStringFunc(text, func(n string) string {
			return strings.NewReplacer(",", l.group, ".", l.point).Replace(n)
		})
	}
	text = dates.ReplaceAllStringFunc(text, func(d string) string {
		m := dates.FindStringSubmatch(d)
		if m[3] != "" {
			return m[2] + " " + m[1] + ", " + m[3]
		}
		return m[2] + " " + m[1]
	})
	return clocks.ReplaceAllStringFunc(text, func(c string) string {
		hour, half := int(c[0]-'0')*10+int(c[1]-'0'), "AM"
		if hour >= 12 {
			half = "PM"
		}
		if hour %= 12; hour == 0 {
			hour = 12
		}
		return strconv.Itoa(hour) + ":" + c[3:] + thin + half
	})
}
