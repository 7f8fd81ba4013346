package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"meridian/cmd/meridian/config"
	"meridian/cmd/meridian/jobs"
	"meridian/ingest/catalog"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/web"
)

func (a *app) serveCommand() *cobra.Command {
	var listen, webhooks, dataDir string
	var names []string
	cmd := &cobra.Command{
		Use: "serve", Short: "Take webhooks, compute metrics and show pages", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.config(func(c *config.Config) {
				setIf(cmd, "listen", &c.Listen, listen)
				setIf(cmd, "webhook-listen", &c.WebhookListen, webhooks)
				setIf(cmd, "data-dir", &c.DataDir, dataDir)
			})
			if err != nil {
				return err
			}
			r, err := rolesOf(names, c)
			if err != nil {
				return err
			}
			if err := servable(c); err != nil {
				return withCode(exitConfig, err)
			}
			warnOfIdle(c, a.log)
			return a.serve(cmd.Context(), c, machineOptions{roles: r, ready: func(_ context.Context, link string) {
				fmt.Fprintf(a.err, "\nMeridian is running. Open\n\n    %s\n\nThe link signs in whoever opens it first. Stop with Ctrl-C.\n\n", link)
			}})
		},
	}
	cmd.Flags().StringSliceVar(&names, "roles", []string{"ingest", "engine", "web"}, "what this process does")
	cmd.Flags().StringVar(&listen, "listen", "", "address of pages and API (default 127.0.0.1:8080)")
	cmd.Flags().StringVar(&webhooks, "webhook-listen", "", "a second address that answers webhooks only")
	cmd.Flags().StringVar(&dataDir, "data-dir", "", "where everything is kept (default ./meridian-data)")
	return cmd
}

func setIf(cmd *cobra.Command, flag string, to *string, value string) {
	if cmd.Flags().Changed(flag) {
		*to = value
	}
}

// machineOptions are what a demo has besides a configuration.
type machineOptions struct {
	roles roles

	// readCatalog, when set, replaces the configured file.
	readCatalog func(key []byte) (*catalog.Catalog, error)

	// history, when set, fills the log before the first tick, and returns the
	// round at which history ends. say tells pages how far it is, importing is
	// what they say until then.
	importing string
	history   func(ctx context.Context, m *machine, say func(progress string)) (streaming.Round, error)

	// inside, when set, is all that this process does beside its engine: nothing is
	// listened on, and it may end the process by ending its context.
	inside func(ctx context.Context, m *machine)

	// coordinating, when set, changes the coordinator before it runs: for tests.
	coordinating func(*coordinator)

	// erasing, when set, is called before each step of an erasure: for tests.
	erasing func(step int) error

	// ready is called when pages can be opened, with the address to open.
	ready func(ctx context.Context, link string)
}

// machine is the parts of a running instance.
type machine struct {
	machineOptions
	app          *app
	config       config.Config
	catalog      *catalog.Catalog
	instance     *instance
	snapshots    snapshotStore
	room         *room
	throttles    throttles // of runs
	coordinator  *coordinator
	jobs         *jobs.Manager
	imports      recentText     // how far the import is that runs
	catalogFiles []catalog.File // nil: nobody has them
	address      string         // of the pages; "": nobody listens
	log          *deliveryLog
	last         streaming.Clock // the highest tick on the log, at the start
	control      *kafka.Control
	database     *results
	door         *door
	status       *status
	updates      *updates
	metrics      http.Handler  // what Prometheus reads
	tables       chan struct{} // closed when they are there
	tablesReady  func()        // closes it
	delays       *delays
	audit        *web.AuditFile // nil: nothing is written down
	surveys      surveys        // of what is on the log, for those who write a catalog
	still        still          // held while a backup takes its picture
	archiving    sync.Mutex     // held while the archive is written
}

// tablesPatience is how long the address to open waits for the tables, which
// are usually there within a second. Whoever opens it before would find an
// error; a database that is slower than this is one, and pages say so.
const tablesPatience = 5 * time.Second

// starting reports that the tables are not there yet.
func (m *machine) starting() bool {
	select {
	case <-m.tables:
		return false
	default:
		return true
	}
}

func (m *machine) awaitTables(ctx context.Context) {
	patience := time.NewTimer(tablesPatience)
	defer patience.Stop()
	select {
	case <-m.tables:
	case <-patience.C:
	case <-ctx.Done():
	}
}

