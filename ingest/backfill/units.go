package backfill

import (
	"context"
	"errors"
)

// lostError says that the log or the state does not take what was read: that ends
// the job, and no unit is to blame.
type lostError struct{ err error }

func (e *lostError) Error() string { return e.err.Error() }
func (e *lostError) Unwrap() error { return e.err }

// Lost marks an error that ends the job, whatever is being read; nil stays nil.
func Lost(err error) error {
	if err == nil {
		return nil
	}
	return &lostError{err}
}

// Each reads the units of a job one after the other, those left out that an
// earlier run has completed. One that cannot be read stands in the state with its
// problem, and the next goes on; what read marks with [Lost] ends it, and so does
// the context. What was read is saved in each case.
func (w *Work) Each(ctx context.Context, track *Tracker, units []string, read func(ctx context.Context, name string, u *Unit) error, problem func(error) string) error {
	complete := 0
	for _, name := range units {
		if w.State.Unit(name).Done {
			complete++
		}
	}
	track.Units(len(units), complete)
	for _, name := range units {
		u := w.State.Unit(name)
		if u.Done {
			continue
		}
		u.Problem = ""
		err := read(ctx, name, u)
		var lost *lostError
		switch {
		case ctx.Err() != nil:
			return errors.Join(ctx.Err(), w.keep(context.WithoutCancel(ctx), true))
		case errors.As(err, &lost):
			return errors.Join(err, w.keep(ctx, true))
		case err != nil:
			u.Problem = problem(err)
		default:
			u.Finish()
		}
		track.End()
		if err := w.keep(ctx, true); err != nil {
			return err
		}
	}
	return nil
}

// Read says that an item of a unit has been read: its state may be saved.
func (w *Work) Read(ctx context.Context) error { return Lost(w.keep(ctx, false)) }

func (w *Work) keep(ctx context.Context, must bool) error {
	if w.Save == nil {
		return nil
	}
	return w.Save(ctx, w.State, must)
}
