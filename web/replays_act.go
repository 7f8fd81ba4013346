package web

import (
	"fmt"
	"net/http"
	"slices"

	"meridian/web/views"
)

// asked are the things that somebody is asked about before they are done.
var asked = map[RunAction]struct {
	verb, title, button string
	text                []string
}{
	PromoteRun: {"Promote", "Promote run %d?", "Promote", []string{
		"Readers see its numbers when it has caught up. The step is one for all pages: nobody sees half of it.",
		"What readers see now is kept for 7 days and can be gone back to.",
	}},
	RollbackRun: {"Roll back", "Go back to generation %d?", "Roll back", []string{
		"It catches up with the log and readers see its numbers again, exactly as it would have computed them.",
		"What is replaced by it is kept for 7 days, and does not begin again by itself until the catalog, a setting or the logic changes.",
	}},
	DropRun: {"Drop", "Drop run %d?", "Drop", []string{
		"Its rows, its snapshots and its records are removed. The log stays: a new run computes the same.",
	}},
	ResumeRun: {"Resume", "Let run %d go on?", "Resume", []string{"It goes on from its last checkpoint."}},
}

func (s *Server) askRun(w http.ResponseWriter, r *http.Request) error {
	run, action, err := s.runAction(r)
	if err != nil {
		return err
	}
	as, err := s.guard.AsOf(r.Context())
	if err != nil {
		return err
	}
	site, number := s.site(r), fmt.Sprint(run.Number)
	q := asked[action]
	v := views.ReplayAsk{
		Page: s.page(r, q.verb, "replays", as), Title: fmt.Sprintf(q.title, run.Number), Text: q.text, Button: q.button,
		Action: site.Path("replays", number, string(action)), Back: site.Path("replays", number),
	}
	v.Page.Live = false // somebody decides
	return s.render(w, r, http.StatusOK, v.Render())
}

func (s *Server) actOnRun(w http.ResponseWriter, r *http.Request) error {
	run, action, err := s.runAction(r)
	if err != nil {
		return err
	}
	said, err := s.config.Runs.Act(r.Context(), action, run.Number, ReaderOf(r.Context()).Name)
	if err != nil {
		return err
	}
	s.sessions.Put(r.Context(), saidKey, said)
	http.Redirect(w, r, s.site(r).Path("replays"), http.StatusSeeOther)
	return nil
}

// runAction is what a request is about, and refuses what cannot be done now.
func (s *Server) runAction(r *http.Request) (Run, RunAction, error) {
	run, err := s.runOf(r)
	if err != nil {
		return run, "", err
	}
	action := RunAction(r.PathValue("action"))
	if _, known := asked[action]; !known {
		return run, action, notFound("Runs are promoted, rolled back to, dropped and resumed.")
	}
	if !slices.Contains(run.Can, action) {
		return run, action, &Error{Status: http.StatusConflict, Title: "Not now", Detail: fmt.Sprintf("Run %d %s: that cannot be done with it at the moment.", run.Number, run.Says)}
	}
	return run, action, nil
}
