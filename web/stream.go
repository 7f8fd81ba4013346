package web

import (
	"fmt"
	"net/http"
	"time"

	"meridian/metrics"
)

// heartbeat keeps proxies from closing a quiet stream.
const heartbeat = 25 * time.Second

// events tells an open page each time when rows have been written. It carries
// the clock and no numbers: the page asks for itself again, so what it shows
// has come through the same handlers and the same guard as the first time.
func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	stream := http.NewResponseController(w)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx
	send := func(text string) error {
		if _, err := fmt.Fprint(w, text); err != nil {
			return err
		}
		return stream.Flush()
	}
	var shown metrics.AsOf // what the page was last told of
	written, cancel := s.updates.Subscribe()
	defer cancel()
	if err := send("retry: 2000\n\n"); err != nil {
		return nil // the page has gone
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		text := ": still here\n\n"
		select {
		case <-r.Context().Done():
			return nil
		case <-s.closed.Done():
			return nil
		case <-beat.C:
		case clock, ok := <-written:
			if !ok {
				return nil
			}
			// Shards write one after the other, and readers see a clock when all
			// have: until then there is nothing new to ask for.
			as, err := s.guard.AsOf(r.Context())
			if err == nil && as == shown {
				continue
			}
			if err == nil {
				shown, clock = as, as.Clock
			}
			text = fmt.Sprintf("event: rows\nid: %d\ndata: %d\n\n", clock, clock)
		}
		if err := send(text); err != nil {
			return nil
		}
	}
}
