package main

import (
	"net"
	"net/netip"
	"sync"

	"golang.org/x/sys/unix"
)

// boundedListener bounds the connections that are open at once, in all and from
// one address, so that whoever opens more than that takes neither the file
// descriptors of the log and the tables nor the door of others. What is beyond is
// closed at once: an answer would take the time that is short.
type boundedListener struct {
	net.Listener
	total, each int

	mu   sync.Mutex
	open map[netip.Addr]int
	n    int
}

// keptDescriptors are those that the log, the tables and files need.
const keptDescriptors = 1024

// boundConnections leaves descriptors for everything else, and three quarters of
// the rest to one address: that is enough for a proxy, behind which everybody is.
func boundConnections(l net.Listener) *boundedListener {
	total := 1 << 16
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) == nil && limit.Cur < uint64(total+keptDescriptors) {
		total = max(int(limit.Cur)-keptDescriptors, int(limit.Cur)/2)
	}
	return &boundedListener{Listener: l, total: total, each: total * 3 / 4, open: map[netip.Addr]int{}}
}

// Accept returns the next connection that there is room for.
func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		a := peerOf(c)
		if l.take(a) {
			return &boundedConn{Conn: c, leave: sync.OnceFunc(func() { l.leave(a) })}, nil
		}
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // it is to leave nothing behind here
		}
		_ = c.Close()
	}
}

// peerOf is who has opened a connection; a network of IPv6 counts as one.
func peerOf(c net.Conn) netip.Addr {
	ap, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return netip.Addr{}
	}
	a := ap.Addr().Unmap().WithZone("")
	if a.Is6() && !a.IsLoopback() {
		if network, err := a.Prefix(64); err == nil {
			return network.Addr()
		}
	}
	return a
}

func (l *boundedListener) take(a netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n >= l.total || a.IsValid() && l.open[a] >= l.each {
		return false
	}
	l.n++
	l.open[a]++
	return true
}

func (l *boundedListener) leave(a netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n--
	if l.open[a]--; l.open[a] <= 0 {
		delete(l.open, a)
	}
}

// boundedConn gives its place back once.
type boundedConn struct {
	net.Conn
	leave func()
}

// Close closes the connection.
func (c *boundedConn) Close() error {
	c.leave()
	return c.Conn.Close()
}
