package main

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"meridian/storage"
	"meridian/streaming"
	"meridian/streaming/kafka"
)

// collector shows on /metrics where the shards, the sink and the ticker are. It
// reads the status when it is asked, and keeps nothing.
type collector struct {
	status *status

	clock, lag, pending, rounds, dropped, failures, running, snapshot, counted *prometheus.Desc
	waiting, inserted, retries, sinkOK, sinkTrouble, ticking                   *prometheus.Desc
	delay, delayed, lateShare, bound, over                                     *prometheus.Desc
}

func newCollector(s *status) *collector {
	shard := []string{"stage", "generation", "partition"}
	d := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("meridian_"+name, help, labels, nil)
	}
	return &collector{
		status:      s,
		clock:       d("shard_clock_seconds", "Event time of the last round that a shard has applied, in seconds since 1970; absent before the first.", shard...),
		lag:         d("shard_lag_records", "Records of a shard's input that it has not read yet.", shard...),
		pending:     d("shard_pending_records", "Records that a shard holds until their round is complete.", shard...),
		rounds:      d("shard_rounds_total", "Rounds applied since the shard started in this process.", shard...),
		dropped:     d("shard_dropped_records_total", "Records read again and dropped by their origin, since the shard started in this process.", shard...),
		failures:    d("shard_failures_total", "Times that a shard had to start again from its snapshot.", shard...),
		running:     d("shard_running", "1 while a shard runs, 0 while it restores, has failed or has stopped.", shard...),
		snapshot:    d("shard_snapshot_seconds", "When a shard's last snapshot was published, in seconds since 1970; absent before the first.", shard...),
		counted:     d("engine_counted_total", "What a shard's engine left as it was, and what it has forgotten; part of its state.", append(shard, "what")...),
		waiting:     d("sink_waiting_rows", "Rows that are not in the tables yet."),
		inserted:    d("sink_inserted_rows_total", "Rows inserted since the start."),
		retries:     d("sink_retries_total", "Inserts that failed and were tried again, since the start."),
		sinkOK:      d("sink_ok", "1 while rows reach the tables, 0 while inserting fails."),
		sinkTrouble: d("sink_trouble", "1 for what keeps rows from the tables at the moment, 0 for all else.", "kind"),
		delay:       d("event_delay_seconds", "Measured time from an event to its receipt, over the last seven days; quantile 1 is the longest.", "source", "kind", "partition", "quantile"),
		delayed:     d("event_delay_count", "Events of which that was measured.", "source", "kind", "partition"),
		lateShare:   d("late_share", "Share of a source's events that came later than its bound, over the last seven days.", "source"),
		bound:       d("late_bound_seconds", "The bound that a late budget of this share would need.", "source", "budget"),
		over:        d("late_budget_exceeded", "1 while more of a source's events come late than time.late_budget allows.", "source"),
		ticking:     d("clock_ok", "1 while ticks are given, 0 while this machine's clock is in doubt."),
	}
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, ch) }

// Collect implements prometheus.Collector.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter := func(d *prometheus.Desc, v int64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	c.collectDelays(gauge)
	s := c.status.parts()
	ok, _ := s.door.ticker.Health()
	gauge(c.ticking, oneIf(ok))
	if s.sink != nil {
		state := s.sink.State()
		gauge(c.waiting, float64(state.Waiting))
		counter(c.inserted, state.Inserted)
		counter(c.retries, state.Retries)
		gauge(c.sinkOK, oneIf(state.Trouble == nil))
		for _, kind := range storage.Troubles() {
			gauge(c.sinkTrouble, oneIf(storage.Trouble(state.Trouble) == kind), kind)
		}
	}
	var shards []kafka.ShardStatus
	for _, run := range s.runs {
		shards = append(shards, run.stages.shards()...)
	}
	for _, sh := range shards {
		labels := []string{sh.Stage, strconv.Itoa(int(sh.Generation)), strconv.Itoa(int(sh.Partition))}
		if sh.Clock != streaming.NoClock {
			gauge(c.clock, float64(sh.Clock)/1000, labels...)
		}
		if !sh.SnapshotAt.IsZero() {
			gauge(c.snapshot, float64(sh.SnapshotAt.UnixMilli())/1000, labels...)
		}
		gauge(c.lag, float64(sh.Lag()), labels...)
		gauge(c.pending, float64(sh.Pending), labels...)
		gauge(c.running, oneIf(sh.State == kafka.Running), labels...)
		counter(c.rounds, sh.Rounds, labels...)
		counter(c.dropped, sh.Dropped, labels...)
		counter(c.failures, sh.Failures, labels...)
		for what, n := range sh.Counted {
			counter(c.counted, n, append(labels, what)...)
		}
	}
}

// collectDelays shows how late events come.
func (c *collector) collectDelays(gauge func(d *prometheus.Desc, v float64, labels ...string)) {
	d := c.status.delays
	if d == nil {
		return
	}
	for _, m := range d.measured() {
		labels := []string{m.source.String(), m.kind.String(), strconv.Itoa(int(m.partition))}
		gauge(c.delayed, float64(m.n), labels...)
		for _, q := range []float64{0.5, 0.9, 0.95, 0.99, 1} {
			gauge(c.delay, inSeconds(m.quantile(q)), append(labels, strconv.FormatFloat(q, 'g', -1, 64))...)
		}
	}
	for _, b := range d.sources() {
		gauge(c.lateShare, b.lateShare(), b.source.String())
		gauge(c.over, oneIf(b.exceeds(d.budget)), b.source.String())
		for _, budget := range []float64{0.01, 0.001} {
			gauge(c.bound, inSeconds(boundFor(&b, budget)), b.source.String(), strconv.FormatFloat(budget, 'g', -1, 64))
		}
	}
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
