package main

import (
	"io"
	"net"
	"net/http"
	"testing"
)

// One address fills its share and no more; another is served, and the first again
// when it has let go.
func TestConnectionsAreBounded(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := boundConnections(inner)
	if l.each >= l.total || l.total < 16 {
		t.Errorf("%d connections of one address of %d", l.each, l.total)
	}
	l.total, l.each = 5, 3
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") })}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	ask := func(from string) (c net.Conn, served bool) {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		c, err := d.DialContext(t.Context(), "tcp", inner.Addr().String())
		if err != nil { // closed at once, before the dialer had looked
			return nil, false
		}
		t.Cleanup(func() { _ = c.Close() })
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		answer := make([]byte, 12)
		n, _ := io.ReadFull(c, answer)
		return c, string(answer[:n]) == "HTTP/1.1 200"
	}
	var held []net.Conn
	for range 3 {
		c, served := ask("127.0.0.2")
		if !served {
			t.Fatal("a connection within the share is refused")
		}
		held = append(held, c)
	}
	if _, served := ask("127.0.0.2"); served {
		t.Error("a connection beyond the share is served")
	}
	if _, served := ask("127.0.0.1"); !served {
		t.Error("another address is refused")
	}
	if _, served := ask("127.0.0.9"); !served {
		t.Error("a third address is refused")
	}
	if _, served := ask("127.0.0.1"); served {
		t.Error("more connections are open than may be")
	}
	_ = held[0].Close()
	for served := false; !served; { // the server sees the end when it sees it
		_, served = ask("127.0.0.2")
	}
}
