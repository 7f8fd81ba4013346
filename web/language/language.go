// Package language has every text of the pages, one file for each language. It
// does not know how numbers and dates are written, which is views.Locale, nor what
// a metric means: passports and reasons are the metrics' own, and the commands, the
// API and its errors speak them too, in English.
//
// Another language is a file beside english.go and a line in Languages; a test says
// which of its texts are missing.
//
// The surprising thing: a reader may have the words of one language and the numbers
// of another. Who asks for German gets the English page until there is a German one,
// and reads "3. März, 2.293" on it all the same.
package language

import (
	"context"
	"strconv"
	"strings"
)

// Languages are those that there are; the first is for everybody else.
var Languages = []*Words{English}

type key struct{}

// With puts the words of a language into a context.
func With(ctx context.Context, w *Words) context.Context { return context.WithValue(ctx, key{}, w) }

// Of returns the words that a context has, else English.
func Of(ctx context.Context) *Words {
	if w, _ := ctx.Value(key{}).(*Words); w != nil {
		return w
	}
	return English
}

// For returns the language that an Accept-Language header likes best of those that
// there are.
func For(header string) *Words {
	for _, tag := range Preferred(header) {
		for _, w := range Languages {
			if name, _, _ := strings.Cut(tag, "-"); tag == strings.ToLower(w.Tag) || name == strings.ToLower(w.Tag) {
				return w
			}
		}
	}
	return Languages[0]
}

// Preferred are the tags of an Accept-Language header in lower case, the best liked
// first, and of equals the one that stands first.
func Preferred(header string) (tags []string) {
	var weights []float64
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		weight := 1.0
		if text, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
			var err error
			if weight, err = strconv.ParseFloat(text, 64); err != nil {
				continue
			}
		}
		name = strings.ToLower(strings.TrimSpace(name))
		if name == "" || name == "*" || !(weight > 0) {
			continue
		}
		at := len(weights)
		for at > 0 && weights[at-1] < weight {
			at--
		}
		weights = append(weights[:at], append([]float64{weight}, weights[at:]...)...)
		tags = append(tags[:at], append([]string{name}, tags[at:]...)...)
	}
	return tags
}
