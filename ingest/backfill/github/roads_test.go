package github

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"meridian/ingest"
	"meridian/ingest/backfill/fakeapi"
	decode "meridian/ingest/github"
	"meridian/ingest/payload/decodertest"
	"meridian/streaming/timeline"
)

// storied is a repository with a pull request that was a draft, was approved, lost
// the approval and was merged, and with a deployment.
func storied() *fakeapi.Repository {
	repo := repository(42, "acme/web")
	p := pullRequest(7, 9)
	for k, v := range (world{"state": "closed", "closed_at": hour(9), "merged_at": hour(9), "merged": true, "merged_by": jonas, "merge_commit_sha": strings.Repeat("d", 40)}) {
		p.Object[k] = v
	}
	p.Reviews = []world{{"id": 9001, "user": jonas, "state": "DISMISSED", "submitted_at": hour(4), "body": "zebra"}}
	p.Timeline = []world{
		{"event": "ready_for_review", "id": 1, "actor": mai, "created_at": hour(2)},
		{"event": "commented", "id": 8001, "user": jonas, "actor": jonas, "created_at": hour(3), "updated_at": hour(3), "body": "zebra"},
		{"event": "reviewed", "id": 9001, "user": jonas, "state": "dismissed", "submitted_at": hour(4)},
		{"event": "review_dismissed", "id": 2, "actor": mai, "created_at": hour(5), "dismissed_review": world{"state": "approved", "review_id": 9001}},
		{"event": "convert_to_draft", "id": 3, "actor": mai, "created_at": hour(6)},
		{"event": "ready_for_review", "id": 4, "actor": mai, "created_at": hour(7)},
		{"event": "merged", "id": 5, "actor": jonas, "created_at": hour(9)},
		{"event": "closed", "id": 6, "actor": jonas, "created_at": hour(9)},
	}
	repo.Pulls = []*fakeapi.Pull{p}
	deployment := world{"id": 300, "sha": strings.Repeat("d", 40), "ref": "main", "task": "deploy", "environment": "production", "creator": mai, "created_at": hour(10), "updated_at": hour(11)}
	repo.Deployments = []*fakeapi.Deployment{{Object: deployment, Statuses: []world{
		{"id": 302, "state": "success", "environment": "production", "creator": mai, "created_at": hour(11), "updated_at": hour(11)},
		{"id": 301, "state": "in_progress", "environment": "production", "creator": mai, "created_at": hour(10), "updated_at": hour(10)},
	}}}
	return repo
}

// Each fact is told as it was then, though the API tells how it is now.
func TestRead_AsItWasThen(t *testing.T) {
	api, log := serve(t, storied())
	read(t, api, log, "acme/web")
	for _, want := range []string{
		"opened draft=true merged=false",
		"ready_for_review draft=false merged=false",
		"converted_to_draft draft=true merged=false",
		"submitted draft=false merged=false APPROVED",
		"dismissed draft=false merged=false DISMISSED",
		"closed draft=false merged=true",
	} {
		if !slices.Contains(log.told, want) {
			t.Errorf("%q is not told; these are:\n%s", want, strings.Join(log.told, "\n"))
		}
	}
}

// What webhooks have told has the same ids when it is read.
func TestRead_SameIDsAsWebhooks(t *testing.T) {
	repo := storied()
	api, log := serve(t, repo)
	read(t, api, log, "acme/web")
	pull := func(at int, change world) world {
		o := world{}
		for k, v := range repo.Pulls[0].Object {
			o[k] = v
		}
		for k, v := range (world{"updated_at": hour(at), "state": "open", "draft": false, "closed_at": nil, "merged_at": nil, "merged": false, "merged_by": nil}) {
			o[k] = v
		}
		for k, v := range change {
			o[k] = v
		}
		return o
	}
	review := func(state string) world {
		return world{"id": 9001, "user": jonas, "state": state, "submitted_at": hour(4)}
	}
	d := repo.Deployments[0]
	for _, c := range []struct {
		typ  string
		body world
	}{
		{"pull_request", world{"action": "opened", "pull_request": pull(0, world{"draft": true}), "sender": mai}},
		{"pull_request", world{"action": "ready_for_review", "pull_request": pull(2, nil), "sender": mai}},
		{"pull_request", world{"action": "converted_to_draft", "pull_request": pull(6, world{"draft": true}), "sender": mai}},
		{"pull_request", world{"action": "closed", "pull_request": repo.Pulls[0].Object, "sender": jonas}},
		{"pull_request_review", world{"action": "submitted", "review": review("approved"), "pull_request": pull(4, nil), "sender": jonas}},
		{"pull_request_review", world{"action": "dismissed", "review": review("dismissed"), "pull_request": pull(5, nil), "sender": mai}},
		{"issue_comment", world{"action": "created", "issue": world{"number": 7, "state": "open", "user": mai, "created_at": hour(0), "labels": []world{}, "pull_request": world{"merged_at": nil}},
			"comment": world{"id": 8001, "user": jonas, "created_at": hour(3), "updated_at": hour(3), "body": "zebra"}, "sender": jonas}},
		{"deployment", world{"action": "created", "deployment": d.Object, "sender": mai}},
		{"deployment_status", world{"action": "created", "deployment": d.Object, "deployment_status": d.Statuses[0], "sender": mai}},
		{"deployment_status", world{"action": "created", "deployment": d.Object, "deployment_status": d.Statuses[1], "sender": mai}},
	} {
		c.body["repository"] = repo.Object
		data, err := json.Marshal(c.body)
		if err != nil {
			t.Fatal(err)
		}
		_, logged, err := ingest.DecodeDelivery(decode.New(decodertest.Hash), ingest.Delivery{
			Provider: "github", Name: "acme", Body: data, Received: timeline.FromTime(base.AddDate(0, 1, 0)),
			Headers: map[string]string{"X-Github-Event": c.typ, "Content-Type": "application/json"}})
		if err != nil || logged.Outcome != ingest.OutcomeAccepted || len(logged.Events) == 0 {
			t.Errorf("%s %v is not decoded: %v, %s %s", c.typ, c.body["action"], err, logged.Outcome, logged.Reason)
			continue
		}
		for _, e := range logged.Events {
			got, ok := log.events[e.ID]
			if !ok {
				t.Errorf("%s %v: the %v at %s is not among what was read", c.typ, c.body["action"], e.Kind, e.Time)
			} else if got.Time != e.Time || got.Kind != e.Kind {
				t.Errorf("%s %v: a %v at %s by webhook, a %v at %s when read", c.typ, c.body["action"], e.Kind, e.Time, got.Kind, got.Time)
			}
		}
	}
}

