package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// An archive says what an import has covered and what may be missing, and
// covered_days of the printed rows follow.
func TestReplayInput_CoverageAndGaps(t *testing.T) {
	opened := archiveText(t, "2026-03-20T09:00:00Z", "pull_request", object{
		"action": "opened", "sender": object{"id": 71, "login": "mai", "type": "User"}, "repository": object{"id": 42, "full_name": "acme/web", "default_branch": "main"},
		"pull_request": object{
			"id": 1001, "number": 7, "state": "open", "user": object{"id": 71, "login": "mai", "type": "User"}, "draft": false, "created_at": "2026-03-20T08:59:00Z", "updated_at": "2026-03-20T08:59:00Z",
			"head": object{"ref": "x", "sha": "c", "repo": object{"id": 42}}, "base": object{"ref": "main", "sha": "b", "repo": object{"id": 42}},
		},
	})
	later := archiveText(t, "2026-03-24T12:00:00Z", "ping", object{"zen": "Hello."})
	const (
		covered = `{"coverage":{"source":"github","scope":"acme/web","from":"2026-03-10T12:00:00Z","to":"2026-03-20T09:00:00Z"}}`
		gap     = `{"gap":{"source":"github","from":"2026-03-21T00:00:00Z","to":"2026-03-24T00:00:00Z"}}`
		healed  = `{"coverage":{"source":"github","from":"2026-03-21T00:00:00Z","to":"2026-03-24T00:00:00Z"}}`
	)
	for _, c := range []struct {
		lines []string
		want  int
	}{
		{nil, 5},                             // since the first delivery
		{[]string{covered}, 15},              // and ten days before it
		{[]string{gap, covered}, 12},         // without the three that may be missing
		{[]string{covered, gap, healed}, 15}, // which came after all
	} {
		var text bytes.Buffer
		for _, line := range append(append([]string{opened}, c.lines...), later) {
			text.WriteString(line + "\n")
		}
		file := filepath.Join(t.TempDir(), "archive.jsonl")
		if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := command(t, "replay", "--input", file, "--print", "--final", "--grain", "day30")
		if err != nil {
			t.Fatal(err)
		}
		last := -1 // of the row of the running day, which is the latest
		lines := bufio.NewScanner(bytes.NewReader([]byte(out)))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var p struct {
				Metric, Team, Service string
				CoveredDays           *int `json:"covered_days"`
			}
			if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
				t.Fatal(err)
			}
			if p.Metric == "pr_opened" && p.Team == "acme/web" && p.Service == "" && p.CoveredDays != nil {
				last = *p.CoveredDays
			}
		}
		if last != c.want {
			t.Errorf("%v: %d days are covered, not %d", c.lines, last, c.want)
		}
	}
}

// archiveText is a line of an archive with a delivery of GitHub's.
func archiveText(t *testing.T, received, typ string, body object) string {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	line, err := json.Marshal(object{"source": "github", "received": received, "headers": object{"X-GitHub-Event": typ, "Content-Type": "application/json"}, "body": string(text)})
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}
