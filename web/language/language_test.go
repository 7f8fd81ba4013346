package language_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"meridian/web/language"
)

// A language has every text.
func TestLanguages_AreWhole(t *testing.T) {
	for _, w := range language.Languages {
		groups := reflect.ValueOf(*w)
		for i := range groups.NumField() {
			group := groups.Field(i)
			if group.Kind() != reflect.Struct {
				continue
			}
			for k := range group.NumField() {
				if group.Field(k).IsZero() {
					t.Errorf("%s has no %s.%s", w.Tag, groups.Type().Field(i).Name, group.Type().Field(k).Name)
				}
			}
		}
	}
}

func TestFor_TakesWhatIsLikedBestOfWhatThereIs(t *testing.T) {
	german := *language.English
	german.Tag = "de"
	before := language.Languages
	language.Languages = []*language.Words{language.English, &german}
	t.Cleanup(func() { language.Languages = before })
	for header, want := range map[string]string{
		"": "en", "*": "en", "ja": "en", "de": "de", "de-CH, en": "de", "en-US,en;q=0.9,de;q=0.8": "en", "fr, de;q=0.5, en;q=0.2": "de", "de;q=0, en;q=0.1": "en", "de;q=x": "en",
	} {
		if got := language.For(header).Tag; got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
	if got := language.Preferred("a;q=0.1, B, c;q=0.5, d"); !slices.Equal(got, []string{"b", "d", "c", "a"}) {
		t.Error(got)
	}
	ctx := language.With(context.Background(), &german)
	if language.Of(ctx) != &german || language.Of(context.Background()) != language.English {
		t.Error("a context has another language than it was given")
	}
}

// Templates hold no text of their own: all that a person reads comes from here or
// from a struct.
func TestTemplates_HoldNoText(t *testing.T) {
	files, err := filepath.Glob("../views/*.templ")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no templates", err)
	}
	code := regexp.MustCompile(`(?s)<(script|title)[^>]*>.*?</(script|title)>|<(meta|link)[^>]*>|//[^\n]*|"[^"\n]*"|` + "`[^`]*`")
	text := regexp.MustCompile(`>\s*[^<>{}@]*[A-Za-z]{2,}[^<>{}@]*[<{@]`)
	attribute := regexp.MustCompile(`\b(title|aria-label|placeholder|alt)="[^"]*[a-z]`)
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(string(b), "\n") {
			if found := attribute.FindString(line); found != "" {
				t.Errorf("%s: %s", filepath.Base(file), strings.TrimSpace(line))
			}
			if bare := code.ReplaceAllString(line, ""); strings.HasPrefix(strings.TrimSpace(bare), "<") {
				if found := text.FindString(bare); found != "" {
					t.Errorf("%s: %s", filepath.Base(file), found)
				}
			}
		}
	}
}
