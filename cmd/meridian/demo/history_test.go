package demo

import (
	"crypto/sha256"
	"fmt"
	"testing"

	gogithub "github.com/google/go-github/v62/github"

	"meridian/ingest"
	"meridian/streaming/timeline"
)

func hashOf(t *testing.T, o *Organisation) string {
	t.Helper()
	h := sha256.New()
	w := ingest.NewArchiveWriter(h)
	for line := range o.History() {
		if err := w.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	h.Write(o.Catalog())
	fmt.Fprint(h, o.Sources())
	return fmt.Sprintf("%x", h.Sum(nil))
}

func TestTheSameSeedAndMomentGiveTheSameBytes(t *testing.T) {
	now := instant(t, "2026-03-02T09:30:00Z")
	first := hashOf(t, New(7, now))
	if again := hashOf(t, New(7, now)); again != first {
		t.Error("two histories of one seed differ")
	}
	if other := hashOf(t, New(8, now)); other == first {
		t.Error("two seeds have one history")
	}
	if other := hashOf(t, New(7, now+timeline.Second)); other == first {
		t.Error("two moments have one history")
	}
}

func TestDeliveriesAreInOrderOfReceiptAndBeforeNow(t *testing.T) {
	for name, o := range organisations(t) {
		last, n := o.start, 0
		for line := range o.History() {
			n++
			d := line.Delivery
			if line.Number != n || d == nil || d.Received < last || d.Received >= o.now {
				t.Fatalf("%s: line %d (number %d): %v after %s", name, n, line.Number, d, last)
			}
			last = d.Received
		}
		if n < 12_000 || n > 25_000 {
			t.Errorf("%s: %d deliveries", name, n)
		}
		if o.now-last > timeline.Day {
			t.Errorf("%s: the last delivery is of %s", name, last)
		}
	}
}

func TestStoppingEarlyIsAllowed(t *testing.T) {
	for line := range New(1, instant(t, "2026-03-02T09:30:00Z")).History() {
		if line.Number == 10 {
			return
		}
	}
	t.Error("there were no ten lines")
}

// The payloads have GitHub's shapes as another library knows them.
func TestGoGitHubReadsThem(t *testing.T) {
	o := New(1, instant(t, "2026-03-02T09:30:00Z"))
	seen := map[string]int{}
	for line := range o.History() {
		d := line.Delivery
		name := d.Header("X-GitHub-Event")
		if d.Provider != "github" || seen[name] > 200 && name != "push" {
			continue
		}
		seen[name]++
		parsed, err := gogithub.ParseWebHook(name, jsonOf(t, d))
		if p, ok := parsed.(*gogithub.PullRequestEvent); ok && err == nil && (p.GetNumber() != p.PullRequest.GetNumber() || p.PullRequest.Head.GetSHA() == "") {
			t.Fatalf("a pull request without a number or a head: %s", d.Body)
		}
		if err != nil && string(d.Body) != "" {
			// The only one is the broken one.
			if seen["broken"]++; seen["broken"] > 1 {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	for _, name := range []string{"ping", "pull_request", "pull_request_review", "issue_comment", "push", "deployment", "deployment_status", "check_run"} {
		if seen[name] == 0 {
			t.Errorf("no %s", name)
		}
	}
}

// What is pushed to a default branch begins where the push before it ended.
func TestDefaultBranchesAreChains(t *testing.T) {
	o := New(1, instant(t, "2026-03-02T09:30:00Z"))
	type place struct {
		at            string
		before, after string
	}
	chains := map[string]map[string]place{} // repository, before
	pushes := 0
	for line := range o.History() {
		if line.Delivery.Header("X-GitHub-Event") != "push" {
			continue
		}
		var p ghPush
		parse(t, line.Delivery, &p)
		if p.Ref != "refs/heads/main" {
			continue
		}
		pushes++
		chain := chains[p.Repository.FullName]
		if chain == nil {
			chain = map[string]place{}
			chains[p.Repository.FullName] = chain
		}
		if other, ok := chain[p.Before]; ok && other.after != p.After {
			t.Fatalf("two different pushes to %s begin at %s", p.Repository.FullName, p.Before)
		}
		chain[p.Before] = place{p.Repository.UpdatedAt, p.Before, p.After}
		if p.Commits[len(p.Commits)-1].ID != p.After {
			t.Fatalf("a push to %s ends with another commit than its last", p.Repository.FullName)
		}
	}
	if pushes < 800 || len(chains) != 8 {
		t.Errorf("%d pushes to the default branches of %d repositories", pushes, len(chains))
	}
	for name, chain := range chains {
		starts := 0
		ends := map[string]bool{}
		for _, p := range chain {
			ends[p.after] = true
		}
		for before := range chain {
			if !ends[before] {
				starts++
			}
		}
		// One start; each push that is still on its way leaves another.
		if starts > 3 {
			t.Errorf("%s: the chain has %d starts", name, starts)
		}
	}
}
