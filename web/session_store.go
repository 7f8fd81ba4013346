package web

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// fileStore keeps each session in a file of its own, so that sessions survive a
// restart. The session manager hands it hashes of tokens: who reads the
// directory cannot sign in with what lies there. It implements scs.Store.
//
// A session is written once, when somebody signs in, so a file is simpler than
// a table and costs a read of some bytes per request.
type fileStore struct {
	dir string
	now func() time.Time
}

var storedName = regexp.MustCompile(`^[A-Za-z0-9_-]{20,100}$`)

// newFileStore makes the directory if needed and removes what has expired.
func newFileStore(dir string, now func() time.Time) (*fileStore, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("web: make the directory of sessions: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("web: look into the directory of sessions: %w", err)
	}
	s := &fileStore{dir, now}
	for _, e := range entries {
		if storedName.MatchString(e.Name()) {
			if _, _, err := s.Find(e.Name()); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// Find implements scs.Store. An expired or damaged session is none.
func (s *fileStore) Find(token string) ([]byte, bool, error) {
	if !storedName.MatchString(token) {
		return nil, false, nil
	}
	b, err := os.ReadFile(filepath.Join(s.dir, token))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("web: read a session: %w", err)
	}
	if len(b) < 8 || s.now().UnixMilli() >= int64(binary.BigEndian.Uint64(b)) {
		return nil, false, s.Delete(token)
	}
	return b[8:], true, nil
}

// Commit implements scs.Store.
func (s *fileStore) Commit(token string, b []byte, expiry time.Time) error {
	if !storedName.MatchString(token) {
		return fmt.Errorf("web: %q cannot name a session", token)
	}
	f, err := os.CreateTemp(s.dir, ".session-*") // 0600
	if err != nil {
		return fmt.Errorf("web: write a session: %w", err)
	}
	_, err = f.Write(append(binary.BigEndian.AppendUint64(nil, uint64(expiry.UnixMilli())), b...))
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(s.dir, token))
	}
	if err != nil {
		_ = os.Remove(f.Name()) // best effort: it holds nothing that is valid
		return fmt.Errorf("web: write a session: %w", err)
	}
	return nil
}

// Delete implements scs.Store.
func (s *fileStore) Delete(token string) error {
	if !storedName.MatchString(token) {
		return nil
	}
	if err := os.Remove(filepath.Join(s.dir, token)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("web: remove a session: %w", err)
	}
	return nil
}
