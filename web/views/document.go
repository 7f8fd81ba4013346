package views

// Document is a page of the documentation.
type Document struct {
	Page   Page
	Title  string
	HTML   string // drawn from the repository's own Markdown
	Others []Link
}
