package kafka

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// newClient makes a client; it connects when it is first used.
func (c Config) newClient(opts ...kgo.Opt) (*kgo.Client, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	client, err := kgo.NewClient(append(c.options(), opts...)...)
	if err != nil {
		return nil, fmt.Errorf("kafka: client options: %w", err)
	}
	return client, nil
}

// Ping asks a broker for an answer.
func Ping(ctx context.Context, c Config) error {
	client, err := c.newClient(kgo.RequestRetries(3))
	if err != nil {
		return err
	}
	defer client.Close()
	if err := client.Ping(ctx); err != nil {
		return fmt.Errorf("kafka: no broker of %v answers; check kafka.brokers, tls and sasl: %w", c.Brokers, err)
	}
	return nil
}

// withAdmin runs f with a client that lives as long as f.
func withAdmin[T any](c Config, f func(*kadm.Client) (T, error)) (T, error) {
	// franz-go asks 21 times by default, which takes a minute to tell of a
	// wrong password. Whoever calls can wait and call again.
	client, err := c.newClient(kgo.RequestRetries(3))
	if err != nil {
		var none T
		return none, err
	}
	defer client.Close()
	return f(kadm.NewClient(client))
}

// clientLog passes franz-go's warnings on. What it says at lower levels is
// about single requests.
type clientLog struct{ log *slog.Logger }

// Level implements kgo.Logger.
func (clientLog) Level() kgo.LogLevel { return kgo.LogLevelWarn }

// Log implements kgo.Logger.
func (l clientLog) Log(level kgo.LogLevel, msg string, keyvals ...any) {
	at := slog.LevelWarn
	if level == kgo.LogLevelError {
		at = slog.LevelError
	}
	l.log.Log(context.Background(), at, "kafka client: "+msg, keyvals...)
}
