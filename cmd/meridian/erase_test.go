package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"meridian/ingest"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// everywhere says where a text is, in any case, in all that an instance keeps: the
// bytes of every file of its data directory, unpacked where they are packed.
func everywhere(t *testing.T, dir string, texts ...string) (found []string) {
	t.Helper()
	unpack, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unpack.Close()
	look := func(where string, data []byte) {
		lower := bytes.ToLower(data)
		for _, text := range texts {
			if i := bytes.Index(lower, []byte(strings.ToLower(text))); i >= 0 {
				found = append(found, fmt.Sprintf("%s: ...%q", where, data[max(0, i-40):min(len(data), i+40)]))
			}
		}
	}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a server that runs has removed it meanwhile
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		look(path, data)
		for rest := data; ; { // frames of the archive, snapshots
			i := bytes.Index(rest, []byte{0x28, 0xb5, 0x2f, 0xfd})
			if i < 0 {
				return nil
			}
			r, err := zstd.NewReader(bytes.NewReader(rest[i:]), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
			if err != nil {
				return err
			}
			plain, _ := io.ReadAll(r) // what is behind the frame is none
			r.Close()
			look(path+" (unpacked)", plain)
			rest = rest[i+4:]
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

const zebra, zebraID, zebraMail = "zebra-mai", "990099", "zebra.mai@acme.example"

// zebraHistory is a small history in which somebody opens, reviews, commits and
// deploys, on a branch and in a repository of their own too.
func zebraHistory(t *testing.T) (file string, last timeline.Millis) {
	t.Helper()
	at := timeline.Millis(1_772_445_600_000)
	var text bytes.Buffer
	out := ingest.NewArchiveWriter(&text)
	add := func(provider, kind, body string) {
		at += timeline.Minute
		d := &ingest.Delivery{Provider: provider, Name: "ci", Received: at, Body: []byte(strings.ReplaceAll(body, "NOW", (at - timeline.Second).String()))}
		if kind != "" {
			d.Name, d.Headers = "acme", map[string]string{"X-GitHub-Event": kind, "Content-Type": "application/json"}
		}
		if err := out.Write(ingest.ArchiveLine{Delivery: d}); err != nil {
			t.Fatal(err)
		}
	}
	user := func(id, login string) string {
		return fmt.Sprintf(`{"id": %s, "login": %q, "type": "User"}`, id, login)
	}
	mai, jonas := user(zebraID, "Zebra-Mai"), user("72", "jonas")
	pr := func(n int, action string, author, sender string, more string) {
		add("github", "pull_request", fmt.Sprintf(`{"action": %q, "repository": {"id": 42, "full_name": "acme/web", "default_branch": "main"}, "sender": %s,
			"pull_request": {"number": %d, "state": "open", "user": %s, "created_at": "NOW", "updated_at": "NOW", "head": {"ref": "zebra-mai/fix-%d", "sha": "aa%038d"}, "base": {"ref": "main"},
			"html_url": "https://github.com/acme/web/pull/%d", "title": "one", "additions": 3, "deletions": 1 %s}}`, action, sender, n, author, n, n, n, more))
	}
	pr(1, "opened", mai, mai, "")
	add("github", "pull_request_review", fmt.Sprintf(`{"action": "submitted", "repository": {"id": 42, "full_name": "acme/web", "default_branch": "main"}, "sender": %s,
		"review": {"id": 5, "user": %s, "state": "approved", "submitted_at": "NOW"}, "pull_request": {"number": 1, "state": "open", "user": %s, "created_at": "NOW", "updated_at": "NOW", "head": {"ref": "zebra-mai/fix-1", "sha": "aa"}, "base": {"ref": "main"}}}`, jonas, jonas, mai))
	pr(2, "opened", jonas, jonas, "")
	add("github", "pull_request_review", fmt.Sprintf(`{"action": "submitted", "repository": {"id": 42, "full_name": "acme/web", "default_branch": "main"}, "sender": %s,
		"review": {"id": 6, "user": %s, "state": "approved", "submitted_at": "NOW"}, "pull_request": {"number": 2, "state": "open", "user": %s, "created_at": "NOW", "updated_at": "NOW", "head": {"ref": "x", "sha": "aa"}, "base": {"ref": "main"}}}`, mai, mai, jonas))
	add("github", "push", fmt.Sprintf(`{"ref": "refs/heads/main", "before": "%040d", "after": "%040d", "repository": {"id": 77, "full_name": "zebra-mai/tool", "default_branch": "main"}, "sender": %s, "pusher": {"name": "Zebra-Mai", "email": %q},
		"commits": [{"id": "%040d", "message": "one", "timestamp": "NOW", "author": {"name": "Zebra Mai", "email": %q, "username": "Zebra-Mai"}, "added": [], "removed": [], "modified": ["a"]}]}`, 1, 2, mai, zebraMail, 2, zebraMail))
	add("deploy", "", `{"id": "run-1", "service": "checkout", "environment": "production", "status": "success", "finished_at": "NOW", "actor": "zebra-mai"}`)
	add("github", "member", fmt.Sprintf(`{"action": "added", "member": %s, "repository": {"id": 42, "full_name": "acme/web"}, "sender": %s}`, mai, jonas))
	file = filepath.Join(t.TempDir(), "history.jsonl")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, (at + 499) / 500 * 500
}

// A person is erased: no byte of the data directory, of a topic or a table holds a
// login, number or address of theirs; what they did counts for the work all the
// same; and what comes of them later is taken without them.
func TestAPersonIsErased(t *testing.T) {
	catalog := func(people string) []byte {
		return []byte("teams:\n  - {name: web, repositories: [acme/web], services: [checkout]}\npeople:\n  - {name: Jonas, github: [jonas], teams: [web]}\n" + people)
	}
	file, last := zebraHistory(t)
	address := freeAddress(t)
	in := newTestInstance(t, catalog("  - {name: Zebra, github: [zebra-mai], emails: ["+zebraMail+"], teams: [web]}\n"), kafka.EmbeddedEvents, "webhook_listen: "+address+"\n")
	in.command(t, "import", file)
	names := []string{zebra, zebraID, zebraMail, "Zebra"}
	points := func() string {
		return in.command(t, "sql", "--format", "TabSeparated", "SELECT metric, sum(n) FROM points_live FINAL WHERE generation = (SELECT argMax(generation, sequence) FROM generations FINAL) AND grain = 'day' AND service = '' AND metric IN ('deploy_frequency', 'pr_pickup_time') GROUP BY metric ORDER BY metric")
	}
	refused := func(args ...string) string {
		t.Helper()
		var said bytes.Buffer
		if code := run(t.Context(), append(args, "--config", in.config), streams{in: strings.NewReader(""), out: io.Discard, err: &said}); code != exitError {
			t.Errorf("%q: exit code %d, said %q", args, code, said.String())
		}
		return said.String()
	}

	in.serve(t, last, func() {
		if len(everywhere(t, in.dir, names[:3]...)) < 3 {
			t.Fatal("nothing of them is found before; this test looks in the wrong places")
		}
		if said := refused("erase", "--person", "zebra-mai"); !strings.Contains(said, "the catalog still names") {
			t.Errorf("while the catalog names them: %q", said)
		}
		if said := refused("erase", "--person", "somebody-else"); !strings.Contains(said, "nobody on the log") || strings.Contains(said, "somebody-else is\n") {
			t.Errorf("somebody whom nobody knows: %q", said)
		}
		before := points()

		without := filepath.Join(t.TempDir(), "catalog.yaml")
		if err := os.WriteFile(without, catalog(""), 0o600); err != nil {
			t.Fatal(err)
		}
		in.command(t, "catalog", "apply", without)
		var plan eraseAnswer
		if err := json.Unmarshal([]byte(in.command(t, "erase", "--person", "zebra-mai", "--dry-run", "--json")), &plan); err != nil {
			t.Fatal(err)
		}
		if log := in.command(t, "audit"); !strings.Contains(log, "erase (dry run)") || strings.Count(log, "apply") != 1 {
			t.Errorf("the audit log takes a dry run for the act: %s", log)
		}
		var found []string
		for _, n := range plan.Plan.Names {
			found = append(found, n.Provider)
		}
		if plan.Job != nil || plan.Plan.Events < 5 || !slices.Contains(found, "email") || strings.Count(fmt.Sprint(found), "github") != 2 {
			t.Errorf("the plan is %+v", plan)
		}

		var j struct {
			State  string
			Result eraseResult
		}
		if err := json.Unmarshal([]byte(in.command(t, "erase", "--person", "zebra-mai", "--json")), &j); err != nil {
			t.Fatal(err)
		}
		if j.State != "done" || j.Result.Deliveries < 6 || j.Result.Generation < 2 || j.Result.Dropped < 1 || !j.Result.AgedOut {
			t.Errorf("the job is %+v", j)
		}
		if where := everywhere(t, in.dir, names...); len(where) > 0 {
			t.Errorf("they are still in\n%s", strings.Join(where, "\n"))
		}
		for _, table := range []string{"points", "observations", "quality", "rejects", "coverage"} {
			for _, side := range []string{"live", "replay"} {
				rows := in.command(t, "sql", "--json", fmt.Sprintf("SELECT * FROM %s_%s", table, side))
				for _, name := range names {
					if strings.Contains(strings.ToLower(rows), strings.ToLower(name)) {
						t.Errorf("%s_%s holds %s", table, side, name)
					}
				}
			}
		}
		// What they opened and deployed counts; a review by an account that is gone ends no
		// wait, as with every deleted account.
		if after := points(); before != "deploy_frequency\t1\npr_pickup_time\t2\n" || after != "deploy_frequency\t1\npr_pickup_time\t1\n" {
			t.Errorf("their work was\n%sand is\n%s", before, after)
		}

		// Whatever comes of them from now on is taken without them.
		body := fmt.Appendf(nil, `{"id": "run-2", "service": "checkout", "environment": "production", "status": "success", "finished_at": %q, "actor": "zebra-mai"}`, time.Now().UTC().Format(time.RFC3339))
		await(t, make(chan int), func() error { return deliver("http://"+address+"/webhooks/deploy/ci", "zebra", body) })
		await(t, make(chan int), func() error {
			rows := in.command(t, "sql", "--format", "TabSeparated", "SELECT count() FROM observations_live FINAL WHERE metric = 'deploy_frequency' AND entity LIKE '%run-2%'")
			if strings.TrimSpace(rows) == "0" {
				return fmt.Errorf("no row of what came afterwards")
			}
			return nil
		})
	})
	if where := everywhere(t, in.dir, names...); len(where) > 0 {
		t.Errorf("after the end they are in\n%s", strings.Join(where, "\n"))
	}
	exported := filepath.Join(t.TempDir(), "log.jsonl")
	in.command(t, "export", exported)
	data, err := os.ReadFile(exported)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if bytes.Contains(bytes.ToLower(data), []byte(strings.ToLower(name))) {
			t.Errorf("an export holds %s", name)
		}
	}
	if !bytes.Contains(data, []byte(`{"erase":"`)) || !bytes.Contains(data, []byte("erased~")) {
		t.Error("an export does not tell that somebody was erased")
	}
}
