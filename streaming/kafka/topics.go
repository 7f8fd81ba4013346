package kafka

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"meridian/streaming"
)

// Partition counts of a new instance. They are pinned: the number of
// deliveries decides where a key lies, for ever; that of events belongs to a
// generation.
const (
	EmbeddedDeliveries = 1
	ServedDeliveries   = 6
	EmbeddedEvents     = 4
	ServedEvents       = 12
)

// topicVisible is how long a new topic may take to reach a broker's metadata.
// It takes milliseconds on one broker, seconds on a busy cluster.
const topicVisible = 20 * time.Second

// Topic is one that Meridian needs.
type Topic struct {
	Name       string
	Partitions int32
	Compact    bool // by key; only a served broker does it (see [Control])

	// Keep is how long records stay that are not compacted; 0: for ever. Only for
	// topics that nothing is computed from: the broker goes by its own clock.
	Keep time.Duration
}

// Topics returns what every instance has, beside the events of its generations.
func (c Config) Topics(deliveries int32) []Topic {
	return []Topic{
		{Name: c.DeliveriesTopic(), Partitions: deliveries},
		{Name: c.ControlTopic(), Partitions: 1, Compact: true},
	}
}

// Events returns the topic of a generation's copies.
func (c Config) Events(g streaming.Generation, partitions int32) Topic {
	return Topic{Name: c.EventsTopic(g), Partitions: partitions}
}

// EnsureTopics creates the topics that are missing, and checks and mends the
// settings of the others. A wrong number of partitions is ErrPartitions.
func EnsureTopics(ctx context.Context, c Config, topics ...Topic) error {
	_, err := withAdmin(c, func(adm *kadm.Client) (struct{}, error) {
		var errs []error
		for _, t := range topics {
			errs = append(errs, ensureTopic(ctx, adm, c, t))
		}
		return struct{}{}, errors.Join(errs...)
	})
	return err
}

// DropTopic deletes a topic, such as the events of a generation that is gone.
func DropTopic(ctx context.Context, c Config, name string) error {
	_, err := withAdmin(c, func(adm *kadm.Client) (struct{}, error) {
		r, err := adm.DeleteTopic(ctx, name)
		if err == nil {
			err = r.Err
		}
		if err != nil && !errors.Is(err, kerr.UnknownTopicOrPartition) {
			return struct{}{}, fmt.Errorf("kafka: delete topic %s: %w", name, err)
		}
		return struct{}{}, nil
	})
	return err
}

func (t Topic) settings(c Config) map[string]string {
	s := map[string]string{
		"cleanup.policy":    "delete",
		"retention.ms":      "-1", // records are trimmed by Meridian, never by their timestamps
		"retention.bytes":   "-1",
		"max.message.bytes": strconv.Itoa(maxBatchBytes),
	}
	if t.Keep > 0 && (c.Embedded || !t.Compact) {
		s["retention.ms"] = strconv.FormatInt(t.Keep.Milliseconds(), 10)
	}
	switch {
	case c.Embedded:
		// Disk is given back by whole segments, and all of them are read at start.
		s["segment.bytes"] = strconv.Itoa(16 << 20)
	case t.Compact:
		s["cleanup.policy"] = "compact"
	}
	return s
}

func ensureTopic(ctx context.Context, adm *kadm.Client, c Config, t Topic) error {
	want := t.settings(c)
	configs := map[string]*string{}
	for k, v := range want {
		configs[k] = &v
	}
	// Replication is the cluster's own default.
	r, err := adm.CreateTopic(ctx, t.Partitions, -1, configs, t.Name)
	if err == nil {
		err = r.Err
	}
	created := err == nil
	if !created && !errors.Is(err, kerr.TopicAlreadyExists) {
		return fmt.Errorf("kafka: create topic %s with %d partitions: %w", t.Name, t.Partitions, err)
	}
	have, err := visiblePartitions(ctx, adm, t.Name)
	if err != nil {
		return err
	}
	if created {
		return nil
	}
	if have != t.Partitions {
		return fmt.Errorf("kafka: topic %s has %d partitions, and this instance was created with %d, which cannot change: "+
			"restore the topic as it was, or begin a new instance with another kafka.topic_prefix and import the archive: %w", t.Name, have, t.Partitions, ErrPartitions)
	}
	return mendSettings(ctx, adm, t.Name, want)
}

// visiblePartitions waits until the broker asked shows the topic with leaders,
// and returns how many partitions it has. A controller knows a new topic before
// every broker's metadata does, and until then a broker answers "unknown" to
// whoever asks it next.
func visiblePartitions(ctx context.Context, adm *kadm.Client, topic string) (int32, error) {
	ctx, cancel := context.WithTimeout(ctx, topicVisible)
	defer cancel()
	for {
		details, err := adm.ListTopics(ctx, topic)
		if err == nil {
			err = details.Error()
		}
		if err == nil {
			for _, p := range details[topic].Partitions {
				err = errors.Join(err, p.Err)
			}
		}
		switch {
		case err == nil:
			return int32(len(details[topic].Partitions)), nil
		case !errors.Is(err, kerr.UnknownTopicOrPartition) && !errors.Is(err, kerr.LeaderNotAvailable):
			return 0, fmt.Errorf("kafka: look at topic %s: %w", topic, err)
		}
		select {
		case <-ctx.Done():
			return 0, fmt.Errorf("kafka: topic %s was created, and the broker does not show it after %v: %w", topic, topicVisible, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// mendSettings sets what differs. A topic made by hand usually has a retention
// time, which would delete deliveries behind our back.
func mendSettings(ctx context.Context, adm *kadm.Client, topic string, want map[string]string) error {
	have, err := adm.DescribeTopicConfigs(ctx, topic)
	if err != nil {
		return fmt.Errorf("kafka: settings of topic %s: %w", topic, err)
	}
	rc, err := have.On(topic, nil)
	if err == nil {
		err = rc.Err
	}
	if err != nil {
		return fmt.Errorf("kafka: settings of topic %s: %w", topic, err)
	}
	var alter []kadm.AlterConfig
	is := map[string]string{}
	for _, cfg := range rc.Configs {
		is[cfg.Key] = cfg.MaybeValue()
	}
	for k, v := range want {
		if is[k] != v {
			alter = append(alter, kadm.AlterConfig{Op: kadm.SetConfig, Name: k, Value: &v})
		}
	}
	if len(alter) == 0 {
		return nil
	}
	rs, err := adm.AlterTopicConfigs(ctx, alter, topic)
	if err == nil && len(rs) > 0 {
		err = rs[0].Err
	}
	if err != nil {
		return fmt.Errorf("kafka: topic %s needs %v, and they could not be set; set them yourself or allow ALTER_CONFIGS: %w", topic, want, err)
	}
	return nil
}
