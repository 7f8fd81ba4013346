package web

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"meridian/ingest/event"
)

// tokenStore keeps tokens in one file. There are tens of them and they are
// written when somebody makes or ends one, so all are in memory, by hash, and a
// request costs one look into a map. Who reads the file cannot use what lies in it.
type tokenStore struct {
	path string // "": nothing is kept
	log  *slog.Logger
	mu   sync.Mutex
	by   map[string]*Token // by hash
}

func newTokenStore(path string, log *slog.Logger) (*tokenStore, error) {
	s := &tokenStore{path: path, log: log, by: map[string]*Token{}}
	if path == "" {
		return s, nil
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	var list []*Token
	if err == nil {
		err = json.Unmarshal(b, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("web: read the API tokens; remove the file to begin without any: %w", err)
	}
	for _, t := range list {
		s.by[t.Hash] = t
	}
	return s, nil
}

// write replaces the file; s.mu is held.
func (s *tokenStore) write() error {
	if s.path == "" {
		return nil
	}
	list := make([]*Token, 0, len(s.by))
	for _, t := range s.by {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b *Token) int { return a.Created.Compare(b.Created) })
	b, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return fmt.Errorf("web: write the API tokens: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(s.path), ".tokens-*") // 0600
	if err != nil {
		return fmt.Errorf("web: write the API tokens: %w", err)
	}
	_, err = f.Write(append(b, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), s.path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // best effort: it holds hashes
		return fmt.Errorf("web: write the API tokens: %w", err)
	}
	return nil
}

func (s *tokenStore) add(t Token) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for hash, other := range s.by {
		switch {
		case !t.Created.Before(other.Expires):
			delete(s.by, hash)
		case other.Owner.ID == t.Owner.ID:
			n++
		}
	}
	if n >= mostTokens {
		return badRequest("You have %d tokens. End one that is not used.", n)
	}
	s.by[t.Hash] = &t
	if err := s.write(); err != nil {
		delete(s.by, t.Hash)
		return err
	}
	return nil
}

func (s *tokenStore) list(keep func(*Token) bool) (list []Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.by {
		if keep(t) {
			list = append(list, *t)
		}
	}
	return list
}

func (s *tokenStore) find(id string) (Token, bool) {
	list := s.list(func(t *Token) bool { return t.ID == id })
	if len(list) == 0 {
		return Token{}, false
	}
	return list[0], true
}

func (s *tokenStore) remove(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for hash, t := range s.by {
		if t.ID == id {
			delete(s.by, hash)
			if err := s.write(); err != nil {
				s.by[hash] = t
				return err
			}
		}
	}
	return nil
}

// use returns the token of a hash if it has not expired, and notes that it is used.
func (s *tokenStore) use(hash string, now time.Time) (Token, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.by[hash]
	if t == nil || !now.Before(t.Expires) {
		return Token{}, false
	}
	if now.Sub(t.Used) >= usedEvery {
		t.Used = now.UTC().Truncate(time.Second)
		if err := s.write(); err != nil {
			s.log.Warn("when an API token was last used cannot be kept", "error", err)
		}
	}
	return *t, true
}

// know notes what an owner may do now.
func (s *tokenStore) know(r *Reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := false
	for _, t := range s.by {
		if t.Owner.ID != r.ID || t.Owner.Roles == r.Roles && t.Owner.Every == r.Every && slices.Equal(t.Owner.Teams, r.Teams) {
			continue
		}
		t.Owner.Roles, t.Owner.Every, t.Owner.Teams, changed = r.Roles, r.Every, r.Teams, true
	}
	if changed {
		if err := s.write(); err != nil {
			s.log.Warn("what the owner of an API token may do cannot be kept", "error", err)
		}
	}
}

func personHex(p event.PersonID) string {
	if p == (event.PersonID{}) {
		return ""
	}
	return hex.EncodeToString(p[:])
}

func personOfHex(text string) (p event.PersonID) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(p) {
		return event.PersonID{}
	}
	return event.PersonID(b)
}
