package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"meridian/cmd/meridian/config"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/web"
)

// roles are what this process does of an instance.
type roles struct{ ingest, engine, web bool }

// all reports whether the process does everything, as by default.
func (r roles) all() bool { return r.ingest && r.engine && r.web }

// rolesOf reads --roles. To be spread over processes, an instance needs a log and
// a database that all of them reach.
func rolesOf(names []string, c config.Config) (r roles, err error) {
	for _, name := range names {
		switch name {
		case "ingest":
			r.ingest = true
		case "engine":
			r.engine = true
		case "web":
			r.web = true
		default:
			return r, withCode(exitUsage, fmt.Errorf("--roles: %q is none of ingest, engine and web", name))
		}
	}
	if !r.all() && (len(c.Kafka.Brokers) == 0 || c.ClickHouse.DSN == "") {
		return r, withCode(exitUsage, errors.New("--roles: an instance that is spread over processes needs kafka.brokers and clickhouse.dsn, which all of them reach; leave the flag out to run everything in one"))
	}
	return r, nil
}

// exposed is what a process without pages answers of them: whether it lives and
// is ready, and webhooks where it takes them.
func exposed(h http.Handler, r roles) http.Handler {
	if r.web {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		switch p := req.URL.Path; {
		case p == "/livez", p == "/readyz", p == "/metrics", r.ingest && strings.HasPrefix(p, "/webhooks/"):
			h.ServeHTTP(w, req)
		default:
			http.Error(w, "this process shows no pages; ask one with the role web", http.StatusNotFound)
		}
	})
}

// leadSession is after how long a coordinator that is gone is replaced.
const leadSession = 10 * time.Second

// lead runs work while this process is the coordinator: always, in an embedded
// instance, since it holds the lock.
func (m *machine) lead(ctx context.Context, work func(context.Context) error) error {
	if m.log.Embedded {
		return work(ctx)
	}
	return kafka.Lead(ctx, m.log.Config, leadSession, work)
}

// instanceKey is the control key of which instance this is.
const instanceKey = "instance"

// sameInstance refuses a process whose pseudonyms would be others.
func (m *machine) sameInstance(ctx context.Context) error {
	id := m.instance.id()
	have, ok := m.control.Get(instanceKey)
	if !ok {
		return m.control.Put(ctx, instanceKey, []byte(id))
	}
	if string(have) != id {
		return withCode(exitConfig, fmt.Errorf("%s is of another instance than the one on these brokers; copy instance.json from the data directory of its first process, since it holds the key of all pseudonyms, or use another kafka.topic_prefix",
			m.instance.path("instance.json")))
	}
	return nil
}

// Status of a process that others show: its shards, and what its receivers have
// seen. It is written once a second, and read by web processes.

const sourceKeys = "sources/"

// told is what an ingesting process says of itself.
type told struct {
	At      time.Time          `json:"at"`
	Ticking bool               `json:"ticking"`
	Clock   string             `json:"clock"`
	Tick    *streaming.Clock   `json:"tick,omitempty"` // the highest that it has given or found, in milliseconds; nil: none
	Sources []web.SourceStatus `json:"sources"`
}

// tell writes the status of this process until ctx ends.
func (m *machine) tell(ctx context.Context) error {
	again := time.NewTicker(time.Second)
	defer again.Stop()
	written := map[string]string{}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	me := sourceKeys + host + "/" + m.instance.process
	for n := 0; ; n++ {
		if n%10 == 0 {
			clear(written) // so that others see that we live
		}
		if err := m.tellOnce(ctx, me, written); err != nil && ctx.Err() == nil {
			m.app.log.Warn("the status of this process is not seen by others", "error", err)
		}
		select {
		case <-ctx.Done():
			// A process that ends says so, where it still can.
			end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
			defer cancel()
			if m.roles.ingest {
				_ = m.control.Delete(end, me)
			}
			return nil
		case <-again.C:
		}
	}
}

