package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
	"meridian/cmd/meridian/jobs"
)

func (a *app) eraseCommand() *cobra.Command {
	var ask eraseAsk
	var dataDir string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "erase --person ID", Short: "Take a person out of everything that is kept", Args: noArguments,
		Long: "Takes a person out of log, archive, kept catalogs and tables. They become a deleted account, and\n" +
			"their work stays. ID is their name in a catalog, a login, an account's id, an address or a\n" +
			"pseudonym; the log is searched for what else their accounts are called. History is computed\n" +
			"without them, and generations that knew them are dropped and cannot come back.\n\n" +
			"It is refused while the catalog names them. It cannot be undone: --dry-run says first who is\n" +
			"meant. Backups and exports that were made before still hold them.",
		Example: "  meridian erase --person mai --dry-run\n  meridian erase --person mai --account jira:712020:5b10a2",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.config(func(c *config.Config) { setIf(cmd, "data-dir", &c.DataDir, dataDir) })
			if err != nil {
				return err
			}
			if ask.Person == "" {
				return withCode(exitUsage, errors.New("--person says who: a name of the catalog, a login, an account's id, an address or a pseudonym"))
			}
			ask.By = actor()
			return a.erase(cmd.Context(), c, ask, asJSON)
		},
	}
	cmd.Flags().StringVar(&ask.Person, "person", "", "who")
	cmd.Flags().StringSliceVar(&ask.Accounts, "account", nil, "an account of theirs besides: github:LOGIN, jira:ID or email:ADDRESS; may be given several times")
	cmd.Flags().BoolVar(&ask.DryRun, "dry-run", false, "only say who is meant and what there is of them")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	cmd.Flags().StringVar(&dataDir, "data-dir", "", "the instance's data directory (default ./meridian-data)")
	return cmd
}

// eraseAnswer is the plan, and the job that does it.
type eraseAnswer struct {
	Plan erasePlan `json:"plan"`
	Job  *jobs.Job `json:"job,omitempty"`
}

