package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net"
	"sync"

	"meridian/cmd/meridian/config"
	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/storage"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
	"meridian/web"
)

// directory shows the catalog to pages.
type directory struct{ catalog func() *catalog.Catalog }

func (d directory) Teams() []web.Team {
	var teams []web.Team
	for _, t := range d.catalog().TeamList() {
		teams = append(teams, web.Team{Name: t.Name, Group: t.Group, Zone: t.Zone})
	}
	return teams
}

func (d directory) Team(name string) web.Team {
	c := d.catalog()
	if t, ok := c.TeamNamed(name); ok {
		return web.Team{Name: t.Name, Group: t.Group, Zone: t.Zone}
	}
	return web.Team{Name: name, Zone: c.TeamZone(name, 0)}
}

func (d directory) Target(team string, metric metrics.Name, at timeline.Millis) *web.Target {
	for _, t := range d.catalog().Targets(team, at) {
		if t.Metric == string(metric) {
			return &web.Target{Low: t.Low, High: t.High, Text: t.Text}
		}
	}
	return nil
}

func (d directory) Zone() *timeline.Zone { return d.catalog().TeamZone("", 0) }

// sources shows the door to pages.
type sources struct{ door *door }

// allSources are those of every process that takes webhooks.
type allSources struct{ m *machine }

// Try implements web.Tried.
func (s allSources) Try(ctx context.Context, path string) (string, bool) {
	return s.m.door.receiver.Try(ctx, path)
}

func (s allSources) Sources() []web.SourceStatus {
	all := sources{s.m.door}.Sources()
	for _, g := range s.m.gaps() {
		for i := range all {
			if all[i].Source == g.Source {
				all[i].Gaps = append(all[i].Gaps, timeline.Window{Start: g.From, End: g.To})
			}
		}
	}
	if s.m.roles.ingest && s.m.roles.all() {
		return all
	}
	byPath := map[string]*web.SourceStatus{}
	for i := range all {
		byPath[all[i].Path] = &all[i]
	}
	for _, t := range s.m.status.others.ingesters() {
		for i := range t.Sources {
			if of := byPath[t.Sources[i].Path]; of != nil {
				addSource(of, &t.Sources[i])
			}
		}
	}
	return all
}

// addSource adds what another process has seen of a source.
func addSource(to, other *web.SourceStatus) {
	if other.Last > to.Last {
		to.Last, to.LastType = other.Last, other.LastType
	}
	if other.LastFailed > to.LastFailed {
		to.LastFailed, to.LastError = other.LastFailed, other.LastError
	}
	if other.Trouble > to.Trouble {
		to.Trouble, to.Why = other.Trouble, other.Why
	}
	to.Taken = max(to.Taken, other.Taken)
	to.Accepted, to.Ignored, to.Pings = to.Accepted+other.Accepted, to.Ignored+other.Ignored, to.Pings+other.Pings
	to.Undecoded, to.Unsigned = to.Undecoded+other.Undecoded, to.Unsigned+other.Unsigned
	for status, n := range other.Refused {
		if to.Refused == nil {
			to.Refused = map[int]int64{}
		}
		to.Refused[status] += n
	}
	for name, n := range other.Unread {
		if to.Unread == nil {
			to.Unread = map[string]int64{}
		}
		to.Unread[name] += n
	}
	for i, n := range other.PerMinute {
		if i < len(to.PerMinute) {
			to.PerMinute[i] += n
		} else {
			to.PerMinute = append(to.PerMinute, n)
		}
	}
}

func (s sources) Sources() []web.SourceStatus {
	var all []web.SourceStatus
	for _, r := range s.door.receiver.Sources() {
		all = append(all, web.SourceStatus{
			Provider: r.Provider, Name: r.Name, Path: r.Path, Verify: string(r.Verify), Source: r.Source, Secret: s.door.secrets[r.Path],
			Last: r.Last, LastType: r.LastType, Accepted: r.Accepted, Ignored: r.Ignored, Pings: r.Pings, Undecoded: r.Undecoded,
			Refused: r.Refused, PerMinute: r.PerMinute, LastError: r.LastError, LastFailed: r.LastFailed,
			Unread: r.Unread, Taken: r.Taken, Trouble: r.Trouble, Why: r.Why, Unsigned: r.Unsigned,
		})
	}
	return all
}

// status shows the parts of the machine to pages and /readyz. Parts that have
// not come up yet are nil.
type status struct {
	mu     sync.Mutex
	p      parts
	delays *delays // nil: not measured
	roles  roles
	others *others

	importing func() string // how far an import is that another process may run; nil: nobody else does
}

