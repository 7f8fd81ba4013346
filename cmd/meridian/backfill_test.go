package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"meridian/cmd/meridian/jobs"
	"meridian/ingest/backfill"
	"meridian/ingest/backfill/fakeapi"
	"meridian/streaming/timeline"
)

type object = fakeapi.Object

// acmeWeb is a repository with one pull request that was reviewed and merged, as
// its API tells of it. now is the time of the last change of all.
func acmeWeb(now time.Time) *fakeapi.Repository {
	at := func(hoursAgo int) string {
		return now.Add(-time.Duration(hoursAgo) * time.Hour).UTC().Format(time.RFC3339)
	}
	mai := object{"id": 71, "login": "mai", "type": "User"}
	jonas := object{"id": 72, "login": "jonas", "type": "User"}
	repo := object{"id": 42, "node_id": "R_42", "full_name": "acme/web", "name": "web", "default_branch": "main", "created_at": at(9000), "updated_at": at(20), "pushed_at": at(20), "private": true, "fork": false}
	commit := func(sha, parent string, hoursAgo int, message string) object {
		who := object{"name": "Mai", "email": "mai@acme.example", "date": at(hoursAgo)}
		return object{"sha": sha, "commit": object{"message": message, "author": who, "committer": who}, "author": mai, "committer": mai, "parents": []object{{"sha": parent}}}
	}
	base, first, merge := strings.Repeat("b", 40), strings.Repeat("c", 40), strings.Repeat("d", 40)
	pull := &fakeapi.Pull{
		Object: object{"id": 1001, "number": 7, "state": "closed", "title": "WEB-1 zebra", "body": "zebra", "user": mai, "draft": false,
			"created_at": at(70), "updated_at": at(22), "closed_at": at(22), "merged_at": at(22), "merged": true, "merged_by": jonas, "merge_commit_sha": merge,
			"additions": 10, "deletions": 3, "commits": 1, "review_comments": 0, "comments": 0, "labels": []object{}, "html_url": "https://github.example/acme/web/pull/7",
			"head": object{"ref": "WEB-1", "sha": first, "repo": object{"id": 42, "full_name": "acme/web"}}, "base": object{"ref": "main", "sha": base, "repo": object{"id": 42}}},
		Timeline: []object{
			{"event": "reviewed", "id": 9001, "user": jonas, "state": "approved", "submitted_at": at(46)},
			{"event": "merged", "id": 9002, "actor": jonas, "created_at": at(22)},
			{"event": "closed", "id": 9003, "actor": jonas, "created_at": at(22)},
		},
		Reviews: []object{{"id": 9001, "user": jonas, "state": "APPROVED", "submitted_at": at(46), "body": "zebra"}},
		Commits: []object{commit(first, base, 94, "zebra")},
	}
	return &fakeapi.Repository{Object: repo, Pulls: []*fakeapi.Pull{pull}, Commits: []object{commit(merge, base, 22, "Merge pull request #7 from acme/WEB-1"), commit(base, strings.Repeat("a", 40), 800, "zebra")}}
}

// numbers waits until each metric of acme/web has the values that are wanted over
// the running 30 days.
func (s *server) numbers(t *testing.T, want map[string]string) {
	t.Helper()
	await(t, s.ended, func() error {
		for metric, value := range want {
			points, err := pointsOver(s.socket, "metric="+metric+"&grain=day30&team=acme%2Fweb")
			if err != nil {
				return err
			}
			if len(points) == 0 {
				return fmt.Errorf("no point of %s", metric)
			}
			p := points[len(points)-1]
			got := "null"
			if p.Value != nil {
				got = p.Value.String()
			}
			if got != value {
				return fmt.Errorf("%s is %s (n %d, %s), want %s", metric, got, p.N, p.Missing, value)
			}
		}
		return nil
	})
}

