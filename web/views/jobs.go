package views

// Jobs is the long work that the sources page shows.
type Jobs struct {
	Admin   bool   // may start and cancel
	Starts  []Link // to forms that ask what to read
	Hints   []string
	Items   []Job
	Running bool // any is not over
}

// Job is one.
type Job struct {
	ID, Kind, What, State string
	Since                 Time
	Running, Over         bool
	Percent               int
	Importing             string // importing: 41 of 90 days
	Text                  string
	Facts                 []string // rate, time left
	Error                 string
	Cancel                string
}

// ImportForm asks what history to read.
type ImportForm struct {
	Page         Page
	Kind, From   string
	Jira         bool
	APIs         []string
	Action, Back string
	Admin        bool
	Trouble      string
}