// parts are what there is so far.
type parts struct {
	log       *deliveryLog
	results   *results
	door      *door
	stages    *stages
	sink      *storage.Sink
	manifest  streaming.GenerationManifest
	catalog   *catalog.Catalog
	runs      []*running // all generations that run here; stages, sink, manifest and catalog are of the one that pages show
	turn      turn
	importing string
	waits     string // for what, where there are no stages yet
	coming    string // the generation that will take over, and how far it is
	trouble   error  // why the engine does not start
}

func (s *status) set(change func(*parts)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.p)
}

func (s *status) parts() parts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.p
}

func (s *status) Health(ctx context.Context) []web.Health {
	p := s.parts()
	ok := func(name string, err error, fine string) web.Health {
		if err != nil {
			return web.Health{Name: name, Detail: err.Error()}
		}
		return web.Health{Name: name, OK: true, Detail: fine}
	}
	all := []web.Health{
		ok("kafka", kafka.Ping(ctx, p.log.Config), describeLog(p.log)),
		ok("clickhouse", p.results.Health(ctx), describeResults(p.results)),
	}
	if s.roles.ingest {
		ticking, detail := p.door.ticker.Health()
		all = append(all, web.Health{Name: "clock", OK: ticking, Detail: detail})
	}
	if !s.roles.engine {
		return append(all, s.elsewhere(p)...)
	}
	switch {
	case p.trouble != nil:
		all = append(all, web.Health{Name: "engine", Detail: p.trouble.Error()})
	case p.stages == nil && p.importing != "":
		all = append(all, web.Health{Name: "engine", OK: true, Detail: "waits for the import: " + p.importing})
	case p.stages == nil:
		all = append(all, web.Health{Name: "engine", Detail: cmp.Or(p.waits, "is starting")})
	default:
		all = append(all, engineHealth(p))
		all = append(all, ok("rows", p.sink.State().Trouble, "rows reach the tables"))
		all = append(all, s.lateness())
	}
	return all
}

// elsewhere is what a process without engine knows of those that have it, and of
// the clocks of those that take webhooks.
func (s *status) elsewhere(p parts) (all []web.Health) {
	shards, silent := s.others.shards(p.manifest.Number)
	engine := web.Health{Name: "engine", OK: true, Detail: fmt.Sprintf("%d shards run in other processes", len(shards))}
	switch {
	case len(shards)+silent == 0:
		engine = web.Health{Name: "engine", Detail: "no process with the role engine has told of itself yet"}
	case silent > 0:
		engine = web.Health{Name: "engine", Detail: fmt.Sprintf("nothing was heard of %d of %d shards for %s", silent, len(shards)+silent, silence)}
	}
	for _, sh := range shards {
		if sh.State == kafka.Failed {
			engine = web.Health{Name: "engine", Detail: fmt.Sprintf("%s/%d starts again from its snapshot: %s", sh.Stage, sh.Partition, sh.LastError)}
		}
	}
	all = append(all, engine)
	if s.roles.ingest {
		return all
	}
	clock := web.Health{Name: "clock", Detail: "no process with the role ingest has told of itself yet"}
	for _, t := range s.others.ingesters() {
		clock = web.Health{Name: "clock", OK: t.Ticking, Detail: t.Clock}
		if !t.Ticking {
			break
		}
	}
	return append(all, clock)
}

func engineHealth(p parts) web.Health {
	shards := append(p.stages.route.Shards(), p.stages.engine.Shards()...)
	for _, sh := range shards {
		if sh.State == kafka.Failed {
			return web.Health{Name: "engine", Detail: fmt.Sprintf("%s/%d starts again from its snapshot: %s", sh.Stage, sh.Partition, sh.LastError)}
		}
	}
	if len(shards) == 0 {
		return web.Health{Name: "engine", Detail: "waits for its shards"}
	}
	detail := fmt.Sprintf("%d shards are running", len(shards))
	if p.coming != "" {
		detail += "; " + p.coming
	}
	return web.Health{Name: "engine", OK: true, Detail: detail}
}

// lateness warns of events that come later than their bounds allow for. The
// instance is ready all the same: numbers are corrected as such events come.
func (s *status) lateness() web.Health {
	h := web.Health{Name: "lateness", OK: true, Detail: "events come within their bounds"}
	if s.delays != nil {
		if alert := s.delays.alert(); alert != "" {
			h.Detail = "over the budget: " + alert
		}
	}
	return h
}