// serve is the whole machine: it starts the parts in the order in which an
// event meets them, and runs until ctx ends or one of them fails.
func (a *app) serve(ctx context.Context, c config.Config, o machineOptions) (err error) {
	keepLean(ctx)
	defer func() {
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			err = nil // asked to stop, be it while it was starting
		}
	}()
	var listener net.Listener
	if o.inside == nil {
		if listener, err = listen(ctx, c.Listen, "--listen", a.log); err != nil {
			return err
		}
		defer closing(&err, listener)
	}
	if isLocked(c.DataDir) {
		a.log.Info("another process uses the data directory; waiting for it to end", "directory", c.DataDir, "for", lockPatience.String())
	}
	in, err := openInstance(ctx, c.DataDir, deliveryPartitions(c))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	m := &machine{machineOptions: o, app: a, config: c, instance: in, updates: &updates{}, tables: make(chan struct{})}
	m.tablesReady = sync.OnceFunc(func() { close(m.tables) })
	if listener != nil {
		m.address = listener.Addr().String()
	}
	if m.catalog, m.catalogFiles, err = m.loadCatalog(); err != nil {
		return err
	}
	if teams := len(m.catalog.TeamList()); teams > 0 && m.readCatalog == nil {
		a.log.Info("the catalog is read", "file", c.Catalog, "teams", teams)
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
	if err := m.sameInstance(ctx); err != nil {
		return err
	}
	if closeSnapshots, err := m.openSnapshots(ctx); err != nil {
		return err
	} else {
		defer closeSnapshots()
	}
	ticks, err := ticksOf(ctx, m.log)
	if err != nil {
		return err
	}
	m.last = ticks.highest
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if m.door, err = newDoor(c, in, m.catalog, m.log, m.last, ticks.unticked, registry); err != nil {
		return err
	}
	m.door.appender.erased.follow(m.control, m.catalog)
	m.status = &status{p: parts{log: m.log, results: m.database, door: m.door, catalog: m.catalog, importing: o.importing}}
	registry.MustRegister(newCollector(m.status))
	m.delays = newDelays(boundsOf(c), c.Time.LateBudget)
	m.status.delays, m.status.roles, m.status.others = m.delays, m.roles, &others{control: m.control}
	m.room = newRoom(m)
	m.database.Refuse(runs{m}.mayRead)
	m.coordinator = newCoordinator(m, m.room)
	if o.coordinating != nil {
		o.coordinating(m.coordinator)
	}
	m.jobs = m.newJobs()
	if !m.log.Embedded { // else this process runs all jobs, and tells of them itself
		m.status.importing = m.importing
	}
	m.metrics = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	if o.inside != nil {
		return m.run(ctx, nil, nil)
	}
	pages, err := m.pages(listener.Addr())
	if err != nil {
		return err
	}
	return m.run(ctx, listener, pages)
}

// openSnapshots opens the store of snapshots: a directory, where this process
// alone computes, else a topic.
func (m *machine) openSnapshots(ctx context.Context) (closeStore func(), err error) {
	if m.log.Embedded {
		m.snapshots = stillSnapshots{kafka.NewSnapshotDir(m.instance.path("snapshots")), &m.still}
		return func() {}, nil
	}
	topic, err := kafka.OpenSnapshotTopic(ctx, m.log.Config)
	if err != nil {
		return nil, withCode(exitUnavailable, err)
	}
	m.snapshots = topic
	return topic.Close, nil
}

func (m *machine) loadCatalog() (*catalog.Catalog, []catalog.File, error) {
	if m.readCatalog != nil {
		c, err := m.readCatalog(m.instance.Key)
		return c, nil, err
	}
	return loadCatalogFiles(m.config, m.instance.Key)
}

// run runs the parts until ctx ends, or one of them does. Without a listener
// nobody can ask this process for anything.
func (m *machine) run(ctx context.Context, listener net.Listener, pages *web.Server) error {
	a := m.app
	databaseCtx, stopDatabase := context.WithCancel(context.WithoutCancel(ctx)) // it outlives the engine, whose last rows it takes
	release := m.door.ticker.Hold()                                             // until the engine knows where history ends

	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return m.database.run(databaseCtx) })
	if m.roles.ingest {
		g.Go(func() error { return m.door.ticker.Run(ctx) })
		g.Go(func() error { return m.watchClock(ctx) })
		if m.inside == nil { // else nobody listens
			g.Go(func() error { return m.watchGaps(ctx) })
		}
	}
	g.Go(func() error { return m.delays.run(ctx, m.log) })
	g.Go(func() error { return m.control.Run(ctx) })
	if !m.log.Embedded {
		g.Go(func() error { return m.watchErased(ctx) })
	}
	if m.inside != nil {
		g.Go(func() error { m.inside(ctx, m); return nil })
	} else {
		m.listen(ctx, g, listener, pages)
	}
	g.Go(func() error {
		defer stopDatabase()
		return m.serveCompute(ctx, release)
	})
	g.Go(func() error {
		if m.awaitTables(ctx); ctx.Err() == nil && m.roles.web && m.ready != nil {
			m.ready(ctx, link(m.config, pages, listener))
		}
		return nil
	})
	g.Go(func() error {
		<-ctx.Done()
		a.log.Info("stopping: shards finish their rounds and write their rows")
		return nil
	})
	return g.Wait()
}

// listen answers pages, webhooks and the owner of the data directory.
func (m *machine) listen(ctx context.Context, g *errgroup.Group, listener net.Listener, pages *web.Server) {
	log := m.app.log
	g.Go(func() error {
		return serveHTTP(ctx, listener, exposed(pages.Handler(), m.roles), pages.Close, log)
	})
	if m.config.WebhookListen != "" && m.roles.ingest {
		g.Go(func() error { return serveWebhooks(ctx, m.config.WebhookListen, m.door.receiver, log) })
	}
	g.Go(func() error { return m.serveAdmin(ctx, pages, m.metrics) })
}

func link(c config.Config, pages *web.Server, listener net.Listener) string {
	if c.Auth.Mode == "token" {
		return pages.SignInLink()
	}
	return strings.TrimRight(baseURL(c, listener.Addr()), "/") + "/"
}
