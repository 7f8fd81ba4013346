package web

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// evidenceMost is how many items are sorted and searched: the newest of a range.
// The store gives them by time alone, and a page must not read a year of a
// thousand repositories to find the longest; who needs all has the API.
const evidenceMost = 5000

// everyItem reads the newest items of a range, limit of them; most says that
// there are more.
func (g *Guard) everyItem(ctx context.Context, as metrics.AsOf, d *metrics.Definition, teams []string, service string, w timeline.Window, limit int) (rows []metrics.ObservationRow, most bool, err error) {
	cursor := ""
	for len(rows) < limit {
		more, next, err := g.Evidence(ctx, as, d, teams, service, w, cursor, min(1000, limit-len(rows)))
		if err != nil {
			return nil, false, err
		}
		rows = append(rows, more...)
		if cursor = next; cursor == "" {
			return rows, false, nil
		}
	}
	return rows, true, nil
}

// searchEvidence is a page of the evidence in an order, or of a kind, that the
// store does not know. Its cursor is a place in the list.
func (s *Server) searchEvidence(ctx context.Context, as metrics.AsOf, d *metrics.Definition, scope Scope, v view) (rows []metrics.ObservationRow, next string, most bool, err error) {
	from := 0
	if v.cursor != "" {
		if from, err = strconv.Atoi(v.cursor); err != nil || from < 0 {
			return nil, "", false, badRequest("The cursor is of another question. Begin again without one.")
		}
	}
	key := strings.Join([]string{"items", scope.Label, string(d.Name), v.service, v.window.String()}, "\x00")
	type found struct {
		rows []metrics.ObservationRow
		most bool
	}
	all, err := remember(&s.memo, as, key, func() (f found, err error) {
		f.rows, f.most, err = s.guard.everyItem(ctx, as, d, scope.Teams, v.service, v.window, evidenceMost)
		return f, err
	})
	if err != nil {
		return nil, "", false, err
	}
	words := strings.Fields(strings.ToLower(v.find))
	for _, o := range all.rows {
		if counted := o.Outcome == metrics.Observed; v.show == "counted" && !counted || v.show == "left-out" && counted {
			continue
		}
		text := strings.ToLower(o.Label + " " + string(o.Entity) + " " + o.Service + " " + string(o.Reason))
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			rows = append(rows, o)
		}
	}
	sortItems(rows, v.sort)
	if from > len(rows) {
		from = len(rows)
	}
	if rows = rows[from:]; len(rows) > evidencePage {
		rows, next = rows[:evidencePage], strconv.Itoa(from+evidencePage)
	}
	return rows, next, all.most, nil
}

// sortItems puts items in an order of orders. What has no value, because it does
// not count, stands at the end of the orders by value.
func sortItems(rows []metrics.ObservationRow, by string) {
	without := func(o *metrics.ObservationRow) int {
		if o.Outcome == metrics.Observed {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(rows, func(a, b metrics.ObservationRow) int {
		switch by {
		case "oldest":
			return cmp.Compare(a.At, b.At)
		case "longest":
			return cmp.Or(cmp.Compare(without(&a), without(&b)), cmp.Compare(b.Value, a.Value))
		case "shortest":
			return cmp.Or(cmp.Compare(without(&a), without(&b)), cmp.Compare(a.Value, b.Value))
		}
		return 0
	})
}
