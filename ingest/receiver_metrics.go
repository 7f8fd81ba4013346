package ingest

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// receiverMetrics are what /metrics shows of the door. Labels are configured
// names and closed lists, never anything that was sent.
type receiverMetrics struct {
	requests *prometheus.CounterVec
	outcomes *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	appends  prometheus.Histogram
}

func newReceiverMetrics(to prometheus.Registerer) (*receiverMetrics, error) {
	buckets := []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5}
	m := &receiverMetrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "meridian_webhook_requests_total", Help: "Requests to webhook endpoints, by status of the answer.",
		}, []string{"provider", "name", "code"}),
		outcomes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "meridian_webhook_deliveries_total", Help: "Deliveries on the log, by what the decoder made of them.",
		}, []string{"provider", "name", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "meridian_webhook_seconds", Help: "Time from the last byte of a body to its answer.", Buckets: buckets,
		}, []string{"provider"}),
		appends: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "meridian_webhook_append_seconds", Help: "Time that the log took to make a delivery durable.", Buckets: buckets,
		}),
	}
	if to == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.requests, m.outcomes, m.seconds, m.appends} {
		if err := to.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *receiverMetrics) answered(c SourceConfig, status int) {
	m.requests.WithLabelValues(c.Provider, c.Name, strconv.Itoa(status)).Inc()
}

func (m *receiverMetrics) took(c SourceConfig, o Outcome, since, now time.Time) {
	m.outcomes.WithLabelValues(c.Provider, c.Name, o.String()).Inc()
	m.seconds.WithLabelValues(c.Provider).Observe(now.Sub(since).Seconds())
}
