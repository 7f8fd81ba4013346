package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web"
)

// serveRuns answers about runs over the admin address.
func (m *machine) serveRuns(mux *http.ServeMux) {
	x := runs{m}
	answer := func(status int, do func(r *http.Request) (any, error)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			v, err := do(r)
			if err != nil {
				problemOf(w, err)
				return
			}
			answerJSON(w, status, v)
		}
	}
	mux.HandleFunc("GET /api/v1/runs", answer(http.StatusOK, func(r *http.Request) (any, error) { return x.Runs(r.Context()) }))
	mux.HandleFunc("GET /api/v1/runs/{run}", answer(http.StatusOK, func(r *http.Request) (any, error) {
		n, err := runNumber(r)
		if err != nil {
			return nil, err
		}
		return x.Run(r.Context(), n)
	}))
	mux.HandleFunc("GET /api/v1/runs/{run}/diff", answer(http.StatusOK, func(r *http.Request) (any, error) {
		n, err := runNumber(r)
		if err != nil {
			return nil, err
		}
		q, err := web.ReadRunDiff(n, r.URL.Query())
		if err != nil {
			return nil, err
		}
		return x.Diff(r.Context(), q)
	}))
	mux.HandleFunc("POST /api/v1/runs", answer(http.StatusAccepted, func(r *http.Request) (any, error) {
		record, err := readRunWish(r)
		if err != nil {
			return nil, err
		}
		return x.Begin(r.Context(), record)
	}))
	mux.HandleFunc("POST /api/v1/runs/{run}/{action}", answer(http.StatusAccepted, func(r *http.Request) (any, error) {
		n, err := runNumber(r)
		if err != nil {
			return nil, err
		}
		said, err := x.Act(r.Context(), web.RunAction(r.PathValue("action")), n, actorOf(r))
		return map[string]string{"said": said}, err
	}))
}

// runWish is the body of POST /api/v1/runs.
type runWish struct {
	Mode    string   `json:"mode"` // restate, audit
	From    string   `json:"from,omitempty"`
	To      string   `json:"to,omitempty"`
	Teams   []string `json:"teams,omitempty"`
	Metrics []string `json:"metrics,omitempty"`
	MaxRate int64    `json:"max_rate,omitempty"`
}

func readRunWish(r *http.Request) (record runRecord, err error) {
	var w runWish
	d := json.NewDecoder(http.MaxBytesReader(nil, r.Body, mostJobRequest))
	d.DisallowUnknownFields()
	if err := d.Decode(&w); err != nil {
		return record, &web.Error{Status: http.StatusBadRequest, Title: "No wish for a run", Detail: "The body is no wish for a run: " + err.Error() + "."}
	}
	if record, err = w.record(); err != nil {
		return record, &web.Error{Status: http.StatusBadRequest, Title: "No wish for a run", Detail: sentence(err.Error())}
	}
	record.By = actorOf(r)
	return record, nil
}

// record reads a wish, and says all that is wrong with it.
func (w runWish) record() (r runRecord, err error) {
	var errs []error
	instant := func(name, text string) timeline.Millis {
		if text == "" {
			return 0
		}
		at, err := readDay(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s %q: write 2026-03-02, or 2026-03-02T09:00:00Z", name, text))
		}
		return at
	}
	r = runRecord{Kind: runKind(w.Mode), MaxRate: w.MaxRate, Limits: runLimits{From: instant("from", w.From), To: instant("to", w.To), Teams: w.Teams}}
	for _, name := range w.Metrics {
		if metrics.Find(metrics.Name(name)) == nil {
			errs = append(errs, fmt.Errorf("there is no metric %q; `meridian metrics list` shows them", name))
		}
		r.Limits.Metrics = append(r.Limits.Metrics, metrics.Name(name))
	}
	switch {
	case r.Kind != runRestate && r.Kind != runAudit:
		errs = append(errs, fmt.Errorf("mode %q: use restate or audit", w.Mode))
	case r.Kind == runAudit && !r.Limits.none():
		errs = append(errs, errors.New("an audit compares every row; leave out from, to, teams and metrics"))
	}
	if r.Limits.To != 0 && r.Limits.To <= r.Limits.From {
		errs = append(errs, errors.New("to is not after from"))
	}
	if w.MaxRate < 0 {
		errs = append(errs, errors.New("max_rate is below 0; 0 is no limit of its own"))
	}
	return r, errors.Join(errs...)
}

// readDay reads an instant, or the beginning of a day in UTC.
func readDay(text string) (timeline.Millis, error) {
	if len(text) == len("2006-01-02") {
		text += "T00:00:00Z"
	}
	return timeline.ParseInstant(text)
}

func runNumber(r *http.Request) (uint32, error) {
	n, err := strconv.ParseUint(r.PathValue("run"), 10, 24)
	if err != nil {
		return 0, &web.Error{Status: http.StatusNotFound, Title: "No such run", Detail: fmt.Sprintf("%q is no number of a run.", r.PathValue("run"))}
	}
	return uint32(n), nil
}

// problemOf answers an error: in its own words where it has some for whoever asked.
func problemOf(w http.ResponseWriter, err error) {
	var known *web.Error
	if errors.As(err, &known) {
		answerProblem(w, known.Status, known.Detail)
		return
	}
	answerProblem(w, http.StatusServiceUnavailable, err.Error())
}

// sentence makes a clause one.
func sentence(clause string) string {
	return strings.TrimSuffix(upperFirst(strings.ReplaceAll(clause, "\n", "; ")), ".") + "."
}