func TestRedeliver(t *testing.T) {
	api := fakeapi.NewGitHub("gh-token")
	t.Cleanup(api.Close)
	api.PageSize = 2
	try := func(id, at, status int, guid string) world {
		return world{"id": id, "guid": guid, "delivered_at": hour(at), "status_code": status, "event": "push"}
	}
	api.Hooks["repos/acme/web/hooks/1"] = &fakeapi.Hook{Object: world{"id": 1}, Deliveries: []world{
		try(9, 9, 502, "late"), try(8, 8, 200, "b"), try(7, 7, 502, "c"), try(6, 6, 0, "a"), try(5, 5, 200, "d"), try(4, 4, 500, "b"), try(3, 3, 502, "c"), try(2, 0, 502, "old"),
	}}
	c := client(t, Config{URL: api.URL(), Token: "gh-token"})
	got, err := Redeliver(t.Context(), c, Hooks{Repositories: []string{"acme/web"}}, base.Add(90*60e9), base.Add(8*3600e9), func(Redelivered) {})
	if err != nil {
		t.Fatal(err)
	}
	// b worked later, c failed twice and is asked for once, by its last attempt.
	if asked := api.Redelivered("repos/acme/web/hooks/1"); !slices.Equal(asked, []int64{6, 7}) || got != (Redelivered{Hooks: 1, Seen: 7, Asked: 2, Whole: true}) {
		t.Errorf("asked for %v, %+v", asked, got)
	}
	if n := api.Count("cursor=v1_"); n != 3 {
		t.Errorf("%d pages behind a cursor, want 3", n)
	}
}

// Of repositories that deliveries have come of, whoever's hook sent them: the
// owner's sends of all, a repository's own of itself, and whoever has neither may
// have one that this token may not see.
func TestRedeliver_WhoeverSent(t *testing.T) {
	api := fakeapi.NewGitHub("gh-token")
	t.Cleanup(api.Close)
	failed := func(id int) *fakeapi.Hook {
		return &fakeapi.Hook{Object: world{"id": id}, Deliveries: []world{{"id": 10 + id, "guid": "g", "delivered_at": hour(3), "status_code": 502, "event": "push"}}}
	}
	api.Hooks["orgs/acme/hooks/1"], api.Hooks["repos/other/web/hooks/2"] = failed(1), failed(2)
	api.OnRedeliver = func(h *fakeapi.Hook, id int64) {
		h.Deliveries = append([]world{{"id": id + 100, "guid": "g", "delivered_at": hour(4), "status_code": 202, "event": "push"}}, h.Deliveries...)
	}
	c := client(t, Config{URL: api.URL(), Token: "gh-token"})
	for _, x := range []struct {
		repositories []string
		whole        bool
		hooks, asked int
	}{
		{[]string{"acme/api", "acme/web", "other/web"}, true, 2, 2},
		{[]string{"acme/web", "third/web"}, false, 1, 0}, // it has worked meanwhile
		{nil, false, 0, 0},
	} {
		of := Hooks{Found: true, Repositories: x.repositories}
		before, err := Failing(t.Context(), c, of, base, base.Add(8*3600e9))
		if err != nil || before != x.asked {
			t.Errorf("%v: %d are failing, %v", x.repositories, before, err)
		}
		got, err := Redeliver(t.Context(), c, of, base, base.Add(8*3600e9), func(Redelivered) {})
		if err != nil || got.Whole != x.whole || got.Hooks != x.hooks || got.Asked != x.asked {
			t.Errorf("%v: %+v, %v", x.repositories, got, err)
		}
		if after, err := Failing(t.Context(), c, of, base, base.Add(8*3600e9)); err != nil || after != 0 {
			t.Errorf("%v: %d are failing still, %v", x.repositories, after, err)
		}
	}
}
