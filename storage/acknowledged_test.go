package storage

import (
	"net/http"
	"strings"
	"sync"
	"testing"
)

// An insert of rows is acknowledged when it is written, also on a server whose profile
// collects inserts by itself; on a cluster when it survives the loss of a replica.
func TestInsertsAreAcknowledgedWhenTheyAreWritten(t *testing.T) {
	d, w := tapped(t, nil)
	var mu sync.Mutex
	waits := map[string]string{} // by table
	w.intercept(func(sql string, r *http.Request) *http.Response {
		if into, ok := strings.CutPrefix(sql, "INSERT INTO "); ok {
			table, _, _ := strings.Cut(into, " ")
			mu.Lock()
			defer mu.Unlock()
			waits[table] = r.URL.Query().Get("wait_for_async_insert") + r.URL.Query().Get("insert_quorum")
		}
		return nil
	})
	s := d.NewSink(Live, nil)
	run(t, s)
	do(t, s.Put(t.Context(), 0, rowsFrom(1, 5)))
	s.Advance(0, 1, at(11, 0))
	do(t, s.Flush(t.Context(), 0))
	mu.Lock()
	defer mu.Unlock()
	for _, table := range []string{"points_live", "progress"} {
		if waits[table] != "1" {
			t.Errorf("inserts into %s wait with %q: %v", table, waits[table], waits)
		}
	}
	d.cfg.Cluster = "meridian"
	if quorum := d.insertSettings()["insert_quorum"]; quorum != "auto" {
		t.Errorf("on a cluster the quorum is %v", quorum)
	}
}
