package web

import "strings"

// Matrix prints who may have the answer of each route, as the table of
// docs/access.md. It is made of the routes themselves, so that it holds each.
func (s *Server) Matrix() string {
	columns := []struct {
		title  string
		reader *Reader
	}{
		{"nobody", &Reader{}},
		{"viewer", &Reader{ID: "v", Roles: Viewer, Every: true}},
		{"people", &Reader{ID: "p", Roles: Viewer | People, Every: true}},
		{"admin", &Reader{ID: "a", Roles: Viewer | Admin, Every: true}},
		{"only looks", &Reader{ID: "l", Roles: Viewer | Admin, Every: true, Looks: true}},
	}
	var b strings.Builder
	b.WriteString("| route |")
	for _, c := range columns {
		b.WriteString(" " + c.title + " |")
	}
	b.WriteString(" by token |\n| --- |" + strings.Repeat(" --- |", len(columns)+1) + "\n")
	for _, rt := range s.routes() {
		b.WriteString("| `" + rt.Method + " " + rt.Pattern + "` |")
		for _, c := range columns {
			switch {
			case rt.permits(c.reader):
				b.WriteString(" yes |")
			case c.reader.ID == "":
				b.WriteString(" sign in |")
			default:
				b.WriteString(" no |")
			}
		}
		switch {
		case rt.Access == Open || rt.Access == SignIn:
			b.WriteString(" needs none |\n")
		case rt.programs():
			b.WriteString(" yes |\n")
		default:
			b.WriteString(" no |\n")
		}
	}
	return b.String()
}
