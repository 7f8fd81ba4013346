package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
	"meridian/cmd/meridian/jobs"
)

func (a *app) jobsCommand() *cobra.Command {
	var asJSON bool
	var dataDir, cancel string
	cmd := &cobra.Command{
		Use: "jobs", Short: "Show the long work of the running server, or cancel some", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.config(func(c *config.Config) { setIf(cmd, "data-dir", &c.DataDir, dataDir) })
			if err != nil {
				return err
			}
			if cancel != "" {
				if _, err := a.askJobs(cmd.Context(), c, http.MethodPost, "/api/v1/jobs/"+cancel+"/cancel", nil); err != nil {
					return err
				}
				fmt.Fprintln(a.err, "Cancelled. What it has read stays on the log.")
				return nil
			}
			answer, err := a.askJobs(cmd.Context(), c, http.MethodGet, "/api/v1/jobs", nil)
			if err != nil {
				return err
			}
			if asJSON {
				_, err = a.out.Write(answer)
				return err
			}
			var list struct{ Items []jobs.Job }
			if err := json.Unmarshal(answer, &list); err != nil {
				return err
			}
			if len(list.Items) == 0 {
				_, err = fmt.Fprintln(a.out, "No long work runs, and none has run: `meridian backfill` and `meridian redeliver` begin some.")
				return err
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			for _, j := range list.Items {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", j.ID, j.State, j.Kind, j.What, detailOf(j))
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	cmd.Flags().StringVar(&cancel, "cancel", "", "id of a job to cancel")
	cmd.Flags().StringVar(&dataDir, "data-dir", "", "the running server's data directory (default ./meridian-data)")
	return cmd
}

func detailOf(j jobs.Job) string {
	if j.Error != "" {
		return j.Error
	}
	if j.State == jobs.Running {
		return j.Progress.String()
	}
	return ""
}

func (a *app) askJobs(ctx context.Context, c config.Config, method, path string, body any) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, adminPatience)
	defer cancel()
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	status, answer, where, err := a.adminRequest(ctx, c, method, path, bytes.NewReader(data))
	if err == nil && status/100 != 2 {
		err = refusedBy(where, status, answer)
	}
	return answer, err
}

// jobRequest is the body of POST /api/v1/jobs.
type jobRequest struct {
	Kind jobs.Kind `json:"kind"`
	Spec any       `json:"spec"`
}

// job asks the running server for a job and shows its progress until it is over.
// Without a server it starts one in this process, without listeners.
func (a *app) job(ctx context.Context, c config.Config, kind jobs.Kind, what string, spec any, asJSON bool, text func(result []byte) (string, error)) error {
	answer, err := a.askJobs(context.WithoutCancel(ctx), c, http.MethodPost, "/api/v1/jobs", jobRequest{kind, spec})
	if codeOf(err) == exitUnavailable && a.server == "" {
		return a.jobHere(ctx, c, kind, what, spec, asJSON, text)
	}
	if err != nil {
		return err
	}
	var j jobs.Job
	if err := json.Unmarshal(answer, &j); err != nil {
		return err
	}
	j, err = a.follow(ctx, j.ID, func() (jobs.Job, error) {
		answer, err := a.askJobs(ctx, c, http.MethodGet, "/api/v1/jobs/"+j.ID, nil)
		if err != nil {
			return jobs.Job{}, err
		}
		var now jobs.Job
		err = json.Unmarshal(answer, &now)
		return now, err
	})
	if ctx.Err() != nil {
		fmt.Fprintf(a.err, "\nThe job goes on in the server. `meridian jobs` shows it, `meridian jobs --cancel %s` ends it.\n", j.ID)
		return withCode(exitInterrupted, errors.New("detached"))
	}
	if err != nil {
		return err
	}
	return a.ended(j, asJSON, text)
}

// jobHere runs a job in this process: the machine without listeners.
func (a *app) jobHere(ctx context.Context, c config.Config, kind jobs.Kind, what string, spec any, asJSON bool, text func([]byte) (string, error)) error {
	fmt.Fprintln(a.err, "No server is running, so the work is done here.")
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var over jobs.Job
	var failed error
	err := a.serve(ctx, c, machineOptions{roles: roles{true, true, true}, inside: func(ctx context.Context, m *machine) {
		defer stop()
		j, err := m.jobs.Start(ctx, kind, what, spec)
		if err == nil {
			over, err = a.follow(ctx, j.ID, func() (jobs.Job, error) {
				j, ok := m.jobs.Get(j.ID)
				if !ok {
					return j, jobs.ErrNoJob
				}
				return j, nil
			})
		}
		failed = err
	}})
	switch {
	case err != nil:
		return err
	case failed != nil:
		return failed
	case !over.State.Over():
		fmt.Fprintln(a.err, "Stopped. The job goes on from here with the next start of a server, or with this command.")
		return withCode(exitInterrupted, errors.New("interrupted"))
	}
	return a.ended(over, asJSON, text)
}

// follow shows a job's progress once a second until it is over.
func (a *app) follow(ctx context.Context, id string, get func() (jobs.Job, error)) (jobs.Job, error) {
	again := time.NewTicker(time.Second)
	defer again.Stop()
	j, said := jobs.Job{ID: id}, ""
	for {
		now, err := get()
		if err != nil {
			return j, err
		}
		if j = now; j.State.Over() {
			return j, nil
		}
		if s := j.Progress.String(); s != said && s != "" {
			fmt.Fprintln(a.err, s)
			said = s
		}
		select {
		case <-ctx.Done():
			return j, ctx.Err()
		case <-again.C:
		}
	}
}

// ended shows what a job has done, and is its exit code.
func (a *app) ended(j jobs.Job, asJSON bool, text func([]byte) (string, error)) error {
	if asJSON {
		if err := json.NewEncoder(a.out).Encode(j); err != nil {
			return err
		}
	} else if len(j.Result) > 0 {
		s, err := text(j.Result)
		if err != nil {
			return err
		}
		fmt.Fprint(a.out, s)
	}
	switch j.State {
	case jobs.Done:
		return nil
	case jobs.Partly:
		return withCode(exitPartly, errors.New(j.Error))
	case jobs.Cancelled:
		return withCode(exitInterrupted, errors.New("the job was cancelled"))
	}
	return errors.New(j.Error)
}
