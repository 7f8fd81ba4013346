package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
)

func (a *app) migrateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "migrate", Short: "Bring the tables of ClickHouse up to this version (serve does so by itself)", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.config(nil)
			if err != nil {
				return err
			}
			return a.withDatabase(cmd.Context(), c, func(ctx context.Context, r *results) error {
				ran, err := r.Migrate(ctx)
				if err != nil {
					return withCode(exitUnavailable, err)
				}
				if len(ran) == 0 {
					fmt.Fprintln(a.err, "The tables are up to date.")
				}
				for _, name := range ran {
					fmt.Fprintln(a.out, name)
				}
				return nil
			})
		},
	}
}

// withDatabase runs do with the database of a configuration, starting the
// embedded one for that long when no server has it.
func (a *app) withDatabase(ctx context.Context, c config.Config, do func(context.Context, *results) error) (err error) {
	in, err := openInstance(ctx, c.DataDir, deliveryPartitions(c))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	r, err := openResults(c, in, a.log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return r.during(ctx, func(ctx context.Context) error { return do(ctx, r) })
}

// during keeps the embedded engine running while do works, whose context ends with
// it.
func (r *results) during(ctx context.Context, do func(context.Context) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	done := make(chan error, 1)
	go func() {
		err := r.run(ctx)
		if err != nil {
			stop(err) // whoever waits for it learns why
		}
		done <- err
	}()
	err := do(ctx)
	if cause := context.Cause(ctx); cause != nil && err != nil {
		err = cause
	}
	stop(nil)
	return errors.Join(err, ignoreCanceled(<-done))
}

func ignoreCanceled(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
