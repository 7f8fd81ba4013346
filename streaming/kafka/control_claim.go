package kafka

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
)

// Claim asks for something that one process alone may have, such as a number, and
// reports whether it is this one's. Each claim is a record of its own, which no
// compaction takes for another; whose lies first on the topic has it. So two that ask at
// the same time cannot both get it, nor one that does not know yet that it was replaced.
// A claim of somebody who died with it stays.
//
// Where there are several processes, Run has to be running: what lies before the claim must
// have been read.
func (s *Control) Claim(ctx context.Context, name string) (mine bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, ControlTimeout)
	defer cancel()
	prefix := claimKeys + name + "/"
	key := prefix + rand.Text()
	if err := s.Put(ctx, key, []byte("claimed")); err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	claim := s.entries[key]
	for !s.config.Embedded && s.read <= claim.Offset {
		moved := s.moved
		s.mu.Unlock()
		select {
		case <-moved:
			s.mu.Lock()
		case <-ctx.Done():
			s.mu.Lock()
			return false, fmt.Errorf("claim %s: what others have claimed before could not be read: %w", name, ctx.Err())
		}
	}
	for other, e := range s.entries {
		if strings.HasPrefix(other, prefix) && e.Offset < claim.Offset {
			return false, nil
		}
	}
	return true, nil
}

// claimKeys is what the keys of claims begin with.
const claimKeys = "claim/"
