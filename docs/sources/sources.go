// Package sources holds the pages that say how each kind of source is connected,
// so that the program shows what the repository says. It knows nothing else.
package sources

import (
	"embed"
	"strings"
)

//go:embed *.md
var pages embed.FS

// names are the pages of each provider, the one that fits most people first.
var names = map[string][]string{
	"github": {"github"}, "jira": {"jira-cloud", "jira-data-center"}, "deploy": {"deploy"}, "argocd": {"argocd"}, "cdevents": {"cdevents"},
}

// Of returns the names of a provider's pages; nil where there is none.
func Of(provider string) []string { return names[provider] }

// Page returns a page's text, as Markdown; false where there is none of this name.
func Page(name string) ([]byte, bool) {
	data, err := pages.ReadFile(name + ".md")
	return data, err == nil
}

// Document is a page by its name, which is its address too.
type Document struct{ Name, Title string }

// Documents are all pages, in the order in which the index has them.
func Documents() (list []Document) {
	for _, name := range []string{"github", "jira-cloud", "jira-data-center", "deploy", "argocd", "cdevents"} {
		page, _ := Page(name)
		title, _, _ := strings.Cut(strings.TrimPrefix(string(page), "# "), "\n")
		list = append(list, Document{name, title})
	}
	return list
}

// Events are the events of a provider that are worth choosing, as its page lists
// them under "Which events"; "" where it has no such list. The page that a person
// connects a source by says the same: there is one list.
func Events(provider string) string {
	for _, name := range names[provider] {
		page, _ := Page(name)
		_, rest, ok := strings.Cut(string(page), "\n## Which events\n\n")
		if !ok {
			continue
		}
		paragraph, _, _ := strings.Cut(rest, "\n\n")
		list, _, _ := strings.Cut(strings.ReplaceAll(paragraph, "\n", " "), ". ")
		return strings.TrimSuffix(list, ".")
	}
	return ""
}
