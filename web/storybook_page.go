package web

import (
	"net/http"

	"meridian/web/views"
)

// The storybook shows every component in every state that has a design, for people
// who work on pages. It is there in debug builds and in `go run ./web/storybook`.

func (s *Server) storybook(w http.ResponseWriter, r *http.Request) error {
	b := views.Storybook{Page: views.Page{Title: "Storybook", Nav: "storybook", Site: s.site(r), Chart: true}}
	for _, x := range views.Stories(b.Page.Site) {
		b.Links = append(b.Links, views.Link{ID: "story-" + x.Name, Text: x.Name, Href: s.site(r).Path("storybook", x.Name)})
		if !x.Whole {
			b.Stories = append(b.Stories, x)
		}
	}
	return s.render(w, r, http.StatusOK, b.Render())
}

func (s *Server) story(w http.ResponseWriter, r *http.Request) error {
	site := s.site(r)
	for _, x := range views.Stories(site) {
		if x.Name != r.PathValue("story") {
			continue
		}
		if x.Whole {
			return s.render(w, r, http.StatusOK, x.Component)
		}
		b := views.Storybook{Page: views.Page{Title: x.Name, Nav: "storybook", Site: site, Chart: true}, Stories: []views.Story{x}}
		return s.render(w, r, http.StatusOK, b.Render())
	}
	return notFound("There is no such story.")
}
