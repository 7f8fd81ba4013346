package github

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// twentyKB is a delivery of a pull request in GitHub's own proportions: most of it
// is addresses of the API that nobody reads.
func twentyKB(tb testing.TB) string {
	account := func(login string) map[string]any {
		a := map[string]any{"login": login, "id": 71, "type": "User", "site_admin": false}
		for i := range 12 {
			a[fmt.Sprintf("link%d_url", i)] = "https://api.github.example/users/" + login + "/things{/other_user}"
		}
		return a
	}
	repo := map[string]any{"id": 42, "full_name": "acme/web", "default_branch": "main", "pushed_at": "2026-03-02T08:59:58Z", "owner": account("acme")}
	for i := range 52 {
		repo[fmt.Sprintf("link%d_url", i)] = "https://api.github.example/repos/acme/web/things{/sha}"
	}
	tip := map[string]any{"ref": "main", "sha": strings.Repeat("a", 40), "user": account("acme"), "repo": repo}
	body, err := json.Marshal(map[string]any{
		"action": "opened", "number": 7, "repository": repo, "sender": account("mai"),
		"pull_request": map[string]any{
			"number": 7, "state": "open", "title": "WEB-12: a title", "body": strings.Repeat("some words about WEB-13 and why. ", 60),
			"user": account("mai"), "created_at": "2026-03-02T09:00:00Z", "updated_at": "2026-03-02T09:00:00Z",
			"closed_at": nil, "merged_at": nil, "head": tip, "base": tip, "additions": 30, "deletions": 4, "commits": 2,
		},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return string(body)
}

func BenchmarkDecodePullRequest(b *testing.B) {
	delivery := deliver("pull_request", twentyKB(b))
	d := decoder()
	b.SetBytes(int64(len(delivery.Body)))
	b.ReportAllocs()
	for b.Loop() {
		if got, err := d.Decode(delivery); err != nil || len(got.Events) != 1 {
			b.Fatal(got, err)
		}
	}
}
