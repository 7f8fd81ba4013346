package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// SealerConfig tunes a [Sealer].
type SealerConfig struct {
	Every time.Duration // how often deliveries are sealed
	Keep  time.Duration // how long the broker keeps what is sealed; 0: it is never trimmed

	// Gate, when set, is held while anything is sealed or trimmed, so that somebody
	// else can see archive and broker agree.
	Gate sync.Locker
}

// DefaultSealerConfig returns an hour, and 24 hours on the embedded broker,
// which holds 76 bytes of heap for each batch, or 7 days on a served one.
func DefaultSealerConfig(c Config) SealerConfig {
	if c.Embedded {
		return SealerConfig{Every: time.Hour, Keep: 24 * time.Hour}
	}
	return SealerConfig{Every: time.Hour, Keep: 7 * 24 * time.Hour}
}

// Sealer copies deliveries into the archive and trims the broker behind it.
// One process of an instance runs it.
type Sealer struct {
	cfg     SealerConfig
	log     Log
	archive *Archive
	now     func() time.Time
	logger  *slog.Logger
}

// NewSealer returns a sealer of c's deliveries into archive.
func NewSealer(c Config, archive *Archive, cfg SealerConfig) *Sealer {
	return &Sealer{cfg: cfg, log: Log{Config: c, Topic: c.DeliveriesTopic(), FetchBytes: 8 << 20}, archive: archive, now: time.Now, logger: c.log()}
}

// Run seals until ctx ends. A failure is logged and
// tried again: the broker keeps what is not sealed.
func (s *Sealer) Run(ctx context.Context) error {
	ticker := time.NewTicker(s.cfg.Every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if err := s.Seal(ctx); err != nil && ctx.Err() == nil {
			s.logger.Error("deliveries could not be sealed; the broker keeps them, and it is tried again", "err", err, "in", s.cfg.Every)
		}
	}
}

// Seal archives all that the broker holds and the archive lacks, then trims
// what has been archived long enough.
func (s *Sealer) Seal(ctx context.Context) error {
	if s.cfg.Gate != nil {
		s.cfg.Gate.Lock()
		defer s.cfg.Gate.Unlock()
	}
	bounds, err := Offsets(ctx, s.log.Config, s.log.Topic)
	if err != nil {
		return err
	}
	var errs []error
	for partition, b := range bounds {
		if err := s.sealPartition(ctx, partition, b); err != nil {
			errs = append(errs, fmt.Errorf("seal partition %d: %w", partition, err))
		}
	}
	return errors.Join(errs...)
}

func (s *Sealer) sealPartition(ctx context.Context, partition int32, b Bounds) error {
	span, err := s.archive.Span(partition)
	if err != nil {
		return err
	}
	from := b.Start
	if !span.Empty() {
		if span.End < b.Start {
			return fmt.Errorf("the archive ends at offset %d and the topic begins at %d: %w", span.End, b.Start, ErrTrimmed)
		}
		from = span.End
	}
	if from < b.End {
		if err := s.copy(ctx, partition, from, b.End); err != nil {
			return err
		}
	}
	if s.cfg.Keep == 0 {
		return nil
	}
	if span, err = s.archive.Span(partition); err != nil {
		return err
	}
	return Trim(ctx, s.log.Config, s.log.Topic, partition, span.SealedBefore(s.now().Add(-s.cfg.Keep)))
}

// copy seals [from, to) in pieces that fit into memory.
func (s *Sealer) copy(ctx context.Context, partition int32, from, to int64) error {
	r, err := s.log.Open(ctx, partition, from)
	if err != nil {
		return err
	}
	defer r.Close()
	var piece []LogRecord
	size := 0
	for from < to {
		records, err := r.Next(ctx)
		if err != nil {
			return err
		}
		for _, rec := range records {
			if rec.Offset >= to {
				break
			}
			piece = append(piece, rec)
			size += len(rec.Value)
			from = rec.Offset + 1
		}
		if size >= frameBytes || len(piece) >= frameRecords || from >= to {
			if err := s.archive.Append(partition, s.now(), piece); err != nil {
				return err
			}
			piece, size = nil, 0
		}
	}
	return nil
}
