package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"meridian/cmd/meridian/jobs"
	"meridian/streaming/timeline"
)

// serveJobs answers about long work over the admin address: what there is, the
// wish for more, and the wish for less of it.
func (m *machine) serveJobs(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/v1/jobs", func(w http.ResponseWriter, _ *http.Request) {
		list := m.jobs.List()
		if list == nil {
			list = []jobs.Job{}
		}
		answerJSON(w, http.StatusOK, map[string]any{"items": list, "next": nil})
	})
	mux.HandleFunc("GET /api/v1/jobs/{id}", func(w http.ResponseWriter, r *http.Request) {
		j, ok := m.jobs.Get(r.PathValue("id"))
		if !ok {
			answerProblem(w, http.StatusNotFound, "there is no such job; `meridian jobs` lists those that there are")
			return
		}
		answerJSON(w, http.StatusOK, j)
	})
	mux.HandleFunc("POST /api/v1/jobs/{id}/cancel", func(w http.ResponseWriter, r *http.Request) {
		switch err := m.jobs.Cancel(r.Context(), r.PathValue("id")); {
		case errors.Is(err, jobs.ErrNoJob):
			answerProblem(w, http.StatusNotFound, "there is no such job; `meridian jobs` lists those that there are")
		case errors.Is(err, jobs.ErrOver):
			answerProblem(w, http.StatusConflict, "the job is over, and cannot be cancelled any more")
		case err != nil:
			answerProblem(w, http.StatusServiceUnavailable, err.Error())
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	})
	mux.HandleFunc("POST /api/v1/jobs", m.startJob)
}

// mostJobRequest bounds the body of a wish.
const mostJobRequest = 64 << 10

func (m *machine) startJob(w http.ResponseWriter, r *http.Request) {
	var wish struct {
		Kind jobs.Kind       `json:"kind"`
		Spec json.RawMessage `json:"spec"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostJobRequest)).Decode(&wish); err != nil {
		answerProblem(w, http.StatusBadRequest, "the body is no wish for a job: "+err.Error())
		return
	}
	spec, what, err := m.readSpec(wish.Kind, wish.Spec)
	if err != nil {
		answerProblem(w, http.StatusBadRequest, err.Error())
		return
	}
	j, err := m.jobs.Start(r.Context(), wish.Kind, what, spec)
	if err != nil {
		answerProblem(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	answerJSON(w, http.StatusAccepted, j)
}

// readSpec reads what a job is asked to do, and refuses at once what it could
// only fail at.
func (m *machine) readSpec(kind jobs.Kind, data json.RawMessage) (spec any, what string, err error) {
	switch kind {
	case backfillGitHub, backfillJira:
		var s backfillSpec
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, "", err
		}
		if err := s.check(kind); err != nil {
			return nil, "", err
		}
		if kind == backfillGitHub {
			_, err = githubClient(m.config, s.URL)
		} else {
			_, err = jiraClient(m.config, s.URL)
		}
		return s, s.String(), err
	case redeliverGitHub:
		var s redeliverSpec
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, "", err
		}
		if s.From <= 0 || s.To < s.From || s.To > timeline.FromTime(time.Now())+timeline.Day {
			return nil, "", errors.New("from and to are no range in the past")
		}
		_, err = githubClient(m.config, s.URL)
		return s, "failed deliveries since " + s.From.String(), err
	case reconcileAll:
		now := timeline.FromTime(time.Now())
		if len(m.config.APIs.GitHub)+len(m.config.APIs.Jira) == 0 {
			return nil, "", errors.New("no API is configured; set apis.github or apis.jira")
		}
		return reconcileSpec{now}, "failed deliveries, and what is left of known gaps", nil
	}
	return nil, "", errors.New("there is no job of this kind; there are backfill github, backfill jira, redeliver github and reconcile")
}
