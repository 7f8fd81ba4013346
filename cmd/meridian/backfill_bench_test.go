package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"meridian/ingest/backfill/fakeapi"
)

// Webhooks of 20 KB come at a steady rate, in turns alone and while an import of
// many pull requests puts on the log what it may; the log syncs every write. What
// is measured is how long each waits for its answer, from when it was due.
//
//	go test ./cmd/meridian -run xxx -bench WebhooksWhileImporting -benchtime 1x
func BenchmarkWebhooksWhileImporting(b *testing.B) {
	const (
		rate  = 100 // a second
		round = 10 * time.Second
		turns = 3
	)
	api := fakeapi.NewGitHub("gh-token")
	b.Cleanup(api.Close)
	repo := acmeWeb(time.Now().Truncate(time.Second))
	first := repo.Pulls[0]
	for n := 1000; n < 9000; n++ { // more than an import reads meanwhile
		p := *first
		p.Object = object{}
		for k, v := range first.Object {
			p.Object[k] = v
		}
		p.Object["id"], p.Object["number"] = n, n
		repo.Pulls = append(repo.Pulls, &p)
	}
	api.Repositories = []*fakeapi.Repository{repo}

	in := newInstanceTest(b)
	s := in.start(b, "one", fmt.Sprintf("apis: {github: [{url: %q, token: gh-token}]}", api.URL()))
	await(b, s.ended, func() error { return hookedBench(s.webhook, 0) })
	var alone, beside []time.Duration
	var read int64
	for turn := range turns {
		alone = append(alone, drive20(b, s.webhook, rate, round, 2*turn)...)
		var job struct{ ID string }
		spec := object{"repositories": []string{"acme/web"}, "since": time.Now().Add(-time.Duration(200+turn) * 24 * time.Hour).UnixMilli()}
		if err := askSocket(s.socket, http.MethodPost, "/api/v1/jobs", object{"kind": "backfill github", "spec": spec}, &job); err != nil {
			b.Fatal(err)
		}
		state := func() (j struct {
			State    string
			Progress struct{ Done int64 }
		}) {
			if err := askSocket(s.socket, http.MethodGet, "/api/v1/jobs/"+job.ID, nil, &j); err != nil {
				b.Fatal(err)
			}
			return j
		}
		await(b, s.ended, func() error {
			if state().Progress.Done == 0 {
				return fmt.Errorf("the import has read nothing yet")
			}
			return nil
		})
		from := state().Progress.Done
		beside = append(beside, drive20(b, s.webhook, rate, round, 2*turn+1)...)
		now := state()
		if now.State != "running" {
			b.Fatalf("the import is %s before the turn was over", now.State)
		}
		read += now.Progress.Done - from
		var none struct{}
		_ = askSocket(s.socket, http.MethodPost, "/api/v1/jobs/"+job.ID+"/cancel", nil, &none) // answered without a body
		await(b, s.ended, func() error {
			if state().State == "running" {
				return fmt.Errorf("the import goes on")
			}
			return nil
		})
	}
	for name, took := range map[string][]time.Duration{"alone": alone, "importing": beside} {
		slices.Sort(took)
		for part, at := range map[string]int{"p50": len(took) / 2, "p99": len(took) * 99 / 100} {
			b.ReportMetric(float64(took[at].Microseconds())/1000, part+"-ms-"+name)
		}
	}
	b.ReportMetric(float64(read)/(turns*round.Seconds()), "imported/s")
	b.ReportMetric(0, "ns/op")
}

var padding = strings.Repeat("x", 20<<10)

func hookedBench(address string, n int) error {
	body := fmt.Appendf(nil, `{"id": "run-%d", "service": "checkout", "environment": "production", "status": "success", "finished_at": %q, "log": %q}`, n, time.Now().UTC().Format(time.RFC3339), padding)
	return deliver("http://"+address+"/webhooks/deploy/ci", "zebra", body)
}

// drive20 sends webhooks when they are due, whatever becomes of those before.
func drive20(b *testing.B, address string, rate int, long time.Duration, turn int) []time.Duration {
	b.Helper()
	ctx, stop := context.WithTimeout(b.Context(), long)
	defer stop()
	due := time.NewTicker(time.Second / time.Duration(rate))
	defer due.Stop()
	var mu sync.Mutex
	var took []time.Duration
	var sent sync.WaitGroup
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			sent.Wait()
			return took
		case at := <-due.C:
			sent.Go(func() {
				if err := hookedBench(address, turn*1_000_000+n); err != nil {
					b.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				took = append(took, time.Since(at))
			})
		}
	}
}
