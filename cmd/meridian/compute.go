package main

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"meridian/streaming"
)

// compute brings up the tables, coordinates generations where that is this
// process's to do, and runs those that it has a part in.
func (m *machine) compute(ctx context.Context, release func(streaming.Clock)) error {
	if !m.log.Embedded {
		release(m.last) // which process leads is not known yet, and nothing is imported here
		release = func(streaming.Clock) {}
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		return m.lead(ctx, func(ctx context.Context) error {
			leading, ctx := errgroup.WithContext(ctx)
			leading.Go(func() error {
				if err := m.database.prepare(ctx); err != nil {
					return err
				}
				m.tablesReady()
				return nil
			})
			leading.Go(func() error {
				// Whoever leads next tells how far it is.
				defer m.status.set(func(p *parts) { p.coming, p.importing = "", "" })
				return m.coordinator.run(ctx, release)
			})
			leading.Go(func() error { return m.runJobs(ctx) })
			leading.Go(func() error { return m.askReconcile(ctx) })
			leading.Go(func() error { return m.retainRows(ctx) })
			leading.Go(func() error { return m.trimDeliveries(ctx) })
			leading.Go(func() error { return m.publishTurns(ctx) })
			leading.Go(func() error {
				return m.sealer().Run(ctx)
			})
			return leading.Wait()
		})
	})
	if !m.log.Embedded {
		g.Go(func() error { return m.awaitOthersTables(ctx) })
	}
	g.Go(func() error {
		if err := m.awaitFirst(ctx); err != nil {
			return ignoreCanceled(err)
		}
		return m.room.run(ctx)
	})
	err := g.Wait()
	if err != nil {
		m.status.set(func(p *parts) { p.trouble = err })
	}
	return err
}

// awaitFirst waits until generations may run: the tables are there, and the
// coordinator, where it is in this process, has seen that they fit the log.
func (m *machine) awaitFirst(ctx context.Context) error {
	wait := []chan struct{}{m.tables}
	if m.log.Embedded { // elsewhere another process may lead, and what is lost is left when it has said so
		wait = append(wait, m.coordinator.checked)
	}
	for _, ch := range wait {
		select {
		case <-ch:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// lastTick is the highest tick on the log once a history has been put on it.
func (m *machine) lastTick(g streaming.GenerationManifest) streaming.Clock {
	if g.HistoryEnd == 0 {
		return m.last
	}
	return max(m.last, g.HistoryEnd.Clock())
}

// awaitOthersTables waits for the tables that the coordinator's process makes. In a
// rolling upgrade that may be one of the release before, and tables of that release
// have no place for all that this one writes.
func (m *machine) awaitOthersTables(ctx context.Context) error {
	again := time.NewTicker(500 * time.Millisecond)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-m.tables:
			return nil
		case <-again.C:
			if t, err := (ledger{m.control}).live(); err != nil || t.Generation == 0 {
				continue // nobody has come so far
			}
			if have, want, behind, err := m.database.Behind(ctx); err == nil && behind {
				waits := fmt.Sprintf("waits for the tables: their schema has version %d and this program writes %d; the first process of this release that leads brings them up, or `meridian migrate` does", have, want)
				if m.status.parts().waits != waits {
					m.app.log.Warn("the engine " + waits)
				}
				m.status.set(func(p *parts) { p.waits = waits })
				continue
			} else if err != nil {
				continue
			}
			if _, err := m.database.NewReader().AsOf(ctx); err == nil {
				m.status.set(func(p *parts) { p.waits = "" })
				m.tablesReady()
			}
		}
	}
}
