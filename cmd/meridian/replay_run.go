package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"meridian/cmd/meridian/config"
	"meridian/web"
)

// replayStart are the flags of `replay --mode restate|audit` on an instance.
type replayStart struct {
	wish    runWish
	asJSON  bool
	dataDir string
}

// startRun begins a run and shows its progress until it has caught up.
func (a *app) startRun(ctx context.Context, f replayStart) error {
	if _, err := f.wish.record(); err != nil {
		return withCode(exitUsage, err)
	}
	c, err := a.config(func(c *config.Config) {
		if f.dataDir != "" {
			c.DataDir = f.dataDir
		}
	})
	if err != nil {
		return err
	}
	return a.withServer(ctx, c, func(ctx context.Context, ask runAsker, here bool) error {
		var run web.Run
		if err := ask(askingFrom(ctx, here), http.MethodPost, "/api/v1/runs", f.wish, &run); err != nil {
			if here && ctx.Err() != nil {
				fmt.Fprintln(a.err, "\nStopped. If the run was asked for already, it begins with the next start of a server: `meridian replay list` tells.")
				return errInterrupted
			}
			return err
		}
		fmt.Fprintf(a.err, "Run %d: %s.\n", run.Number, run.Reason)
		return a.followRun(ctx, ask, here, run.Number, f.asJSON)
	})
}

// followRun shows a run's progress until it has caught up or is over, and is its
// exit code.
func (a *app) followRun(ctx context.Context, ask runAsker, here bool, number uint32, asJSON bool) error {
	run, err := a.watchRun(ctx, ask, number, func(r web.Run) bool {
		return r.State != "computing" && r.State != "waiting" && r.State != "following" && r.State != "promoting"
	})
	if ctx.Err() != nil {
		return a.leave(here, number)
	}
	if err != nil {
		return err
	}
	if asJSON {
		if err := json.NewEncoder(a.out).Encode(run); err != nil {
			return err
		}
	} else {
		fmt.Fprint(a.out, runText(run))
	}
	switch {
	case run.Audit != nil && !run.Audit.Agrees:
		return withCode(exitDifferences, fmt.Errorf("audit %d: generation %d could not be computed again as it is", run.Number, run.Audit.Of))
	case run.State == "stands" || run.State == "lost":
		return fmt.Errorf("run %d %s", run.Number, run.Says)
	}
	return nil
}

// askingFrom is how a wish is sent: a server goes on with what it was asked for when
// Ctrl-C ends the command; one in this process ends with it.
func askingFrom(ctx context.Context, here bool) context.Context {
	if here {
		return ctx
	}
	return context.WithoutCancel(ctx)
}

// leave says what becomes of a run that nobody watches any more.
func (a *app) leave(here bool, number uint32) error {
	if here {
		fmt.Fprintf(a.err, "\nStopped. Run %d goes on from its last checkpoint with the next start of a server, or with `meridian replay resume %d`.\n", number, number)
		return errInterrupted
	}
	fmt.Fprintf(a.err, "\nRun %d goes on in the server. `meridian replay resume %d` shows it again, `meridian replay drop %d` ends it.\n", number, number, number)
	return withCode(exitInterrupted, errors.New("detached"))
}

// gone says what becomes of a run whose server has stopped answering.
func gone(err error, number uint32) error {
	if codeOf(err) != exitUnavailable {
		return err
	}
	return withCode(exitUnavailable, fmt.Errorf("run %d is not lost: it goes on from its last checkpoint when a server runs again, and `meridian replay resume %d` shows it then (%w)", number, number, err))
}

// watchEvery is how often a run is asked after: the first line comes within a second.
const watchEvery = 250 * time.Millisecond

// watchRun prints what a run says, at most once a second, until it is over.
func (a *app) watchRun(ctx context.Context, ask runAsker, number uint32, over func(web.Run) bool) (web.Run, error) {
	again := time.NewTicker(watchEvery)
	defer again.Stop()
	var said string
	var at time.Time
	for {
		var run web.Run
		if err := ask(ctx, http.MethodGet, fmt.Sprintf("/api/v1/runs/%d", number), nil, &run); err != nil {
			return run, gone(err, number)
		}
		if over(run) {
			return run, nil
		}
		if now := time.Now(); run.Says != said && now.Sub(at) >= time.Second {
			fmt.Fprintf(a.err, "run %d: %s\n", number, run.Says)
			said, at = run.Says, now
		}
		select {
		case <-ctx.Done():
			return run, ctx.Err()
		case <-again.C:
		}
	}
}
