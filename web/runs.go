package web

import (
	"context"

	"meridian/metrics"
)

// Runs are the generations that there are: the one that readers see, those beside
// it, and those before. Errors that whoever asked can act on are [*Error]. Safe for
// concurrent use.
type Runs interface {
	// Runs lists them, the newest first.
	Runs(ctx context.Context) (RunList, error)

	// Run returns one with all that is known of it.
	Run(ctx context.Context, number uint32) (Run, error)

	// Diff compares the points of two.
	Diff(ctx context.Context, q RunDiffQuery) (RunDiff, error)

	// Act does something with one, and says what it did.
	Act(ctx context.Context, action RunAction, number uint32, by string) (said string, err error)

	// Turn says in a sentence each what is coming and what has changed lately; ""
	// is nothing. It is asked for every page, and answers from memory.
	Turn() RunTurn
}

// RunAction is something that can be done with a run.
type RunAction string

// Actions.
const (
	PromoteRun  RunAction = "promote"  // readers see it
	RollbackRun RunAction = "rollback" // readers see again what it replaced
	DropRun     RunAction = "drop"
	ResumeRun   RunAction = "resume"
)

// RunTurn is what pages say of runs at their foot.
type RunTurn struct {
	Coming  string
	Changed string
	Run     uint32 // that has taken over, and which one it replaced
	Before  uint32
}

// RunList is the answer of /api/v1/runs.
type RunList struct {
	Current uint32 `json:"current"` // that readers see; 0: none yet
	Waits   string `json:"waits"`   // why a generation that is due does not begin yet, ""
	Items   []Run  `json:"items"`
}

// Run is one generation as people and programs see it.
type Run struct {
	Number  uint32      `json:"number"`
	Kind    string      `json:"kind"`  // first, import, upgrade, restate, audit
	State   string      `json:"state"` // computing, waiting, following, ready, promoting, live, kept, replaced, stands, lost, done
	Says    string      `json:"says"`  // the state in a sentence
	Reason  string      `json:"reason"`
	By      string      `json:"by"`
	Begun   *string     `json:"begun"`
	Ended   *string     `json:"ended"`
	Logic   int32       `json:"logic"`
	Catalog string      `json:"catalog"`
	Zones   string      `json:"zones"`
	Clock   *string     `json:"clock"`  // up to which its rows are in the tables
	Behind  float64     `json:"behind"` // seconds, to the one that readers see
	Limits  RunLimits   `json:"limits"`
	MaxRate int64       `json:"max_rate"`
	History RunProgress `json:"history"`
	Problem string      `json:"problem"`
	Audit   *RunAudit   `json:"audit"`
	Can     []RunAction `json:"can"`
	Kept    *string     `json:"kept_until"`
}

// RunLimits are what is written of a run; empty is everything.
type RunLimits struct {
	From    *string        `json:"from"`
	To      *string        `json:"to"`
	Teams   []string       `json:"teams"`
	Metrics []metrics.Name `json:"metrics"`
}

// RunProgress is how far the history of a run is.
type RunProgress struct {
	Done      int64   `json:"done"`
	Total     int64   `json:"total"`
	Share     float64 `json:"share"`
	Rate      float64 `json:"rate"` // deliveries and ticks a second
	ETA       int64   `json:"eta"`  // seconds; 0: over, or nobody knows
	EventTime *string `json:"event_time"`
	Text      string  `json:"text"`
}

// RunAudit is what an audit found.
type RunAudit struct {
	Of     uint32          `json:"of"`
	UpTo   *string         `json:"up_to"`
	Agrees bool            `json:"agrees"`
	Tables []RunAuditTable `json:"tables"`
}

// RunAuditTable is one pair of tables of an audit.
type RunAuditTable struct {
	Table     string   `json:"table"`
	Rows      uint64   `json:"rows"`
	Equal     uint64   `json:"equal"`
	Different uint64   `json:"different"`
	Missing   uint64   `json:"missing"` // were not computed again
	Extra     uint64   `json:"extra"`   // readers do not have
	Newer     uint64   `json:"newer"`   // were written anew while they were compared
	Examples  []string `json:"examples"`
}

// RunDiffQuery is what is wanted of a difference.
type RunDiffQuery struct {
	First, Second uint32 // 0: the one that readers see
	Teams         []string
	Metrics       []metrics.Name
	Grain         metrics.Grain
	From, To      *string
	Limit         int
	Cursor        string
}

// RunDiff is how the points of two runs differ, and why.
type RunDiff struct {
	First   uint32          `json:"first"`
	Second  uint32          `json:"second"`
	Causes  []RunCause      `json:"causes"` // of the whole: what the two were computed with
	Counts  []RunDiffCount  `json:"counts"`
	Windows []RunDiffWindow `json:"windows"`
	Next    *string         `json:"next"`
}

// Totals adds the counts up.
func (d RunDiff) Totals() (t RunDiffCount) {
	for _, c := range d.Counts {
		t.Equal, t.Other, t.OnlyFirst, t.OnlySecond = t.Equal+c.Equal, t.Other+c.Other, t.OnlyFirst+c.OnlyFirst, t.OnlySecond+c.OnlySecond
	}
	return t
}

// Differ is how many windows do.
func (c RunDiffCount) Differ() uint64 { return c.Other + c.OnlyFirst + c.OnlySecond }

// RunDiffCount is how the windows of one metric and grain agree.
type RunDiffCount struct {
	Metric     metrics.Name  `json:"metric"`
	Grain      metrics.Grain `json:"grain"`
	Equal      uint64        `json:"equal"`
	Other      uint64        `json:"other"`
	OnlyFirst  uint64        `json:"only_first"`
	OnlySecond uint64        `json:"only_second"`
}

// RunCause is why numbers differ.
type RunCause struct {
	Cause string `json:"cause"` // late, backfill, catalog, logic, settings, zones, newer, limits, unknown
	Text  string `json:"text"`
	Where string `json:"where"` // the line of the catalog
}

// RunDiffWindow is one window that differs.
type RunDiffWindow struct {
	Metric   metrics.Name  `json:"metric"`
	Team     string        `json:"team"`
	Service  string        `json:"service"`
	Grain    metrics.Grain `json:"grain"`
	Start    string        `json:"start"`
	End      string        `json:"end"`
	Unit     string        `json:"unit"`
	Withheld bool          `json:"withheld"` // about people: that it differs is all that is said
	First    *RunDiffSide  `json:"first"`    // null: there is no such row
	Second   *RunDiffSide  `json:"second"`
	Why      []RunCause    `json:"why"`
	Evidence RunEvidence   `json:"evidence"`
}

// RunDiffSide is a window in one of the two.
type RunDiffSide struct {
	N           int64    `json:"n"`
	Value       *float64 `json:"value"`
	Missing     string   `json:"missing"`
	Status      string   `json:"status"`
	LateDropped int64    `json:"late_dropped"`
}

// RunEvidence counts the observations behind a window that only one of the two has,
// or that both have with another value, and shows some.
type RunEvidence struct {
	OnlyFirst  int               `json:"only_first"`
	OnlySecond int               `json:"only_second"`
	Other      int               `json:"other"`
	AtLeast    bool              `json:"at_least"` // there are more than were looked at
	Items      []RunEvidenceItem `json:"items"`
}

// RunEvidenceItem is one of them.
type RunEvidenceItem struct {
	In    string `json:"in"` // first, second, both
	Item  string `json:"item"`
	Label string `json:"label"`
	URL   string `json:"url"`
	At    string `json:"at"`
	What  string `json:"what"` // observed, excluded: reason
}
