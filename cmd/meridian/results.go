package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"meridian/cmd/meridian/config"
	"meridian/storage"
	"meridian/storage/embedded"
)

// results is the database of points: an embedded ClickHouse, which is a child
// process of this one, or a served one.
type results struct {
	*storage.Database
	server *embedded.Server // nil: served
	id     string           // of the instance
	log    *slog.Logger
}

// openResults connects nothing and starts nothing; run does. A library that is
// missing is told here, before anybody is given an address to open.
func openResults(c config.Config, in *instance, log *slog.Logger) (*results, error) {
	sc := storage.Config{Cluster: c.ClickHouse.Cluster, Log: log}
	r := &results{id: in.id(), log: log}
	if c.ClickHouse.DSN == "" {
		if _, err := embedded.Library(context.Background()); err != nil {
			return nil, withCode(exitUnavailable, err)
		}
		ec := embedded.DefaultConfig()
		ec.Dir, ec.Logger = in.path("clickhouse"), log
		if err := ec.Validate(); err != nil {
			return nil, withCode(exitConfig, err)
		}
		r.server = embedded.New(ec)
		sc.Options, sc.Embedded, sc.Scratch = r.server.Options(), true, in.dir
	} else {
		options, err := storage.ParseDSN(c.ClickHouse.DSN)
		if err != nil {
			return nil, withCode(exitConfig, err)
		}
		sc.Options = options
	}
	db, err := storage.Open(sc)
	if err != nil {
		return nil, err
	}
	r.Database = db
	return r, nil
}

// run keeps the embedded server alive until ctx ends; with a served one there
// is nothing to keep alive.
func (r *results) run(ctx context.Context) error {
	if r.server == nil {
		<-ctx.Done()
		return nil
	}
	return withCode(exitUnavailable, ignoreCanceled(r.server.Run(ctx)))
}

// prepare brings the schema up, and refuses tables of another instance. It returns
// when the tables are there, when ctx ends, or when waiting cannot help.
func (r *results) prepare(ctx context.Context) error {
	return r.insist(ctx, func() error {
		ran, err := r.Migrate(ctx)
		if err == nil && len(ran) > 0 {
			r.log.Info("the tables are up to date", "migrations", ran)
		}
		if err == nil {
			err = r.Claim(ctx, r.id)
		}
		return err
	})
}

// passing are what waiting or somebody at the database can mend: the log takes
// webhooks meanwhile. A wrong password or a schema of a later version is neither.
var passing = []error{storage.ErrUnavailable, storage.ErrDiskFull, storage.ErrTooManyParts, storage.ErrMemory}

// insist does what needs the database, however long that takes to come. What no
// waiting mends ends it.
func (r *results) insist(ctx context.Context, do func() error) error {
	pause := 100 * time.Millisecond
	for {
		err := do()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !slices.ContainsFunc(passing, func(e error) bool { return errors.Is(err, e) }) {
			if errors.Is(err, storage.ErrOtherInstance) {
				return withCode(exitConfig, err)
			}
			return withCode(exitUnavailable, err)
		}
		r.log.Warn("the database cannot be used yet; trying again", "error", err, "pause", pause)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
		pause = min(2*pause, 5*time.Second)
	}
}
