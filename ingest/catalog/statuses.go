package catalog

import "meridian/ingest/event"

// Category is what a status means: by the catalog where that names it, else as
// the payload says, else by its name if that is a well-known one, else in
// progress. The zero Status has none.
func (c *Catalog) Category(s event.Status) event.StatusCategory {
	name := fold(s.Name)
	if category, ok := c.statuses[name]; ok {
		return category
	}
	if s.Category != event.CategoryUnknown {
		return s.Category
	}
	switch name {
	case "":
		return event.CategoryUnknown
	case "to do", "open", "backlog", "new":
		return event.CategoryToDo
	case "done", "closed", "resolved":
		return event.CategoryDone
	}
	return event.CategoryInProgress
}
