package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"testing"
	"time"

	"meridian/ingest/backfill/fakeapi"
	"meridian/streaming/kafka"
)

// hooked is a webhook of GitHub's, as it is sent.
func hooked(address string, body object) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, []byte("zebra"))
	mac.Write(data)
	r, err := http.NewRequest(http.MethodPost, "http://"+address+"/webhooks/github/acme", bytes.NewReader(data))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-GitHub-Event", "pull_request")
	r.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusAccepted {
		return fmt.Errorf("the webhook was answered %s", res.Status)
	}
	return nil
}

// A time in which nobody took webhooks is a gap: GitHub is asked for what failed in
// it, and what it does not keep any more a reconcile reads. Each closes it.
func TestGaps_AreHealed(t *testing.T) {
	looksBefore := lookAgain
	lookAgain = 50 * time.Millisecond
	t.Cleanup(func() { lookAgain = looksBefore })
	t.Setenv("MERIDIAN_SOURCES_GITHUB", "[{name: acme, secrets: [zebra]}]")

	api := fakeapi.NewGitHub("gh-token")
	t.Cleanup(api.Close)
	now := time.Now().Truncate(time.Second)
	repo := acmeWeb(now)
	api.Repositories = []*fakeapi.Repository{repo}
	pull := repo.Pulls[0].Object
	tell := func(action string, change object) object {
		told := object{}
		for k, v := range pull {
			told[k] = v
		}
		for k, v := range change {
			told[k] = v
		}
		return object{"action": action, "pull_request": told, "repository": repo.Object, "sender": pull["user"]}
	}
	opened := object{"state": "open", "updated_at": pull["created_at"], "closed_at": nil, "merged_at": nil, "merged": false, "merged_by": nil}

	in := newInstanceTest(t)
	configuration := fmt.Sprintf("apis: {github: [{url: %q, token: gh-token}]}", api.URL())
	s := in.start(t, "one", configuration)
	await(t, s.ended, func() error { return hooked(s.webhook, tell("opened", opened)) })
	s.numbers(t, map[string]string{"pr_opened": "1", "pr_merged": "null"})
	s.stop()

	// It was merged while nobody listened, and GitHub has tried to say so.
	alive := func(ago time.Duration) {
		if err := in.ledger(t).control.Put(t.Context(), aliveKey, strconv.AppendInt(nil, time.Now().Add(-ago).UnixMilli(), 10)); err != nil {
			t.Fatal(err)
		}
	}
	at := now.Add(-5 * time.Minute).UTC().Format(time.RFC3339)
	const hook = "repos/acme/web/hooks/1"
	var webhook string // of the server that runs; it listens a moment after it has asked, at times
	api.Change(func() {
		api.Hooks[hook] = &fakeapi.Hook{Object: object{"id": 1}, Deliveries: []object{{"id": 5, "guid": "g5", "delivered_at": at, "status_code": 502, "event": "pull_request"}}}
		api.OnRedeliver = func(h *fakeapi.Hook, id int64) {
			for err := hooked(webhook, tell("closed", nil)); err != nil; err = hooked(webhook, tell("closed", nil)) {
				if t.Context().Err() != nil {
					return // the test has ended
				}
				time.Sleep(10 * time.Millisecond)
			}
			h.Deliveries = append([]object{{"id": 6, "guid": "g5", "delivered_at": at, "status_code": 202, "event": "pull_request"}}, h.Deliveries...)
		}
	})
	start := func() *server {
		s, file := in.configured(t, "one", configuration)
		api.Change(func() { webhook = s.webhook })
		s.serves(t, "one", file)
		return s
	}
	alive(10 * time.Minute)
	s = start()
	open := func(source string) (n int) {
		control, err := kafka.OpenControl(t.Context(), in.log) // it does not follow what changes
		if err != nil {
			t.Fatal(err)
		}
		defer control.Close()
		for range control.All(gapKeys + source) {
			n++
		}
		return n
	}
	await(t, s.ended, func() error {
		if again := api.Redelivered(hook); len(again) == 0 || open("github") > 0 {
			return fmt.Errorf("%v were asked for again, %d gaps are open", again, open("github"))
		}
		return nil
	})
	s.numbers(t, map[string]string{"pr_merged": "1"})
	if n := open("deploy"); n != 1 {
		t.Errorf("%d gaps of deploy systems are open, which nobody can ask", n)
	}
	s.stop()

	// Five days are more than GitHub keeps.
	alive(5 * 24 * time.Hour)
	s = start()
	await(t, s.ended, func() error {
		if open("github") != 1 {
			return fmt.Errorf("%d gaps are open", open("github"))
		}
		return nil
	})
	var job struct{ ID string }
	await(t, s.ended, func() error {
		return askSocket(s.socket, http.MethodPost, "/api/v1/jobs", object{"kind": "reconcile"}, &job)
	})
	await(t, s.ended, func() error {
		var j struct {
			State, Error string
			Result       reconciled
		}
		if err := askSocket(s.socket, http.MethodGet, "/api/v1/jobs/"+job.ID, nil, &j); err != nil {
			return err
		}
		if j.State != "done" {
			return fmt.Errorf("the reconcile is %s: %s", j.State, j.Error)
		}
		if len(j.Result.Read) != 1 || open("github") != 0 {
			return fmt.Errorf("%+v, %d gaps are open", j.Result, open("github"))
		}
		return nil
	})
	s.numbers(t, map[string]string{"pr_opened": "1", "pr_merged": "1", "pr_reviews": "1"})
}

// askSocket asks the admin socket, and reads the answer.
func askSocket(socket, method, path string, body, to any) error {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequest(method, "http://localhost"+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	res, err := client.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s was answered %s", method, path, res.Status)
	}
	return json.NewDecoder(res.Body).Decode(to)
}
