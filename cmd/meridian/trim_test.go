package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"meridian/cmd/meridian/config"
	"meridian/ingest"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// months writes an archive of 151 days, on each of which a pull request waits for two
// hours and something is deployed.
func months(t *testing.T) (file string, first timeline.Millis) {
	t.Helper()
	first = timeline.UTC().Midnight(timeline.MakeDate(2025, time.December, 1))
	var text bytes.Buffer
	out := ingest.NewArchiveWriter(&text)
	for day := range 151 {
		at := first + timeline.Millis(day)*timeline.Day + 9*timeline.Hour
		repository := `"repository": {"id": 42, "full_name": "acme/web", "default_branch": "main"}`
		pr := fmt.Sprintf(`"pull_request": {"number": %d, "state": "open", "user": {"id": 71, "login": "mai", "type": "User"}, "created_at": %q, "updated_at": %q, "head": {"ref": "x", "sha": "aa"}, "base": {"ref": "main"}}`, day+1, at, at)
		for _, d := range []struct {
			provider, kind, body string
			at                   timeline.Millis
		}{
			{"github", "pull_request", fmt.Sprintf(`{"action": "opened", %s, "sender": {"id": 71, "login": "mai", "type": "User"}, %s}`, repository, pr), at},
			{"github", "pull_request_review", fmt.Sprintf(`{"action": "submitted", %s, "sender": {"id": 72, "login": "jonas", "type": "User"}, "review": {"id": %d, "user": {"id": 72, "login": "jonas", "type": "User"}, "state": "approved", "submitted_at": %q}, %s}`,
				repository, day+1, at+2*timeline.Hour, pr), at + 2*timeline.Hour},
			{"deploy", "", fmt.Sprintf(`{"id": "run-%d", "service": "web", "environment": "production", "status": "success", "finished_at": %q, "repository": "acme/web"}`, day, at+3*timeline.Hour), at + 3*timeline.Hour},
		} {
			line := &ingest.Delivery{Provider: d.provider, Name: "acme", Received: d.at + timeline.Second, Body: []byte(d.body)}
			if d.kind != "" {
				line.Headers = map[string]string{"X-GitHub-Event": d.kind}
			}
			for _, line := range []ingest.ArchiveLine{{Delivery: line}, {Tick: d.at + 2*timeline.Second}} {
				if err := out.Write(line); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	file = filepath.Join(t.TempDir(), "months.jsonl")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, first
}

// sealByDay puts what is on the log of a stopped instance into its archive as if it
// had been sealed on the days on which it came, and trims the broker.
func sealByDay(t *testing.T, c config.Config, first timeline.Millis) {
	t.Helper()
	in, err := openInstance(t.Context(), c.DataDir, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer in.close()
	l, err := openLog(t.Context(), c, in, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	bounds, err := kafka.Offsets(t.Context(), l.Config, l.DeliveriesTopic())
	if err != nil {
		t.Fatal(err)
	}
	r, err := kafka.Log{Config: l.Config, Topic: l.DeliveriesTopic()}.Open(t.Context(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	now := first
	var piece []kafka.LogRecord
	seal := func() {
		t.Helper()
		if err := l.archive.Append(0, now.Time(), piece); err != nil {
			t.Fatal(err)
		}
		piece = nil
	}
	for next := int64(0); next < bounds[0].End; {
		records, err := r.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range records {
			next = rec.Offset + 1
			e, err := ingest.DecodeEntry(rec.Value)
			if err != nil {
				t.Fatal(err)
			}
			at := e.Tick
			if e.Delivery != nil {
				at = e.Delivery.Delivery.Received
			}
			if timeline.UTC().Date(at) != timeline.UTC().Date(now) {
				seal()
			}
			now, piece = at, append(piece, rec)
		}
	}
	seal()
	if err := kafka.Trim(t.Context(), l.Config, l.DeliveriesTopic(), 0, bounds[0].End-1); err != nil {
		t.Fatal(err)
	}
}

// Deliveries that are too old are trimmed by whole months. Every number stays what
// it was: before the border from generation 0, with the versions that it had, behind
// it from a generation that knows nothing of what was trimmed.
func TestNumbersOutliveTheirDeliveries(t *testing.T) {
	file, first := months(t)
	in := newTestInstance(t, nil, kafka.EmbeddedEvents, "time: {horizon: 31d}\nretention: {deliveries: 0}\n")
	in.command(t, "import", file)
	a := &app{configFile: in.config, streams: streams{err: outputOf(t)}}
	a.log = slog.New(slog.DiscardHandler)
	c, err := a.config(nil)
	if err != nil {
		t.Fatal(err)
	}
	sealByDay(t, c, first)

	april := timeline.UTC().Midnight(timeline.MakeDate(2026, time.April, 1))
	now := timeline.UTC().Midnight(timeline.MakeDate(2026, time.May, 10))
	const keep = 120 * timeline.Day // so December is too old: a horizon and 30 days behind it end on the third of March
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	checked := false
	err = a.serve(ctx, c, machineOptions{roles: roles{true, true, true}, inside: func(ctx context.Context, m *machine) {
		defer stop()
		points := func(g streaming.Generation, metric metrics.Name) (all map[timeline.Millis]string) {
			all = map[timeline.Millis]string{}
			list, err := m.database.NewReader().Points(ctx, metrics.Query{Generation: g, Metric: metric, Teams: []string{"acme/web"}, Grain: metrics.Day, From: first, To: now})
			if err != nil {
				t.Error(err)
			}
			for _, p := range list {
				value, ok := p.Value()
				all[p.Start] = fmt.Sprintf("n=%d value=%v %v", p.N(), value, ok)
				if p.Start < april {
					all[p.Start] += fmt.Sprint(" version=", uint64(p.Version))
				}
			}
			return all
		}
		live := func(above streaming.Generation) (g streaming.Generation) {
			await(t, make(chan int), func() error {
				as, err := m.database.NewReader().AsOf(ctx)
				if g = as.Generation; err == nil && (g <= above || as.Clock < first+150*timeline.Day) {
					err = fmt.Errorf("readers see generation %d up to %s", g, as.Clock)
				}
				return err
			})
			return g
		}
		before := live(0)
		want := map[metrics.Name]map[timeline.Millis]string{}
		for _, metric := range []metrics.Name{"deploy_frequency", "pr_pickup_time"} {
			if want[metric] = points(0, metric); len(want[metric]) < 150 {
				t.Fatalf("%d days of %s", len(want[metric]), metric)
			}
		}
		same := func(what string) {
			t.Helper()
			for metric, days := range want {
				got := points(0, metric)
				for at, p := range days {
					if got[at] != p {
						t.Errorf("%s: %s of %s is %q, was %q", what, metric, at, got[at], p)
					}
				}
				if len(got) != len(days) {
					t.Errorf("%s: %d days of %s, were %d", what, len(got), metric, len(days))
				}
			}
		}

		if going, err := m.trim(ctx, now, 200*timeline.Day); going || err != nil {
			t.Errorf("nothing is too old: %v, %v", going, err)
		}
		if _, err := m.trim(ctx, now, 10*timeline.Day); err == nil {
			t.Error("what is kept is too short to compute anything from, and nobody said so")
		}
		await(t, make(chan int), func() error {
			going, err := m.trim(ctx, now, keep)
			if err == nil && going {
				err = fmt.Errorf("it is under way")
			}
			return err
		})
		after := live(before)
		span, err := m.log.archive.Span(0)
		if err != nil || span.Start == 0 {
			t.Errorf("the archive begins at %d, %v", span.Start, err)
		}
		if left, _ := filepath.Glob(filepath.Join(in.dir, "archive", "0", "2025-12-*")); len(left) > 0 {
			t.Errorf("%q are left of December", left)
		}
		if border, err := m.database.HistoryFrom(ctx); err != nil || border != april {
			t.Errorf("numbers are from generation 0 before %s, %v; want April", border, err)
		}
		same("trimmed")
		if going, err := m.trim(ctx, now, keep); going || err != nil {
			t.Errorf("trimming again: %v, %v", going, err)
		}
		if err := m.coordinator.Begin(ctx, "a test wants another"); err != nil {
			t.Error(err)
		}
		live(after)
		same("computed again from what is left")
		checked = true
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !checked {
		t.Error("it ended before everything was looked at")
	}
}
