package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"meridian/cmd/meridian/config"
	"meridian/ingest"
	"meridian/ingest/catalog"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// wallClock is what this process takes for the time at its door. A test binary that
// plays an ingester with a wrong clock sets another.
var wallClock = time.Now

// door is where deliveries come in: the receiver and the ticker, over one
// appender to the log.
type door struct {
	receiver *ingest.Receiver
	ticker   *ingest.Ticker
	appender *doorAppender
	secrets  map[string]string // by path, of the sources that Meridian made itself
	losses   *ingest.Losses
}

func newDoor(c config.Config, in *instance, cat *catalog.Catalog, l *deliveryLog, last streaming.Clock, unticked bool, metrics prometheus.Registerer) (*door, error) {
	var accessLog *slog.Logger
	if c.AccessLog {
		accessLog = l.Log
	}
	sources, secrets, err := sourcesOf(c, in, cat)
	if err != nil {
		return nil, err
	}
	appender, err := kafka.NewAppender(l.Config, kafka.DefaultAppenderConfig(l.DeliveriesTopic(), l.partitions))
	if err != nil {
		return nil, err
	}
	d := &door{appender: &doorAppender{Appender: appender}, secrets: secrets, losses: new(ingest.Losses)}
	to := appendTo{d.appender}
	if d.ticker, err = ingest.NewTicker(ingest.TickerConfig{Partitions: l.partitions, Appender: to, Last: last, Unticked: unticked, Wall: wallClock}); err != nil {
		return nil, err
	}
	d.receiver, err = ingest.NewReceiver(ingest.ReceiverConfig{
		AccessLog: accessLog, Now: wallClock,
		Sources: sources, Appender: to, TrustedProxies: prefixes(c.TrustedProxies), Metrics: metrics, Appended: d.ticker.Delivered, Losses: d.losses,
	})
	if err != nil {
		return nil, withCode(exitConfig, err)
	}
	return d, nil
}

// appendTo puts entries on the log as the receiver and the ticker want it.
type appendTo struct{ *doorAppender }

// doorAppender is the appender of the log, which leaves out who was erased.
type doorAppender struct {
	*kafka.Appender
	erased erasedAtDoor
}

func (a appendTo) Append(ctx context.Context, key string, e ingest.Entry) error {
	e.Delivery, _ = a.erased.now().Delivery(e.Delivery)
	_, err := a.Appender.Append(ctx, key, ingest.EncodeEntry(e))
	if errors.Is(err, kafka.ErrTooLarge) {
		return fmt.Errorf("%w: %w", ingest.ErrTooLarge, err)
	}
	return err
}

func (a appendTo) AppendTick(ctx context.Context, partition int32, tick timeline.Millis) error {
	_, err := a.AppendTo(ctx, partition, nil, ingest.EncodeEntry(ingest.Entry{Tick: tick}))
	return err
}

// sourcesOf returns the configured sources. Without any, an instance makes one
// for each provider with a secret of its own, so that the first source can be
// connected at once.
func sourcesOf(c config.Config, in *instance, cat *catalog.Catalog) (_ []ingest.SourceConfig, secrets map[string]string, err error) {
	all := decoders(cat)
	var sources []ingest.SourceConfig
	for _, p := range c.Sources.ByProvider() {
		for _, s := range p.Sources {
			sources = append(sources, ingest.SourceConfig{
				Provider: p.Provider, Name: s.Name, Secrets: s.Secrets, Verify: ingest.Verify(s.Verify), Limit: int64(s.Limit), Decoder: all[p.Provider],
			})
		}
	}
	if len(sources) > 0 {
		return sources, nil, nil
	}
	made, err := madeSecrets(in.path("secrets.json"))
	if err != nil {
		return nil, nil, err
	}
	secrets = map[string]string{}
	for _, provider := range madeProviders {
		sources = append(sources, ingest.SourceConfig{Provider: provider, Secrets: []string{made[provider]}, Decoder: all[provider]})
		secrets["/webhooks/"+provider] = made[provider]
	}
	return sources, secrets, nil
}

var madeProviders = []string{"github", "jira", "deploy"}

// madeSecrets reads the secrets that this instance made for itself, or makes them.
func madeSecrets(path string) (map[string]string, error) {
	secrets := map[string]string{}
	data, err := os.ReadFile(path)
	switch {
	case err == nil:
		if err := json.Unmarshal(data, &secrets); err != nil {
			return nil, fmt.Errorf("%s is damaged; remove it to get new secrets, and give those to the sources: %w", path, err)
		}
	case !errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("cannot read the secrets of this instance: %w", err)
	}
	complete := true
	for _, provider := range madeProviders {
		if secrets[provider] == "" {
			secrets[provider], complete = rand.Text(), false
		}
	}
	if complete {
		return secrets, nil
	}
	if data, err = json.MarshalIndent(secrets, "", "  "); err != nil {
		return nil, err
	}
	if err := writeFileSynced(path, append(data, '\n')); err != nil {
		return nil, fmt.Errorf("cannot write to the data directory: %w", err)
	}
	return secrets, nil
}

// prefixes reads addresses and ranges, which the configuration has checked.
func prefixes(list []string) []netip.Prefix {
	var out []netip.Prefix
	for _, s := range list {
		if p, err := netip.ParsePrefix(s); err == nil {
			out = append(out, p)
		} else if a, err := netip.ParseAddr(s); err == nil {
			out = append(out, netip.PrefixFrom(a, a.BitLen()))
		}
	}
	return out
}
