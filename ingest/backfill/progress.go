package backfill

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"meridian/streaming/timeline"
)

// Progress is how far a job is.
type Progress struct {
	Unit     string  `json:"unit"`       // repository or project that is being read
	Units    int     `json:"units"`      // of all
	Complete int     `json:"complete"`   // of Units
	Items    int     `json:"items"`      // of the unit: pull requests, issues, deployments
	Read     int     `json:"read"`       // of Items
	Days     int64   `json:"days"`       // asked for
	DaysRead int64   `json:"days_read"`  // of Days, on average over units, from today backwards
	Share    float64 `json:"share"`      // of the whole, between 0 and 1
	Requests int64   `json:"requests"`   // sent so far
	Budget   string  `json:"budget"`     // what the API has left, or for what it waits
	Appended int64   `json:"deliveries"` // put on the log
}

// Importing is what pages say: "41 of 90 days".
func (p Progress) Importing() string {
	return fmt.Sprintf("%d of %d days", min(p.DaysRead, p.Days), p.Days)
}

// String is one line for a terminal.
func (p Progress) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d", p.Complete, p.Units)
	if p.Unit != "" {
		fmt.Fprintf(&b, ", %s: %d of %d", p.Unit, p.Read, p.Items)
	}
	fmt.Fprintf(&b, "; %s; %d deliveries", p.Importing(), p.Appended)
	if p.Budget != "" {
		b.WriteString("; " + p.Budget)
	}
	return b.String()
}

// Tracker works out a job's progress while it reads.
type Tracker struct {
	Since, Now timeline.Millis
	p          Progress
	report     func(Progress)
	budget     func() Budget
	part       float64 // of the current unit
	back       int64   // days that the current unit has come back; -1: nobody knows
}

// NewTracker returns a tracker of a work's units.
func NewTracker(w Work, budget func() Budget) *Tracker {
	days := max(1, int64((w.Now-w.Since+timeline.Day-1)/timeline.Day))
	return &Tracker{back: -1, Since: w.Since, Now: w.Now, report: w.Report, budget: budget, p: Progress{Days: days}}
}

// Units says how many there are, and how many of them were complete before.
func (t *Tracker) Units(all, complete int) {
	t.p.Units, t.p.Complete = all, complete
	t.show()
}

// Begin says that a unit is read now, with so many items.
func (t *Tracker) Begin(unit string, items int) {
	t.p.Unit, t.p.Items, t.p.Read, t.part, t.back = unit, items, 0, 0, -1
	t.show()
}

// Item counts one that has been read, and was changed then; the zero time where
// items do not come by date.
func (t *Tracker) Item(at time.Time) {
	if !at.IsZero() {
		t.back = max(0, int64((t.Now-timeline.FromTime(at))/timeline.Day))
	}
	t.p.Read++
	if t.p.Items > 0 {
		t.part = min(1, float64(t.p.Read)/float64(t.p.Items))
	}
	t.show()
}

// Appended says that so many deliveries are on the log.
func (t *Tracker) Appended(n int64) { t.p.Appended = n }

// End says that the unit is complete.
func (t *Tracker) End() {
	t.p.Complete++
	t.p.Unit, t.p.Items, t.p.Read, t.part, t.back = "", 0, 0, 0, -1
	t.show()
}

// Progress returns how far it is.
func (t *Tracker) Progress() Progress {
	p := t.p
	if p.Units > 0 {
		p.Share = min(1, (float64(p.Complete)+t.part)/float64(p.Units))
	}
	p.DaysRead = int64(p.Share * float64(p.Days))
	if t.back >= 0 && p.Units > 0 {
		p.DaysRead = (int64(p.Complete)*p.Days + min(t.back, p.Days)) / int64(p.Units)
	}
	if t.budget != nil {
		b := t.budget()
		p.Requests, p.Budget = b.Requests, b.String()
	}
	return p
}

func (t *Tracker) show() {
	if t.report != nil {
		t.report(t.Progress())
	}
}

// Report is what a job has read, a row for each unit.
type Report struct {
	Since string `json:"since"`
	Rows  []Row  `json:"rows"`
	Total Counts `json:"total"`
}

// Row is one repository or project.
type Row struct {
	Unit string `json:"unit"`
	Counts
	Problem string `json:"problem,omitempty"`
}

// NewReport makes a report of a state, by name.
func NewReport(w Work, s *State) Report {
	r := Report{Since: w.Since.String(), Rows: []Row{}}
	for _, name := range slices.Sorted(maps.Keys(s.Units)) {
		u := s.Units[name]
		r.Rows = append(r.Rows, Row{Unit: name, Counts: u.Counts, Problem: u.Problem})
		r.Total.Add(u.Counts)
	}
	return r
}

// Failed counts the units that could not be read.
func (r Report) Failed() (n int) {
	for _, row := range r.Rows {
		if row.Problem != "" {
			n++
		}
	}
	return n
}

// Table is the report as text, in columns.
func (r Report) Table() string {
	cells := [][]string{{"", "pull requests", "reviews", "comments", "commits", "deployments", "issues", "transitions", "deliveries"}}
	line := func(name string, c Counts) {
		row := []string{name}
		for _, n := range []int64{c.PullRequests, c.Reviews, c.Comments, c.Commits, c.Deployments, c.Issues, c.Transitions, c.Deliveries} {
			row = append(row, fmt.Sprint(n))
		}
		cells = append(cells, row)
	}
	for _, row := range r.Rows {
		line(row.Unit, row.Counts)
	}
	line("total", r.Total)
	width := make([]int, len(cells[0]))
	for _, row := range cells {
		for i, c := range row {
			width[i] = max(width[i], len(c))
		}
	}
	var b strings.Builder
	for n, row := range cells {
		fmt.Fprintf(&b, "%-*s", width[0], row[0])
		for i, c := range row[1:] {
			fmt.Fprintf(&b, "  %*s", width[i+1], c)
		}
		b.WriteByte('\n')
		if n > 0 && n <= len(r.Rows) && r.Rows[n-1].Problem != "" {
			fmt.Fprintf(&b, "  not complete: %s\n", r.Rows[n-1].Problem)
		}
	}
	return b.String()
}
