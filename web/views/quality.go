package views

// Quality is the page of verdicts: what was not taken as it came, and why.
type Quality struct {
	Page       Page
	Period     string
	Ranges     []Link
	Rows       []Verdicts
	Rejects    []Reject
	Earlier    bool // more were received before the range
	Unread     []Unread
	Asides     Asides
	Late       []Late
	Bounds     []Bound
	Gaps       []Gap
	Measured   bool   // bounds are known here
	Unreadable string // how many deliveries no event could be made of; "" for none
	Older      string
	Newest     string

	Exports, RejectExports []Link
}

// Verdicts are the counts of one source and kind.
type Verdicts struct {
	Source, Kind                                             string
	Decoded, Accepted, Late, Duplicates, Refused, Backfilled string
	Dropped                                                  string
	Total                                                    bool
}

// Unread counts the deliveries of a source that no event could be made of.
type Unread struct {
	Source, Name, N, Why string
	At                   Time
}

// Reject is one event that was not accepted.
type Reject struct {
	Verdict, Reason, Detail string
	Source, Kind, Entity    string
	Team                    string
	Time, Received          Time
}

// Why is the verdict with its reason, where that says more.
func (r Reject) Why() string {
	if r.Reason == "" || r.Reason == r.Verdict {
		return r.Verdict
	}
	return r.Verdict + ": " + r.Reason
}

// Bound is a source's bound beside what was measured.
type Bound struct {
	Source, Wait, Events, Late string
	P50, P99, Max              string
	For1, ForTen, Says         string
	Exceeded                   bool
}

// Gap is a time in which deliveries may be missing.
type Gap struct {
	Source, Team, Length string
	From, To             Time
}