func describeLog(l *deliveryLog) string {
	if l.broker != nil {
		return "the embedded broker answers"
	}
	return "the brokers answer"
}

func describeResults(r *results) string {
	if r.server != nil {
		return "the embedded engine answers"
	}
	return "the server answers"
}

func (s *status) Engine() web.EngineStatus {
	p := s.parts()
	e := web.EngineStatus{
		Generation: uint32(p.manifest.Number), History: p.manifest.HistoryEnd != 0, Logic: metrics.LogicVersion, Catalog: p.catalog.Hash(), Zones: timeline.DataHash(), Importing: p.importing,
	}
	if e.Importing == "" && s.importing != nil {
		e.Importing = s.importing()
	}
	if !s.roles.engine && s.others != nil {
		e.Shards, e.Clock = s.told(p.manifest.Number)
	}
	if p.stages != nil {
		e.Shards = p.stages.describe()
		if c := p.stages.clock(); c != streaming.NoClock {
			e.Clock = c
		}
	}
	return e
}

// told describes the shards of other processes, and how far they are.
func (s *status) told(g streaming.Generation) (lines []string, clock timeline.Millis) {
	shards, _ := s.others.shards(g)
	lowest := streaming.Clock(math.MaxInt64)
	for _, sh := range shards {
		lines = append(lines, sh.String())
		if sh.Stage == "engine" {
			lowest = min(lowest, sh.Clock)
		}
	}
	if lowest != math.MaxInt64 && lowest != streaming.NoClock {
		clock = lowest
	}
	return lines, clock
}

// updates tells open pages that rows have been written.
type updates struct {
	mu     sync.Mutex
	latest timeline.Millis
	subs   map[chan timeline.Millis]bool
}

func (u *updates) wrote(clock timeline.Millis) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.latest = max(u.latest, clock)
	for ch := range u.subs {
		select {
		case <-ch: // what a slow reader has not taken is replaced
		default:
		}
		ch <- u.latest
	}
}

func (u *updates) Subscribe() (<-chan timeline.Millis, func()) {
	ch := make(chan timeline.Millis, 1)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.subs == nil {
		u.subs = map[chan timeline.Millis]bool{}
	}
	u.subs[ch] = true
	return ch, func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.subs, ch)
	}
}

// pages builds the server of pages and API.
func (m *machine) pages(addr net.Addr) (*web.Server, error) {
	c := m.config
	wc := web.DefaultConfig()
	wc.BaseURL = baseURL(c, addr)
	if c.WebhookListen != "" && c.BaseURL == "" { // else a proxy brings both together
		wc.WebhookURL = urlOf(c.WebhookListen)
	}
	wc.Mode, wc.APIToken, wc.MinPeople = web.Mode(c.Auth.Mode), c.Auth.Token, c.Privacy.MinPeople
	wc.Sessions = m.instance.path("sessions")
	m.access(&wc)
	wc.Shared = !isLoopback(addr) || c.BaseURL != ""
	wc.Known = func(id event.PersonID) bool {
		c := m.currentCatalog()
		return !c.HasTeams() || c.DisplayName(id) != "" // without a catalog nobody can be told apart
	}
	definitions, err := definitionsOf(c.Metrics.Disabled, variationsOf(c.Metrics))
	if err != nil {
		return nil, err
	}
	wc.Definitions = definitions
	wc.Metrics, wc.Trusted, wc.Starting = m.metrics, fromOwner, m.starting
	wc.Quarantine, wc.Schemas, wc.Catalog, wc.Runs = shelf{m.newQuarantine()}, schemas(), catalogPages{m}, runs{m}
	wc.Jobs = jobPages{m}
	wc.Bounds, wc.Storybook = m.measuredBounds, withStorybook
	wc.Log = m.app.log
	if c.WebhookListen == "" {
		wc.Webhooks = m.door.receiver
	}
	server, err := web.New(wc, m.database.NewReader().Knowing(definitions...), directory{m.currentCatalog}, allSources{m}, m.status, m.updates)
	if err != nil {
		return nil, withCode(exitConfig, err)
	}
	return server, nil
}

func baseURL(c config.Config, addr net.Addr) string {
	if c.BaseURL != "" {
		return c.BaseURL
	}
	return urlOf(addr.String())
}

// urlOf is how this machine reaches an address that is listened on.
func urlOf(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "http://" + addr
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

func isLoopback(addr net.Addr) bool {
	t, ok := addr.(*net.TCPAddr)
	return ok && t.IP.IsLoopback()
}
