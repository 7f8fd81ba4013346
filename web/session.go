package web

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/alexedwards/scs/v2/memstore"
)

// sessionLife is how long somebody stays signed in.
const sessionLife = 30 * 24 * time.Hour

func newSessions(c Config) (*scs.SessionManager, error) {
	now := c.Now
	if now == nil {
		now = time.Now
	}
	// Not scs.New, which starts a goroutine that nobody can stop.
	m := &scs.SessionManager{
		Lifetime: sessionLife, Codec: scs.GobCodec{}, HashTokenInStore: true,
		Store:  memstore.NewWithCleanupInterval(0),
		Cookie: scs.SessionCookie{Name: "meridian", HttpOnly: true, Path: "/", SameSite: http.SameSiteStrictMode, Persist: true},
	}
	if c.base().Scheme == "https" {
		m.Cookie.Name, m.Cookie.Secure = "__Host-meridian", true
	}
	if c.Sessions != "" {
		store, err := newFileStore(c.Sessions, now)
		if err != nil {
			return nil, err
		}
		m.Store = store
	}
	return m, nil
}

// links are one-time tokens that were handed out and not used yet. They are
// forgotten at a restart, which prints another.
type links struct {
	now  func() time.Time
	mu   sync.Mutex
	open map[[sha256.Size]byte]time.Time // until when
}

// linkLife is how long a link can wait to be used.
const linkLife = 24 * time.Hour

func newLinks(now func() time.Time) *links {
	return &links{now: now, open: map[[sha256.Size]byte]time.Time{}}
}

func (l *links) issue() string {
	token := rand.Text() // 130 bits
	l.mu.Lock()
	defer l.mu.Unlock()
	for sum, until := range l.open {
		if !l.now().Before(until) {
			delete(l.open, sum)
		}
	}
	l.open[sha256.Sum256([]byte(token))] = l.now().Add(linkLife)
	return token
}

// redeem reports whether the token was open, and closes it.
func (l *links) redeem(token string) bool {
	sum := sha256.Sum256([]byte(token))
	l.mu.Lock()
	defer l.mu.Unlock()
	until, ok := l.open[sum]
	delete(l.open, sum)
	return ok && l.now().Before(until)
}
