package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"meridian/e2e/instance"
	"meridian/e2e/senders"
)

// What must not be taken, or must be taken and set aside: each has an answer, and the instance works afterwards.
func TestBadInput_HasAClearAnswer(t *testing.T) {
	in := instance.Serve(t, instance.Config{Dir: filepath.Join(instance.Folder(t), "data"), Catalog: senders.Catalog})
	in.AwaitParts()
	day := monday()
	future := senders.PullRequest{Repository: senders.Web, Number: 99, Author: senders.Mai, Created: time.Date(2099, 1, 1, 9, 0, 0, 0, time.UTC)}

	typed := func(event string) map[string]string {
		return map[string]string{"Content-Type": "application/json", "X-GitHub-Event": event}
	}
	zeros := make([]byte, 26<<20)
	deep := []byte(strings.Repeat(`{"a":`, 1<<20) + "1" + strings.Repeat("}", 1<<20))
	wide := []byte(`{"action":"opened","pull_request":{"labels":[` + strings.Repeat(`{"name":"x"},`, 1<<20) + `{"name":"x"}]}}`)
	opened := senders.PullRequest{Repository: senders.Web, Number: 8, Author: senders.Mai, Created: at(day, "09:00")}.Opened()
	form := []byte("payload=" + url.QueryEscape(string(opened.Body)))
	deployment := func(text string) []byte { return []byte(text) }

	for _, c := range []struct {
		name    string
		path    string
		headers map[string]string
		body    []byte
		secret  string // "": the source's own; "none": no signature
		status  int
		says    string
	}{
		{"a right one", "/webhooks/github/acme", typed("pull_request"), opened.Body, "", 202, `"accepted"`},
		{"a wrong signature", "/webhooks/github/acme", typed("pull_request"), opened.Body, "another secret", 401, "no signature is right for this body"},
		{"no signature", "/webhooks/github/acme", typed("pull_request"), opened.Body, "none", 401, "there is no signature"},
		{"26 MB of zeros", "/webhooks/github/acme", typed("pull_request"), zeros, "", 413, "25 MiB"},
		{"11 MB to Jira", "/webhooks/jira/cloud", typed(""), zeros[:11<<20], "", 413, "10 MiB"},
		{"20 MB of zeros", "/webhooks/github/acme", typed("pull_request"), zeros[:20<<20], "", 400, "JSON"},
		{"a JSON bomb, deep", "/webhooks/github/acme", typed("pull_request"), deep, "", 400, "JSON"},
		{"a JSON bomb, wide", "/webhooks/github/acme", typed("pull_request"), wide, "", 202, `"accepted"`},
		{"not JSON", "/webhooks/jira/cloud", typed(""), []byte("hello"), "", 400, "JSON"},
		{"an unknown event type", "/webhooks/github/acme", typed("moon_phase"), []byte(`{"action":"waxed"}`), "", 202, `"ignored"`},
		{"a ping", "/webhooks/github/acme", typed("ping"), []byte(`{"zen":"zebra"}`), "", 202, `"ping"`},
		{"a form", "/webhooks/github/acme", map[string]string{"Content-Type": "application/x-www-form-urlencoded", "X-GitHub-Event": "pull_request"}, form, "", 202, `"accepted"`},
		{"a form without a payload", "/webhooks/github/acme", map[string]string{"Content-Type": "application/x-www-form-urlencoded", "X-GitHub-Event": "push"}, []byte("a=b"), "", 400, "payload"},
		{"a push that deletes a branch", "/webhooks/github/acme", typed("push"), senders.Web.DeletedBranch(senders.Mai, at(day, "10:00")).Body, "", 202, `"accepted"`},
		{"a delivery of 2099", "/webhooks/github/acme", typed("pull_request"), future.Opened().Body, "", 202, `"accepted"`},
		{"what cannot be decoded", "/webhooks/github/acme", typed("pull_request"), []byte(`{"action":7}`), "", 202, `"accepted"`},
		{"a deployment without a status", "/webhooks/deploy/ci", typed(""), deployment(`{"id":"1","service":"cart","environment":"production"}`), "", 400, "status"},
		{"a deployment with a number for its service", "/webhooks/deploy/ci", typed(""), deployment(`{"id":"1","service":7,"environment":"production","status":"success","finished_at":"2026-03-02T09:00:00Z"}`), "", 400, "service"},
		{"no such source", "/webhooks/gitlab", typed(""), []byte(`{}`), "", 404, "no such source"},
		{"plain text", "/webhooks/github/acme", map[string]string{"Content-Type": "text/plain"}, []byte("hello"), "", 415, "application/json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := http.Header{}
			for name, value := range c.headers {
				if value != "" {
					h.Set(name, value)
				}
			}
			secret := c.secret
			if secret == "" {
				secret = map[string]string{"github": instance.GitHubSecret, "jira": instance.JiraSecret, "deploy": instance.DeploySecret}[strings.Split(c.path, "/")[2]]
			}
			if secret != "none" {
				h.Set("X-Hub-Signature-256", senders.Signature(secret, c.body))
			}
			a, err := in.Ask(http.MethodPost, c.path, h, bytes.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			if a.Status != c.status || !strings.Contains(string(a.Body), c.says) {
				t.Errorf("%d: %s; want %d and %q", a.Status, a.Body, c.status, c.says)
			}
			if a.Status >= 400 && (a.Header.Get("Content-Type") != "application/problem+json" || a.Detail() == "") {
				t.Errorf("the refusal is no problem document with a detail: %s", a.Body)
			}
			if strings.Contains(string(a.Body), "zebra") {
				t.Errorf("the answer repeats what was sent: %s", a.Body)
			}
		})
	}
	if a, err := in.Ask(http.MethodGet, "/webhooks/github/acme", nil, nil); err != nil || a.Status != 405 || a.Header.Get("Allow") != "POST" {
		t.Errorf("GET of a source: %d, Allow %q, %v", a.Status, a.Header.Get("Allow"), err)
	}

	// All of it was counted, nothing has moved the clock, and numbers go on.
	in.MustSend("accepted", senders.PullRequest{Repository: senders.Web, Number: 8, Author: senders.Mai, Created: at(day, "09:00")}.Merged(senders.Jonas, at(day, "10:00")))
	instance.Await(t, func() error { return want{"pr_merged", "day", "", "-5:-30", 1, "1", ""}.check(in, day) })
	in.AwaitParts()
	if s, err := in.Status(); err != nil || s.AsOf.Clock.After(time.Now().Add(time.Minute)) {
		t.Errorf("status %+v, %v", s, err)
	}
	instance.Await(t, func() error { return rejected(in, "future") })
	var sources struct {
		Items []struct {
			Provider     string
			Ignored      int
			Pings        int
			Undecodable  int
			Refused      map[int]int
			LastError    string `json:"last_error"`
			LastDelivery string `json:"last_delivery"`
		}
	}
	body, err := in.Get("/api/v1/sources")
	if err == nil {
		err = json.Unmarshal(body, &sources)
	}
	if err != nil || len(sources.Items) != 3 {
		t.Fatalf("sources: %s, %v", body, err)
	}
	hub := sources.Items[0]
	if hub.Provider != "github" || hub.Ignored != 1 || hub.Pings != 1 || hub.Undecodable != 2 || hub.LastError == "" || hub.LastDelivery == "" ||
		!maps.Equal(hub.Refused, map[int]int{400: 3, 401: 2, 405: 1, 413: 1, 415: 1}) {
		t.Errorf("what GitHub has sent is counted as %+v", hub)
	}
}

// rejected asks for the events that were set aside, and wants one of each reason.
func rejected(in *instance.Instance, reasons ...string) error {
	body, err := in.Get("/api/v1/rejects")
	if err != nil {
		return err
	}
	var list struct {
		Items []map[string]any `json:"items"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return err
	}
	for _, reason := range reasons {
		found := false
		for _, item := range list.Items {
			found = found || item["reason"] == reason || item["verdict"] == reason
		}
		if !found {
			return fmt.Errorf("nothing was set aside as %s: %s", reason, body)
		}
	}
	return nil
}
