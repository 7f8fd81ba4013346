package views

import "github.com/a-h/templ"

// Story is one component in one of its states. The storybook shows them to people,
// and a golden file holds the bytes of each.
type Story struct {
	Name      string // of its golden file, too
	Component templ.Component
	Whole     bool // it is a page, and not a part of one
}

// Stories are all components in all states that have a design, on a site.
func Stories(site Site) (all []Story) {
	for _, some := range [][]Story{frameStories(site), numberStories(), chartStories(), teamStories(site), metricStories(site), dayStories(site), sourceStories(site), runStories(site), accessStories(site)} {
		all = append(all, some...)
	}
	return all
}

// Storybook is the page that shows them.
type Storybook struct {
	Page    Page
	Stories []Story
	Links   []Link // to each alone
}
