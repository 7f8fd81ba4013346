package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

// Jobs is the long work of an instance: reading history through the APIs of
// sources, asking for deliveries again. Errors that whoever asked can act on are
// [*Error].
type Jobs interface {
	// List returns all jobs that are kept, newest first.
	List() []Job

	// Imports says which history can be read from here.
	Imports() []Import

	// Start asks for a job, and Cancel ends one; both say what they did.
	Start(ctx context.Context, ask ImportAsk, by string) (said string, err error)
	Cancel(ctx context.Context, id, by string) (said string, err error)
}

// Job is one as pages and API show it.
type Job struct {
	ID, Kind, What, State, Error string
	Queued, Begun, Ended         timeline.Millis
	Runs                         int
	Progress                     JobProgress
}

// JobProgress is how far a job is.
type JobProgress struct {
	Share     float64         `json:"share"`
	Text      string          `json:"text"`      // a line, with what the API has left
	Importing string          `json:"importing"` // 41 of 90 days, or ""
	Done      int64           `json:"done"`
	Unit      string          `json:"unit"`
	Rate      float64         `json:"rate"`        // of Done, a second
	ETA       int64           `json:"eta_seconds"` // 0: nobody knows
	At        timeline.Millis `json:"-"`
}

// Over reports whether nothing more will happen.
func (j Job) Over() bool { return j.State != "queued" && j.State != "running" }

// Import is a kind of history that can be read.
type Import struct {
	Kind    string   // backfill github
	Source  string   // github, jira
	APIs    []string // their addresses, the first is the default
	Trouble string   // why it cannot be read: a sentence that says what to configure
}

// ImportAsk is what somebody asks to be read.
type ImportAsk struct {
	Kind         string
	API          string // one of Import.APIs; "": the first
	Organization string
	Repositories []string
	Projects     []string
	Since        string // 90d, or a date
}

// jobsShown is how many jobs that are over the page names.
const jobsShown = 5

// jobs is the part of the sources page about long work.
func (s *Server) jobs(r *http.Request) *views.Jobs {
	if s.config.Jobs == nil {
		return nil
	}
	site, say := s.site(r), language.Of(r.Context())
	v := &views.Jobs{Admin: s.admin(r)}
	for _, i := range s.config.Jobs.Imports() {
		if i.Trouble == "" {
			v.Starts = append(v.Starts, views.Link{Text: say.Sources.ImportFrom + " " + nameOf(say, i.Source), Href: site.Path("sources", "import") + "?from=" + i.Source})
		} else {
			v.Hints = append(v.Hints, i.Trouble)
		}
	}
	over := 0
	for _, j := range s.config.Jobs.List() {
		if j.Over() {
			if over++; over > jobsShown {
				continue
			}
		}
		v.Items = append(v.Items, s.job(say, j, site))
		v.Running = v.Running || !j.Over()
	}
	return v
}

func (s *Server) job(say *language.Words, j Job, site views.Site) views.Job {
	p := j.Progress
	v := views.Job{
		ID: j.ID, Kind: j.Kind, What: j.What, State: j.State, Error: s.local(j.Error), Since: s.moment(max(j.Queued, j.Begun)), Over: j.Over(),
		Cancel: site.Path("jobs", j.ID, "cancel"),
	}
	switch {
	case j.Over():
		v.Since = s.moment(j.Ended)
		v.Text = p.Text
	case j.State == "running":
		v.Percent, v.Running, v.Text = int(100*p.Share), true, p.Text
		if p.Importing != "" {
			v.Importing = say.Sources.ImportingJob(p.Importing)
		}
		if p.Rate > 0 && p.Unit != "" {
			v.Facts = append(v.Facts, say.Sources.JobRate(fmt.Sprintf("%.1f", p.Rate), p.Unit))
		}
		if p.ETA > 0 {
			v.Facts = append(v.Facts, say.Sources.JobLeft(views.Duration(float64(p.ETA))))
		}
		if j.Runs > 1 {
			v.Facts = append(v.Facts, say.Sources.JobAgain)
		}
	}
	return v
}

