package views

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"meridian/web/language"
)

// Locale is how numbers and dates are written for a reader. They are made as in
// English, and written as the reader's language has them when they are drawn, so
// that what handlers and memos keep is the same for all. The words around them are
// of package language.
type Locale struct {
	group, point string
	dates        *dateNames // nil: as they are made
	american     bool       // 3:05 PM
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
	tag := ""
	if tags := language.Preferred(header); len(tags) > 0 {
		tag = tags[0]
	}
	name, region, _ := strings.Cut(tag, "-")
	l := Locale{group: ",", point: ".", dates: datesOf[name]}
	switch {
	case tag == "en-us":
		l.american, l.dates = true, americanDates
	case region == "ch" || region == "li":
		l.group = "’"
	case name == "es" && region != "" && region != "es" && region != "ar" && region != "cl" && region != "co":
		// Most of America writes Spanish with a point.
	case slices.Contains(withDots, name):
		l.group, l.point = ".", ","
	case slices.Contains(withSpaces, name):
		l.group, l.point = thin, ","
	}
	return l
}

const weekdayNames = "Mon|Tue|Wed|Thu|Fri|Sat|Sun"

var (
	numerals = regexp.MustCompile(`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+`)
	dates    = regexp.MustCompile(`(?:\b(` + weekdayNames + `) )?\b(\d{1,2}) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b(?: (\d{4})\b)?|\b(` + weekdayNames + `)\b`)
	clocks   = regexp.MustCompile(`\b(\d\d):(\d\d)\b`)
)

// Local writes a text of ours for the reader: never one that comes from outside,
// in which a number may be a name.
func Local(ctx context.Context, text string) string {
	l, ok := ctx.Value(localeKey{}).(Locale)
	if !ok {
		return text
	}
	if l.group != "," || l.point != "." {
		text = numerals.ReplaceAllStringFunc(text, func(n string) string {
			return strings.NewReplacer(",", l.group, ".", l.point).Replace(n)
		})
	}
	if l.dates != nil {
		text = dates.ReplaceAllStringFunc(text, func(d string) string { return l.dates.write(dates.FindStringSubmatch(d)) })
	}
	if !l.american {
		return text
	}
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
