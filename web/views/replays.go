package views

// Replays lists the generations that there are, and what each is for.
type Replays struct {
	Page  Page
	Said  string
	Waits string // why one that is due does not begin yet
	Admin bool
	Items []Replay

	Exports []Link
}

// Replay is one generation.
type Replay struct {
	Number  string
	Kind    string
	State   string
	Mood    string // flowing, failing or ""
	Says    string
	Reason  string
	Begun   Time
	Clock   Time
	Percent int // of its history; 0 where that is over
	Running bool
	Facts   []Fact
	Href    string
	Diff    string // address of what differs; "" where there is nothing to compare
	Actions []Link
	Audit   ReplayAudit
}

// ReplayAudit is what an audit found.
type ReplayAudit struct {
	Shown    bool
	Verdict  string
	Rows     []ReplayAuditRow
	Examples []string
}

// ReplayAuditRow is one table.
type ReplayAuditRow struct {
	Table                                         string
	Rows, Equal, Different, Missing, Extra, Newer string
}

// ReplayPage is one generation with all that is known of it.
type ReplayPage struct {
	Page   Page
	Replay Replay
	Said   string
	Admin  bool
	Back   string
	Diff   ReplayDiff
}

// ReplayDiff is how two generations differ.
type ReplayDiff struct {
	Shown         bool
	First, Second string
	Summary       string
	Causes        []ReplayCause
	Counts        []ReplayCount
	Windows       []ReplayWindow
	More          string // address of what follows, ""
	Exports       []Link
}

// ReplayCause is why numbers differ.
type ReplayCause struct{ Text, Where string }

// ReplayCount is how the windows of one metric and grain agree.
type ReplayCount struct {
	Metric, Grain, Equal, Other, OnlyFirst, OnlySecond string
}

// ReplayWindow is one window that differs.
type ReplayWindow struct {
	Metric, Team, Service, Grain string
	Start                        Time
	First, Second                string
	Why                          []ReplayCause
	Evidence                     string
	Items                        []ReplayItem
}

// ReplayItem is one observation that is in one of the two alone, or otherwise.
type ReplayItem struct{ In, Text, Href string }

// ReplayAsk asks whether somebody means it.
type ReplayAsk struct {
	Page   Page
	Title  string
	Text   []string
	Action string
	Button string
	Back   string
}
