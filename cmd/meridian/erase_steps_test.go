package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"

	"meridian/cmd/meridian/jobs"
	"meridian/ingest"
	"meridian/storage"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// An erasure whose process ends before one of its steps, and again before others, goes
// on at the next start and is whole in the end: with promotion by hand, and with
// numbers of theirs in generation 0, which no log can compute again.
func TestAnErasureGoesOn(t *testing.T) {
	file, last := zebraHistory(t)
	last = ownRepository(t, file, last)
	in := newTestInstance(t, nil, kafka.EmbeddedEvents, "generations: {promote: manual}\n") // no catalog: a repository is its own team
	in.command(t, "import", file)
	a := &app{configFile: in.config, streams: streams{err: outputOf(t)}, log: slog.New(slog.NewTextHandler(outputOf(t), nil))}
	c, err := a.config(nil)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{zebra, zebraID, zebraMail}
	var kept string // how many points generation 0 has, and how many observations
	// Before the archive is redacted, before history is computed, when it has been and the
	// old ones are still there, and before generation 0 is changed; then to the end.
	endings := []int{1, 4, 5, 7, wholly}
	for run, ends := range endings {
		ctx, stop := context.WithCancel(t.Context())
		reached := false
		err := a.serve(ctx, c, machineOptions{
			roles: roles{true, true, true},
			erasing: func(step int) error {
				if step == ends { // the process ends here
					reached = true
					stop()
				}
				return ctx.Err()
			},
			inside: func(ctx context.Context, m *machine) {
				defer stop()
				ask := func(text string) string { return asked(ctx, t, m, text) }
				if run == 0 {
					await(t, make(chan int), func() error {
						as, err := m.database.NewReader().AsOf(ctx)
						if err == nil && (as.Generation == 0 || as.Clock < last) {
							err = fmt.Errorf("readers see generation %d up to %s", as.Generation, as.Clock)
						}
						return err
					})
					if err := m.database.Keep(ctx, 1, last+timeline.Day); err != nil {
						t.Error(err)
					}
					if err := m.database.SetHistoryFrom(ctx, last+timeline.Day); err != nil {
						t.Error(err)
					}
					if n := ask("SELECT countIf(team LIKE 'zebra%') > 0, countIf(url LIKE '%zebra-mai%') > 0, countIf(person != toFixedString('', 16)) > 0 FROM observations_live WHERE generation = 0"); n != "1\t1\t1" {
						t.Errorf("generation 0 has too little of them to tell: %q", n)
					}
					kept = ask("SELECT count() FROM points_live FINAL WHERE generation = 0")
					await(t, make(chan int), func() error {
						said, err := m.beginErasure(ctx, eraseAsk{Person: zebra})
						if err == nil && (said.Plan.Refused != "" || said.Job == nil) {
							err = fmt.Errorf("refused: %s", said.Plan.Refused)
						}
						return err
					})
				}
				if ends != wholly {
					<-ctx.Done()
					return
				}
				var j jobs.Job
				await(t, make(chan int), func() error {
					if j = m.jobs.List()[0]; !j.State.Over() {
						return fmt.Errorf("the job is at %s", j.Progress.Text)
					}
					return nil
				})
				var r eraseResult
				if err := json.Unmarshal(j.Result, &r); err != nil || j.State != jobs.Done || j.Runs != len(endings) || r.Deliveries < 6 || r.Dropped < 1 {
					t.Errorf("the job is %s after %d runs: %+v, %v, %s", j.State, j.Runs, r, err, j.Error)
				}
				if turn, err := m.room.live(); err != nil || turn.Generation != r.Generation {
					t.Errorf("readers see generation %d, %v; want %d", turn.Generation, err, r.Generation)
				}
				if all, err := m.room.manifests(); err != nil || all[0].Number < r.Generation {
					t.Errorf("generation %d is still there, %v", all[0].Number, err)
				}
				if got := ask("SELECT count() FROM points_live FINAL WHERE generation = 0"); got != kept {
					t.Errorf("generation 0 has %s points, had %s", got, kept)
				}
				for table, columns := range map[string]string{"points": "team", "observations": "team, url, label, entity, item", "quality": "team", "rejects": "team, detail, entity", "coverage": "team"} {
					rows := strings.ToLower(ask(fmt.Sprintf("SELECT %s FROM %s_live WHERE generation = 0", columns, table)))
					for _, name := range names {
						if strings.Contains(rows, name) {
							t.Errorf("%s of generation 0 has %s:\n%s", table, name, rows)
						}
					}
				}
			},
		})
		stop()
		if err != nil {
			t.Fatal(err)
		}
		if ends != wholly && !reached {
			t.Fatalf("the process did not end before step %d", ends)
		}
	}
	if where := everywhere(t, in.dir, names...); len(where) > 0 {
		t.Errorf("they are still in\n%s", strings.Join(where, "\n"))
	}
}

// wholly is the step before which nothing ends.
const wholly = -1

// ownRepository adds to an archive a pull request in a repository of zebra's own, which
// without a catalog is a team.
func ownRepository(t *testing.T, file string, last timeline.Millis) timeline.Millis {
	t.Helper()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := last + timeline.Minute
	body := fmt.Sprintf(`{"action": "opened", "repository": {"id": 77, "full_name": "zebra-mai/tool", "default_branch": "main"}, "sender": {"id": %[1]s, "login": "Zebra-Mai", "type": "User"},
		"pull_request": {"number": 3, "state": "open", "user": {"id": %[1]s, "login": "Zebra-Mai", "type": "User"}, "created_at": %[2]q, "updated_at": %[2]q, "head": {"ref": "x", "sha": "aa"}, "base": {"ref": "main"},
		"html_url": "https://github.com/zebra-mai/tool/pull/3"}}`, zebraID, (at - timeline.Second).String())
	err = ingest.NewArchiveWriter(f).Write(ingest.ArchiveLine{Delivery: &ingest.Delivery{
		Provider: "github", Name: "acme", Received: at, Body: []byte(body), Headers: map[string]string{"X-GitHub-Event": "pull_request", "Content-Type": "application/json"},
	}})
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return at
}

// asked is what the database answers to a question.
func asked(ctx context.Context, t *testing.T, m *machine, text string) string {
	t.Helper()
	answer, err := m.database.Raw(ctx, storage.Raw{Text: text, Format: "TabSeparated"})
	if err != nil {
		t.Error(err)
		return ""
	}
	defer answer.Close()
	data, err := io.ReadAll(answer)
	if err != nil {
		t.Error(err)
	}
	return strings.TrimSpace(string(data))
}
