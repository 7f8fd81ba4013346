package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"meridian/streaming/timeline"
)

// Appender puts one record on meridian.deliveries.
type Appender interface {
	// Append returns nil when the entry is durable, and only then. It returns an
	// error when it is not, soon after ctx is done at the latest, and after an
	// error the entry may still land: what it tells has natural ids, so a second
	// copy of it is harmless. An entry that is too large for the log is
	// [ErrTooLarge]. key decides the partition. Safe for concurrent use; the
	// receiver changes nothing of entry after the call, even when it has given up.
	Append(ctx context.Context, key string, entry Entry) error
}

// ReceiverConfig is what a receiver needs.
type ReceiverConfig struct {
	Sources        []SourceConfig
	Appender       Appender
	TrustedProxies []netip.Prefix        // whose X-Forwarded-For tells an address
	Metrics        prometheus.Registerer // nil: none
	Now            func() time.Time      // nil: time.Now

	// Appended is told of every delivery that is durable, before it is answered;
	// the ticker listens. It must not block. nil: nobody.
	Appended func(*LoggedDelivery)

	// Losses is told when a delivery that was signed right could not be stored; nil:
	// nobody is.
	Losses *Losses

	AppendTimeout time.Duration // how long the log may take; 0: 4s, so that the answer comes within 5
	ReadTimeout   time.Duration // how long a body may take; 0: 30s
	Memory        int64         // bytes of bodies held at once; 0: 128 MiB. Beyond it the answer is 503; one stranger's address has a quarter

	AccessLog *slog.Logger // a line for each request, without anything secret; nil: none
}

// Receiver answers POST /webhooks/{provider}[/{name}]: it verifies, decodes,
// appends one record, and answers 202 when that is durable. It is an
// [http.Handler]; it starts nothing by itself.
type Receiver struct {
	config   ReceiverConfig
	sources  []*source
	memory   *bodyMemory
	failures *failures
	metrics  *receiverMetrics
}

type source struct {
	SourceConfig
	tally *tally
}