// importPage asks what history to read.
func (s *Server) importPage(w http.ResponseWriter, r *http.Request) error {
	p := newParams(r.URL.Query(), "from")
	from := p.text("from")
	if p.err != nil {
		return p.err
	}
	i, err := s.importFrom(from)
	if err != nil {
		return err
	}
	as, err := s.guard.AsOf(r.Context())
	if err != nil {
		return err
	}
	say := language.Of(r.Context())
	v := views.ImportForm{
		Page: s.page(r, say.Sources.ImportHistory, "sources", as), Kind: i.Kind, From: nameOf(say, i.Source), Jira: i.Source == "jira", APIs: i.APIs,
		Action: s.site(r).Path("sources", "import"), Back: s.site(r).Path("sources"), Admin: s.admin(r), Trouble: i.Trouble,
	}
	v.Page.Live = false // somebody types
	return s.render(w, r, http.StatusOK, v.Render())
}

func (s *Server) importFrom(source string) (Import, error) {
	if s.config.Jobs != nil {
		for _, i := range s.config.Jobs.Imports() {
			if i.Source == source {
				return i, nil
			}
		}
	}
	return Import{}, notFound("No history can be read from there. The sources page says what can be.")
}

// mostForm bounds what a form sends.
const mostForm = 64 << 10

func (s *Server) startImport(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, mostForm)
	if err := r.ParseForm(); err != nil {
		return badRequest("The form cannot be read.")
	}
	if s.config.Jobs == nil {
		return notFound("This server runs no jobs.")
	}
	words := func(name string) []string {
		return strings.FieldsFunc(r.PostFormValue(name), func(c rune) bool { return c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t' })
	}
	said, err := s.config.Jobs.Start(r.Context(), ImportAsk{
		Kind: r.PostFormValue("kind"), API: r.PostFormValue("api"), Organization: strings.TrimSpace(r.PostFormValue("org")),
		Repositories: words("repositories"), Projects: words("projects"), Since: cmp.Or(strings.TrimSpace(r.PostFormValue("since")), "90d"),
	}, byPage)
	return s.didJob(w, r, said, err)
}

func (s *Server) cancelJob(w http.ResponseWriter, r *http.Request) error {
	if s.config.Jobs == nil {
		return notFound("This server runs no jobs.")
	}
	said, err := s.config.Jobs.Cancel(r.Context(), r.PathValue("id"), byPage)
	return s.didJob(w, r, said, err)
}

func (s *Server) didJob(w http.ResponseWriter, r *http.Request, said string, err error) error {
	if err != nil {
		return err
	}
	s.sessions.Put(r.Context(), saidKey, said)
	http.Redirect(w, r, s.site(r).Path("sources"), http.StatusSeeOther)
	return nil
}

// JobJSON is one job.
type JobJSON struct {
	ID       string      `json:"id"`
	Kind     string      `json:"kind"`
	What     string      `json:"what"`
	State    string      `json:"state"`
	Queued   *string     `json:"queued"`
	Begun    *string     `json:"begun"`
	Ended    *string     `json:"ended"`
	Runs     int         `json:"runs"`
	Progress JobProgress `json:"progress"`
	Error    string      `json:"error"`
}

func (s *Server) apiJobs(w http.ResponseWriter, r *http.Request) error {
	p := newParams(r.URL.Query(), "format")
	if p.format(); p.err != nil {
		return p.err
	}
	as, err := s.guard.AsOf(r.Context())
	if err != nil {
		return err
	}
	var items []JobJSON
	if s.config.Jobs != nil {
		for _, j := range s.config.Jobs.List() {
			items = append(items, JobJSON{
				j.ID, j.Kind, j.What, j.State, timeOrNull(j.Queued), timeOrNull(j.Begun), timeOrNull(j.Ended), j.Runs, j.Progress, j.Error,
			})
		}
	}
	return writeList(w, r, items, as, "")
}
