package ingest

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// strangersShare is the part of the memory that bodies of one address may hold
	// before any delivery from there was right. With a thousand connections that
	// send megabytes and then nothing it takes a quarter, and not everything.
	strangersShare = 4

	familiarFor  = time.Hour
	maxFamiliars = 4096
)

// bodyMemory bounds what bodies hold while they come in and go to the log: in
// all, and of one address that is a stranger. Who has proved itself, by a token in
// the head or by an earlier signature, shares with all others of its kind.
type bodyMemory struct {
	all   *semaphore.Weighted
	share int64

	mu        sync.Mutex
	held      map[netip.Addr]int64
	familiars map[netip.Addr]time.Time // when a delivery from there was last right
}

func newBodyMemory(size int64) *bodyMemory {
	return &bodyMemory{
		all: semaphore.NewWeighted(size), share: max(size/strangersShare, 1),
		held: map[netip.Addr]int64{}, familiars: map[netip.Addr]time.Time{},
	}
}

// holding is what one request holds. It is not safe for concurrent use, but it
// may be let go by another goroutine than the one that has taken it.
type holding struct {
	memory  *bodyMemory
	address netip.Addr
	counted bool // of a stranger
	n       int64
}

func (m *bodyMemory) begin(a netip.Addr, proved bool, now time.Time) *holding {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, ok := m.familiars[a]
	return &holding{memory: m, address: a, counted: !proved && !(ok && now.Sub(at) < familiarFor)}
}

// proved notes that a delivery from an address was right.
func (m *bodyMemory) proved(a netip.Addr, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.familiars[a]; !ok && len(m.familiars) >= maxFamiliars {
		for other, at := range m.familiars { // the oldest would be fairer and dearer
			if now.Sub(at) >= familiarFor || len(m.familiars) >= maxFamiliars {
				delete(m.familiars, other)
			}
		}
	}
	m.familiars[a] = now
}

// grow takes as much as is missing to n. It reports false, and takes nothing,
// when there is none left: for anybody, or for this address.
func (h *holding) grow(to int64) bool {
	more := to - h.n
	if more <= 0 {
		return true
	}
	m := h.memory
	if !m.all.TryAcquire(more) {
		return false
	}
	if h.counted {
		m.mu.Lock()
		over := m.held[h.address]+more > m.share
		if !over {
			m.held[h.address] += more
		}
		m.mu.Unlock()
		if over {
			m.all.Release(more)
			return false
		}
	}
	h.n = to
	return true
}

// release gives everything back.
func (h *holding) release() {
	if h.n == 0 {
		return
	}
	m := h.memory
	m.all.Release(h.n)
	if h.counted {
		m.mu.Lock()
		if m.held[h.address] -= h.n; m.held[h.address] == 0 {
			delete(m.held, h.address)
		}
		m.mu.Unlock()
	}
	h.n = 0
}
