package web

import (
	"fmt"
	"net/http"
	"slices"

	"meridian/web/language"
	"meridian/web/views"
)

// question is what somebody is asked before something is done with a run.
func question(say *language.Words, a RunAction) language.RunQuestion {
	return map[RunAction]language.RunQuestion{
		PromoteRun: say.Replays.Promote, RollbackRun: say.Replays.Rollback, DropRun: say.Replays.Drop, ResumeRun: say.Replays.Resume,
	}[a]
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
	q := question(language.Of(r.Context()), action)
	v := views.ReplayAsk{
		Page: s.page(r, q.Verb, "replays", as), Title: q.Title(number), Text: q.Text, Button: q.Button,
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
	if question(language.English, action).Verb == "" {
		return run, action, notFound("Runs are promoted, rolled back to, dropped and resumed.")
	}
	if !slices.Contains(run.Can, action) {
		return run, action, &Error{Status: http.StatusConflict, Title: language.Of(r.Context()).Replays.NotNowTitle, Detail: language.Of(r.Context()).Replays.NotNowFor(fmt.Sprint(run.Number), run.Says)}
	}
	return run, action, nil
}