func (m *machine) tellOnce(ctx context.Context, me string, written map[string]string) error {
	put := func(key string, data []byte) error {
		if written[key] == string(data) {
			return nil
		}
		written[key] = string(data)
		return m.control.Put(ctx, key, data)
	}
	for _, run := range m.status.parts().runs {
		for _, sh := range run.stages.shards() {
			if sh.State == kafka.Stopped {
				continue // another process has it
			}
			data, err := kafka.EncodeShard(sh)
			if err == nil {
				err = put(kafka.ShardKey(sh), data)
			}
			if err != nil {
				return err
			}
		}
	}
	if !m.roles.ingest {
		return nil
	}
	t := told{At: time.Now().UTC().Truncate(10 * time.Second), Sources: sources{m.door}.Sources()}
	for i := range t.Sources {
		t.Sources[i].Secret = ""
	}
	t.Ticking, t.Clock = m.door.ticker.Health()
	if last := m.door.ticker.Last(); last != streaming.NoClock {
		t.Tick = &last
	}
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return put(me, data)
}

// others is what this process knows of the rest of the instance: what they have
// told, and when that was last heard.
type others struct {
	control *kafka.Control

	mu    sync.Mutex
	heard map[string]heard
}

type heard struct {
	offset int64
	at     time.Time
}

// silence is after how long a process that has told nothing is taken for gone.
const silence = 30 * time.Second

// fresh returns the entries under a prefix that were written in the last while.
func (o *others) fresh(prefix string) (fresh []kafka.ControlEntry, gone int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.heard == nil {
		o.heard = map[string]heard{}
	}
	now := time.Now()
	for _, e := range o.control.All(prefix) {
		h := o.heard[e.Key]
		if h.at.IsZero() || h.offset != e.Offset {
			h = heard{e.Offset, now}
			o.heard[e.Key] = h
		}
		if now.Sub(h.at) < silence {
			fresh = append(fresh, e)
		} else {
			gone++
		}
	}
	return fresh, gone
}

// shards returns what engines have told of a generation's.
func (o *others) shards(g streaming.Generation) (all []kafka.ShardStatus, silent int) {
	entries, _ := o.fresh(kafka.ShardKeys)
	heardOf := map[string]bool{}
	for _, e := range entries {
		heardOf[e.Key] = true
		if st, err := kafka.DecodeShard(e.Value); err == nil && (g == 0 || st.Generation == g) {
			all = append(all, st)
		}
	}
	for _, e := range o.control.All(kafka.ShardKeys) {
		if st, err := kafka.DecodeShard(e.Value); err == nil && st.Generation == g && !heardOf[e.Key] {
			silent++
		}
	}
	return all, silent
}

// ingesters returns what ingesting processes have told.
func (o *others) ingesters() (all []told) {
	entries, _ := o.fresh(sourceKeys)
	for _, e := range entries {
		var t told
		if json.Unmarshal(e.Value, &t) == nil {
			all = append(all, t)
		}
	}
	return all
}

// watch follows, for a process without engine, which generation readers see and
// how far its rows are, so that pages refresh and show the right catalog.
func (m *machine) watch(ctx context.Context) error {
	again := time.NewTicker(time.Second)
	defer again.Stop()
	tables := sync.OnceFunc(m.tablesReady)
	var last streaming.Clock
	for {
		as, err := m.database.NewReader().AsOf(ctx)
		if err == nil {
			tables()
			if as.Clock != last {
				last = as.Clock
				m.updates.wrote(as.Clock)
			}
			m.follow(as.Generation)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-again.C:
		}
	}
}

// follow shows the generation that readers see, which runs elsewhere.
func (m *machine) follow(g streaming.Generation) {
	all, err := m.room.manifests()
	if err != nil {
		return // it is looked at again
	}
	for _, manifest := range all {
		if manifest.Number != g {
			continue
		}
		cat, err := m.room.catalogOf(manifest)
		m.status.set(func(p *parts) {
			p.manifest = manifest
			if err == nil {
				p.catalog = cat
			}
		})
	}
}

// serveCompute is what this process has to do with generations.
func (m *machine) serveCompute(ctx context.Context, release func(streaming.Clock)) error {
	g, ctx := errgroup.WithContext(ctx)
	if !m.roles.all() {
		g.Go(func() error { return m.tell(ctx) })
	}
	if m.roles.engine {
		g.Go(func() error { return m.compute(ctx, release) })
	} else {
		release(m.last)
		g.Go(func() error { return m.watch(ctx) })
	}
	return g.Wait()
}