// NewReceiver returns a receiver, or all that is wrong with its configuration.
func NewReceiver(c ReceiverConfig) (*Receiver, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.AppendTimeout == 0 {
		c.AppendTimeout = 4 * time.Second
	}
	if c.ReadTimeout == 0 {
		c.ReadTimeout = 30 * time.Second
	}
	if c.Memory == 0 {
		c.Memory = 128 << 20
	}
	r := &Receiver{config: c, memory: newBodyMemory(c.Memory), failures: newFailures()}
	var errs []error
	if c.Appender == nil {
		errs = append(errs, errors.New("receiver: there is nowhere to append to"))
	}
	paths := map[string]bool{}
	for _, s := range c.Sources {
		s = s.withDefaults()
		if err := s.validate(); err != nil {
			errs = append(errs, err)
		}
		if paths[s.path()] {
			errs = append(errs, fmt.Errorf("source %s: there are two of this name", s.label()))
		}
		paths[s.path()] = true
		r.sources = append(r.sources, &source{s, newTally(s)})
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var err error
	if r.metrics, err = newReceiverMetrics(c.Metrics); err != nil {
		return nil, fmt.Errorf("receiver: register metrics: %w", err)
	}
	return r, nil
}

// Sources returns the status of each source, in the order of the configuration.
func (rc *Receiver) Sources() []SourceStatus {
	now := rc.config.Now()
	all := make([]SourceStatus, len(rc.sources))
	for i, s := range rc.sources {
		all[i] = s.tally.snapshot(now)
	}
	return all
}

// ServeHTTP answers one request.
func (rc *Receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := rc.config.Now()
	s, refused := rc.find(r)
	var answer accepted
	if refused == nil {
		answer, refused = rc.receive(w, r, s)
	}
	if refused == nil {
		rc.metrics.answered(s.SourceConfig, http.StatusAccepted)
		rc.accessLog(r, s, http.StatusAccepted, answer.Delivery, began)
		answer.write(w)
		return
	}
	if refused.status == http.StatusUnauthorized && rc.failures.tooMany(addressOf(r, rc.config.TrustedProxies), rc.config.Now()) {
		refused = &refusal{
			status: http.StatusTooManyRequests, retryAfter: failureEvery,
			detail: "too many wrong signatures have come from this address; a correctly signed delivery is taken at any time",
		}
	}
	if s != nil {
		s.tally.refused(refused, rc.config.Now())
		rc.metrics.answered(s.SourceConfig, refused.status)
	} else {
		rc.metrics.answered(SourceConfig{}, refused.status)
	}
	rc.accessLog(r, s, refused.status, "", began)
	refused.write(w)
	if !refused.cut {
		drain(r, http.NewResponseController(w))
	}
}

// find returns the source that a path names.
func (rc *Receiver) find(r *http.Request) (*source, *refusal) {
	rest, ok := strings.CutPrefix(r.URL.Path, "/webhooks/")
	provider, name, named := strings.Cut(rest, "/")
	var found []*source
	for _, s := range rc.sources {
		if ok && s.Provider == provider && (!named || s.Name == name) {
			found = append(found, s)
		}
	}
	switch {
	case len(found) == 0:
		return nil, refuse(http.StatusNotFound, "there is no such source; the addresses of all sources are on the sources page")
	case len(found) > 1:
		return nil, refuse(http.StatusNotFound, "there are several sources of this provider; append the name of one to the address")
	case r.Method != http.MethodPost:
		return found[0], &refusal{status: http.StatusMethodNotAllowed, detail: "deliveries are sent with POST", allow: http.MethodPost}
	}
	return found[0], nil
}

// receive takes one request to the log, or says why not.
func (rc *Receiver) receive(w http.ResponseWriter, r *http.Request, s *source) (accepted, *refusal) {
	form, refused := mediaOf(r.Header)
	if refused != nil {
		return accepted{}, refused
	}
	claim, refused := s.claim(r, rc.config.Now())
	if refused != nil {
		return accepted{}, refused
	}
	// A test's recorder has no deadlines, and needs none. The deadline is the
	// connection's, so it is the machine's clock that counts.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(rc.config.ReadTimeout))
	from := addressOf(r, rc.config.TrustedProxies)
	hold := rc.memory.begin(from, claim.verified, rc.config.Now())
	body, refused := readBody(w, r, s.Limit, hold)
	if refused == nil && !s.verify(claim, body) {
		refused = unauthorized("no signature is right for this body; the secret here and on the other side differ, or something in between has changed the body")
	}
	now := rc.config.Now()
	if refused == nil {
		rc.memory.proved(from, now)
		refused = checkBody(body, form).toSender()
	}
	if refused != nil {
		hold.release()
		return accepted{}, refused
	}
	key, d, err := DecodeDelivery(s.Decoder, Delivery{
		Provider: s.Provider, Name: s.Name, Received: timeline.FromTime(now), Headers: keptHeaders(r.Header), Body: body,
	})
	if err != nil {
		hold.release()
		return accepted{}, refuse(http.StatusBadRequest, err.Error()).toSender()
	}
	if refused := rc.append(r.Context(), key, d, hold.release); refused != nil {
		if refused.status == http.StatusServiceUnavailable {
			rc.config.Losses.lost(SourceOf(s.Provider), rc.config.Now())
		}
		return accepted{}, refused.toSender()
	}
	if rc.config.Appended != nil {
		rc.config.Appended(d)
	}
	done := rc.config.Now()
	s.tally.took(d, done)
	rc.metrics.took(s.SourceConfig, d.Outcome, now, done)
	return accepted{d.Outcome.answer(), d.ID}, nil
}

// append makes d durable, or gives up in time. The sender's hanging up does not
// end it: what was sent whole is kept. release is called when the log has let go
// of the delivery, which may be after it was given up on, so that a log that
// hangs holds no more than the receiver's memory.
func (rc *Receiver) append(ctx context.Context, key string, d *LoggedDelivery, release func()) *refusal {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rc.config.AppendTimeout)
	began := time.Now()
	appended := make(chan error, 1)
	go func() {
		defer cancel()
		defer release()
		appended <- rc.config.Appender.Append(ctx, key, Entry{Delivery: d})
	}()
	var err error
	select {
	case err = <-appended:
	case <-ctx.Done():
		select {
		case err = <-appended: // at the same moment; durable wins
		default:
			err = ctx.Err()
		}
	}
	rc.metrics.appends.Observe(time.Since(began).Seconds())
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrTooLarge):
		return refuse(http.StatusRequestEntityTooLarge, "the delivery is larger than a record of the log may be")
	}
	return unavailable("the delivery could not be stored durably; send it again")
}
