package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// awaitReady returns nil when the broker at addr answers a metadata request with itself as controller, and an
// error when its process ends or the context does.
func awaitReady(ctx context.Context, addr string, ended <-chan struct{}) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.DialTimeout(time.Second))
	if err != nil {
		return fmt.Errorf("ask the Kafka broker at %s: %w", addr, err)
	}
	defer client.Close()
	admin := kadm.NewClient(client)

	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		err := answers(ctx, admin)
		if err == nil {
			return nil
		}
		select {
		case <-ended:
			return errors.New("its process ended")
		case <-ctx.Done():
			return fmt.Errorf("no answer at %s: %w", addr, err)
		case <-again.C:
		}
	}
}

func answers(ctx context.Context, admin *kadm.Client) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	m, err := admin.BrokerMetadata(ctx)
	if err != nil {
		return err
	}
	if len(m.Brokers) != 1 || m.Controller < 0 {
		return errors.New("it has no controller yet")
	}
	return nil
}
