package web_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"meridian/web"
	"meridian/web/webtest"
)

func TestAudit_TheFileIsReadFromItsEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log := web.NewAuditFile(path)
	if list, next, err := log.Recent(10, ""); list != nil || next != "" || err != nil {
		t.Fatalf("before anything: %v %q %v", list, next, err)
	}
	const n = 700 // more than a piece
	for i := range n {
		if err := log.Record(web.AuditEntry{Time: time.Unix(int64(i), 0).UTC(), Who: "owner", Verb: "look at", Subject: fmt.Sprint(i), Detail: strings.Repeat("x", i%400)}); err != nil {
			t.Fatal(err)
		}
		if i == 300 { // a crash in the middle of a line
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err == nil {
				_, err = f.WriteString(`{"time": "2026`)
			}
			if err = errors.Join(err, f.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, limit := range []int{1, 7, 100, n, 2 * n} {
		if limit == 1 && testing.Short() {
			continue
		}
		var got []string
		for before := ""; ; {
			list, next, err := log.Recent(limit, before)
			if err != nil || len(list) > limit {
				t.Fatal(len(list), err)
			}
			for _, e := range list {
				got = append(got, e.Subject)
			}
			if before = next; before == "" {
				break
			}
		}
		if len(got) != n || got[0] != fmt.Sprint(n-1) || got[n-1] != "0" {
			t.Fatalf("by %d: %d entries", limit, len(got))
		}
	}
	for _, bad := range []string{"x", "-1", "99999999999"} {
		if _, _, err := log.Recent(1, bad); err == nil {
			t.Errorf("a cursor %q", bad)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestAudit_WhoLookedAndWhoDidWhat(t *testing.T) {
	log := web.NewAuditFile(filepath.Join(t.TempDir(), "audit.jsonl"))
	s := newServer(t, webtest.Acme(), proxied, func(c *web.Config) { c.Audit = log })
	lead, boss := []string{"X-User", "lead", "X-Groups", "people"}, []string{"X-User", "boss", "X-Groups", "admin"}
	for range 3 { // a page that refreshes itself
		page(t, s, "/teams/web/pr_pickup_time", lead...)
		request(t, s, "GET", "/api/v1/evidence?metric=after_hours&team=web", lead...)
	}
	request(t, s, "GET", "/api/v1/evidence?metric=pr_merged&team=payments", lead...)
	page(t, s, "/teams/web", lead...) // numbers are no evidence
	request(t, s, "POST", "/quarantine/d-7/drop", boss...)
	request(t, s, "POST", "/quarantine/d-7/drop", lead...) // refused, and so nothing that was done
	page(t, s, "/audit", boss...)
	entries, _, err := log.Recent(100, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Who+" "+e.Verb+" "+e.Subject)
		if e.Request == "" || e.Time.IsZero() || e.Name == "" {
			t.Errorf("%+v", e)
		}
	}
	slices.Reverse(got)
	want := []string{
		"proxy:lead look at pr_pickup_time of web",
		"proxy:lead look at after_hours of web",
		"proxy:lead look at pr_merged of payments",
		"proxy:boss drop quarantine/d-7",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	contains(t, page(t, s, "/audit", boss...), "quarantine/d-7", "after_hours of web")
	var answer struct{ Items []web.AuditJSON }
	if err := json.Unmarshal([]byte(body(t, request(t, s, "GET", "/api/v1/audit?limit=2", boss...))), &answer); err != nil || len(answer.Items) != 2 || answer.Items[0].Verb != "drop" {
		t.Errorf("%+v %v", answer, err)
	}
}

// brokenAudit is a full disk.
type brokenAudit struct{ web.Audit }

func (brokenAudit) Record(web.AuditEntry) error { return errors.New("no space left on device") }

func TestAudit_WhatCannotBeWrittenDownIsNotDone(t *testing.T) {
	s := newServer(t, webtest.Acme(), proxied, withTokens(t), func(c *web.Config) { c.Audit = brokenAudit{} })
	all := as("viewer, people, admin")
	for _, c := range [][2]string{{"GET", "/api/v1/evidence?metric=after_hours&team=web"}, {"GET", "/api/v1/evidence?metric=pr_merged&team=web"}, {"POST", "/quarantine/d-7/drop"}} {
		if r := request(t, s, c[0], c[1], all...); r.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%v: %s", c, r.Status)
		}
	}
	if _, _, err := s.MakeToken(t.Context(), owner(), web.NewToken{Label: "x", Roles: web.Viewer}); err == nil || len(s.Tokens(owner(), false)) > 0 {
		t.Error("a token was made all the same")
	}
	if r := request(t, s, "GET", "/api/v1/points?team=web", all...); r.StatusCode != 200 {
		t.Errorf("numbers: %s", r.Status)
	}
}
