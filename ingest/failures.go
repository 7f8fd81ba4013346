package ingest

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	failureBurst = 30              // failures that an address has free
	failureEvery = 2 * time.Second // after which it has another one
	maxAddresses = 8192            // remembered; beyond them all share one allowance
	sweepEvery   = 10 * time.Second
)

// failures counts wrong signatures by address. It is asked only after a
// verification has failed: correctly signed traffic never meets it, even from an
// address that it shares with somebody else.
type failures struct {
	mu        sync.Mutex
	addresses map[netip.Addr]*rate.Limiter
	others    *rate.Limiter
	swept     time.Time
}

func newFailures() *failures {
	return &failures{addresses: map[netip.Addr]*rate.Limiter{}, others: newAllowance()}
}

func newAllowance() *rate.Limiter { return rate.NewLimiter(rate.Every(failureEvery), failureBurst) }

// tooMany notes a failure and reports whether the address has had too many.
func (f *failures) tooMany(a netip.Addr, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	allowance := f.addresses[a]
	if allowance == nil {
		if len(f.addresses) >= maxAddresses && now.Sub(f.swept) >= sweepEvery {
			f.forget(now)
		}
		if allowance = f.others; len(f.addresses) < maxAddresses {
			allowance = newAllowance()
			f.addresses[a] = allowance
		}
	}
	return !allowance.AllowN(now, 1)
}

// forget drops the addresses that have their whole allowance again.
func (f *failures) forget(now time.Time) {
	f.swept = now
	for a, allowance := range f.addresses {
		if allowance.TokensAt(now) >= failureBurst {
			delete(f.addresses, a)
		}
	}
}

// addressOf returns who sent a request: the peer, or behind trusted proxies the
// last address that none of them has written. An IPv6 network counts as one.
func addressOf(r *http.Request, trusted []netip.Prefix) netip.Addr {
	isTrusted := func(a netip.Addr) bool {
		for _, p := range trusted {
			if p.Contains(a) {
				return true
			}
		}
		return false
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Addr{}
	}
	address = address.Unmap().WithZone("")
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && isTrusted(address); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		address = hop.Unmap().WithZone("")
	}
	if address.Is6() {
		if network, err := address.Prefix(64); err == nil {
			return network.Addr()
		}
	}
	return address
}
