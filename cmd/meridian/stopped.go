package main

import (
	"context"
	"errors"
	"sync"

	"meridian/cmd/meridian/config"
	"meridian/ingest/catalog"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// withStopped opens an instance that no server runs on, to look at it: log, snapshots
// and tables as they are. Nothing coordinates and nothing computes meanwhile, so that
// a program of another version, or another catalog on disk, begins no generation.
func (a *app) withStopped(ctx context.Context, c config.Config, do func(context.Context, *machine) error) (err error) {
	in, err := openInstance(ctx, c.DataDir, deliveryPartitions(c))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	m := &machine{app: a, config: c, instance: in, tables: make(chan struct{})}
	m.tablesReady = sync.OnceFunc(func() { close(m.tables) })
	if m.catalog, _, err = m.loadCatalog(); err != nil { // that of a generation is kept with it
		m.catalog = catalog.Empty(catalog.Options{Key: in.Key, Zone: timeline.UTC()})
	}
	if m.database, err = openResults(c, in, a.log); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.database.Close()) }()
	if m.log, err = openLog(ctx, c, in, a.log); err != nil {
		return err
	}
	defer m.log.close()
	if m.control, err = kafka.OpenControl(ctx, m.log.Config); err != nil {
		return withCode(exitUnavailable, err)
	}
	defer m.control.Close()
	closeSnapshots, err := m.openSnapshots(ctx)
	if err != nil {
		return err
	}
	defer closeSnapshots()
	m.room = newRoom(m)
	return m.database.during(ctx, func(ctx context.Context) error {
		err := m.database.insist(ctx, func() error {
			_, err := m.database.NewReader().AsOf(ctx)
			return err
		})
		if err != nil {
			return err
		}
		m.tablesReady()
		return do(ctx, m)
	})
}