func (a *app) erase(ctx context.Context, c config.Config, ask eraseAsk, asJSON bool) error {
	if a.server == "" && !a.serverAnswers(ctx, c) {
		if err := mustBeInstance(c.DataDir); err != nil {
			return err
		}
		return a.eraseHere(ctx, c, ask, asJSON)
	}
	body, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	path := "/erase"
	if ask.DryRun {
		path += "?dry_run"
	}
	status, answer, where, err := a.adminRequest(ctx, c, http.MethodPost, path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if status/100 != 2 {
		return refusedBy(where, status, answer)
	}
	var said eraseAnswer
	if err := json.Unmarshal(answer, &said); err != nil {
		return fmt.Errorf("the server at %s gave an answer that is none: %w", where, err)
	}
	if done, err := a.planned(said, ask.DryRun, asJSON); done || err != nil {
		return err
	}
	j, err := a.follow(ctx, said.Job.ID, func() (jobs.Job, error) {
		answer, err := a.askJobs(ctx, c, http.MethodGet, "/api/v1/jobs/"+said.Job.ID, nil)
		if err != nil {
			return jobs.Job{}, err
		}
		var now jobs.Job
		err = json.Unmarshal(answer, &now)
		return now, err
	})
	if ctx.Err() != nil {
		fmt.Fprintf(a.err, "\nThe job goes on in the server. `meridian jobs` shows it.\n")
		return withCode(exitInterrupted, errors.New("detached"))
	}
	if err != nil {
		return err
	}
	return a.ended(j, asJSON, erasedText)
}

// eraseHere erases in this process: the machine without listeners.
func (a *app) eraseHere(ctx context.Context, c config.Config, ask eraseAsk, asJSON bool) error {
	fmt.Fprintln(a.err, "No server is running, so the work is done here.")
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var failed error
	err := a.serve(ctx, c, machineOptions{roles: roles{true, true, true}, inside: func(ctx context.Context, m *machine) {
		defer stop()
		failed = a.eraseIn(ctx, m, ask, asJSON)
	}})
	return errors.Join(err, failed)
}

func (a *app) eraseIn(ctx context.Context, m *machine, ask eraseAsk, asJSON bool) error {
	select {
	case <-m.coordinator.checked:
	case <-ctx.Done():
		return ctx.Err()
	}
	said, err := m.beginErasure(ctx, ask)
	if err != nil {
		return err
	}
	if done, err := a.planned(said, ask.DryRun, asJSON); done || err != nil {
		return err
	}
	j, err := a.follow(ctx, said.Job.ID, func() (jobs.Job, error) {
		j, ok := m.jobs.Get(said.Job.ID)
		if !ok {
			return j, jobs.ErrNoJob
		}
		return j, nil
	})
	if ctx.Err() != nil {
		fmt.Fprintln(a.err, "Stopped. The job goes on from here with the next start of a server.")
		return withCode(exitInterrupted, errors.New("interrupted"))
	}
	if err != nil {
		return err
	}
	return a.ended(j, asJSON, erasedText)
}

// planned shows a plan; done says that nothing follows.
func (a *app) planned(said eraseAnswer, dry, asJSON bool) (done bool, err error) {
	p := said.Plan
	if asJSON && (dry || p.Refused != "") {
		if err := json.NewEncoder(a.out).Encode(said); err != nil {
			return true, err
		}
	}
	if !asJSON {
		out := a.err
		if dry {
			out = a.out
		}
		p.print(out)
	}
	switch {
	case p.Refused != "":
		return true, errors.New(p.Refused)
	case dry:
		return true, nil
	case said.Job == nil:
		return true, errors.New("the server began no job")
	}
	return false, nil
}

func (p erasePlan) print(out io.Writer) {
	if len(p.Names) == 0 {
		return // why stands in what refuses it
	}
	fmt.Fprintf(out, "%s is\n", p.Person)
	for _, n := range p.Names {
		name := n.Name
		if n.Provider == "email" {
			name = "an address (hash " + name[:min(8, len(name))] + "...)"
		}
		fmt.Fprintf(out, "  %-7s %s\n", n.Provider, name)
	}
	fmt.Fprintf(out, "named %d times on the log, and in %d kept catalogs.\n", p.Events, p.Catalogs)
}

func erasedText(result []byte) (string, error) {
	var r eraseResult
	err := json.Unmarshal(result, &r)
	return fmt.Sprintf("%d deliveries were redacted, %d old catalogs removed, %d generations dropped; generation %d knows nothing of them.\nThe broker's copy: %s.\nBackups and exports that were made before still hold them.\n",
		r.Deliveries, r.Catalogs, r.Dropped, r.Generation, r.Broker), err
}

// answerErase is POST /erase of the admin address.
func (m *machine) answerErase(w http.ResponseWriter, r *http.Request) {
	var ask eraseAsk
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostJobRequest)).Decode(&ask); err != nil || ask.Person == "" {
		answerProblem(w, http.StatusBadRequest, "send {\"person\": ..., \"accounts\": [...], \"dry_run\": ...}")
		return
	}
	ask.By, ask.DryRun = actorOf(r), ask.DryRun || dryRun(r)
	said, err := m.beginErasure(r.Context(), ask)
	if err != nil {
		answerProblem(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	answerJSON(w, http.StatusOK, said)
}

// beginErasure plans, and begins where nothing stands against it.
func (m *machine) beginErasure(ctx context.Context, ask eraseAsk) (said eraseAnswer, err error) {
	if said.Plan, err = m.planErasure(ctx, ask); err != nil || ask.DryRun || said.Plan.Refused != "" {
		return said, err
	}
	j, err := m.jobs.Start(ctx, erasePerson, "a person", eraseSpec{IDs: said.Plan.ids, By: ask.By})
	said.Job = &j
	return said, err
}