// A backfill is a job of the running server: it reads through limits and broken
// answers, its facts make the numbers, and what is read again, or told by a
// webhook too, counts once.
func TestBackfill_OfTheRunningServer(t *testing.T) {
	api := fakeapi.NewGitHub("gh-token")
	t.Cleanup(api.Close)
	now := time.Now().Truncate(time.Second)
	api.Repositories = []*fakeapi.Repository{acmeWeb(now)}
	var failed, limited int
	api.Before = func(n int, r *http.Request) *fakeapi.Answer {
		switch {
		case n == 2:
			failed++
			return &fakeapi.Answer{Status: http.StatusBadGateway, Body: "bad gateway"}
		case strings.HasSuffix(r.URL.Path, "/timeline") && limited == 0:
			limited++
			return fakeapi.SecondaryLimit(1)
		}
		return nil
	}
	in := newInstanceTest(t)
	s := in.start(t, "one", fmt.Sprintf("apis: {github: [{url: %q, token: gh-token}]}", api.URL()))
	await(t, s.ended, func() error { _, err := command(t, "jobs", "--data-dir", s.dir); return err })

	out, err := command(t, "backfill", "github", "--repo", "acme/web", "--since", "30d", "--data-dir", s.dir)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "acme/web") || !strings.Contains(out, "total") {
		t.Errorf("the table of what was read:\n%s", out)
	}
	api.Change(func() { // under the lock that Before is called with
		if failed != 1 || limited != 1 {
			t.Errorf("%d bad gateways and %d limits were met, want one of each", failed, limited)
		}
	})
	want := map[string]string{
		"pr_opened": "1", "pr_merged": "1", "pr_reviews": "1", "pr_size": "13",
		"pr_coding_time": "86400", "pr_pickup_time": "86400", "pr_review_time": "86400", // 24 h each
	}
	s.numbers(t, want)
	requests := len(api.Requests())

	// Again: the same facts, and the same numbers.
	if out, err = command(t, "backfill", "github", "--repo", "acme/web", "--since", "31d", "--json", "--data-dir", s.dir); err != nil {
		t.Fatal(err)
	}
	var j jobs.Job
	if err := json.Unmarshal([]byte(out), &j); err != nil || j.State != jobs.Done {
		t.Fatalf("the second job is %s: %v", out, err)
	}
	var report backfill.Report
	if err := json.Unmarshal(j.Result, &report); err != nil || report.Total.PullRequests != 1 || report.Total.Reviews != 1 {
		t.Errorf("it has read %+v, %v", report, err)
	}
	if len(api.Requests()) == requests {
		t.Error("the second backfill has asked for nothing")
	}
	s.deploy(t, "run-1", "marker") // a webhook behind it: when it counts, all before it has been judged
	s.deploys(t, "marker", 1)
	s.numbers(t, want)

	if out, err = command(t, "jobs", "--data-dir", s.dir); err != nil || strings.Count(out, "done") != 2 {
		t.Errorf("the jobs: %v\n%s", err, out)
	}
}

// What cannot be asked is refused at once, with what to do.
func TestBackfill_RefusesWhatCannotWork(t *testing.T) {
	in := newInstanceTest(t)
	s := in.start(t, "one", "")
	await(t, s.ended, func() error { _, err := command(t, "jobs", "--data-dir", s.dir); return err })
	for _, c := range []struct{ args, want string }{
		{"backfill github --repo acme/web", "no API of GitHub is configured"},
		{"backfill jira --project OPS", "no API of Jira is configured"},
		{"backfill github", "exit code 2"},
		{"backfill github --repo acme/web --org acme", "exit code 2"},
		{"backfill github --repo acme/web --since tomorrow", "exit code 2"},
		{"backfill jira --project 7-x", "exit code 2"},
		{"redeliver github", "exit code 2"},
		{"jobs --cancel nothing", "there is no such job"},
	} {
		if _, err := command(t, append(strings.Fields(c.args), "--data-dir", s.dir)...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.args, err, c.want)
		}
	}
	if at, err := sinceOf("2026-01-31", time.Now()); err != nil || at != timeline.FromTime(time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("a date: %v, %v", at, err)
	}
}
