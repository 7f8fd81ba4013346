package jira

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"meridian/ingest"
	"meridian/ingest/backfill"
	"meridian/ingest/backfill/fakeapi"
	"meridian/ingest/event"
	decode "meridian/ingest/jira"
	"meridian/ingest/payload/decodertest"
	"meridian/streaming/timeline"
)

type world = fakeapi.Object

// began is when the jobs begin. Queries count minutes back from the site's now.
var began = time.Now().Truncate(time.Second)

func ago(hours int) string {
	return began.Add(-time.Duration(hours) * time.Hour).UTC().Format("2006-01-02T15:04:05.000-0700")
}

// issue is OPS-n, changed so many hours ago, with changes of its status and comments.
func issue(api *fakeapi.Jira, n, hours, changes, comments int) *fakeapi.JiraIssue {
	user := world{"accountId": "557058:mai", "name": "mai", "key": "mai", "displayName": "zebra"}
	if api.Email != "" {
		user = world{"accountId": "557058:mai", "displayName": "zebra"}
	}
	id := fmt.Sprint(10000 + n)
	i := &fakeapi.JiraIssue{Object: world{"id": id, "self": api.URL() + "/rest/api/2/issue/" + id, "key": fmt.Sprint("OPS-", n), "fields": world{
		"summary": "zebra", "description": "zebra", "created": ago(hours + 100), "updated": ago(hours),
		"issuetype": world{"id": "1", "name": "Bug"}, "project": world{"id": "10", "key": "OPS"}, "labels": []string{}, "reporter": user, "creator": user,
		"status": world{"id": "3", "name": "In Progress", "statusCategory": world{"key": "indeterminate"}},
	}}}
	for c := range changes {
		i.Changes = append(i.Changes, world{"id": fmt.Sprint(n*100 + c), "author": user, "created": ago(hours + 50 - c),
			"items": []world{{"field": "status", "fieldtype": "jira", "from": "1", "fromString": "To Do", "to": "3", "toString": "In Progress"}}})
	}
	for c := range comments {
		i.Comments = append(i.Comments, world{"id": fmt.Sprint(n*100 + c), "author": user, "body": "zebra", "created": ago(hours + 40 - c), "updated": ago(hours + 40 - c)})
	}
	return i
}

// memory is a log that decodes, and may fail.
type memory struct {
	t      *testing.T
	kinds  map[event.Kind]int
	seen   map[event.ID]bool
	issues []string
	covers []ingest.Coverage
	fail   func(n int) error
	n      int
}

func (m *memory) Deliver(_ context.Context, d ingest.Delivery) error {
	m.n++
	if m.fail != nil {
		if err := m.fail(m.n); err != nil {
			return err
		}
	}
	if strings.Contains(string(d.Body), `"summary"`) || strings.Contains(string(d.Body), `"description"`) {
		m.t.Error("fields that nobody decodes have left Jira")
	}
	d.ViaAPI, d.Received = true, timeline.FromTime(began)
	_, logged, err := ingest.DecodeDelivery(decode.New(decodertest.Hash), d)
	if err != nil || logged.Outcome != ingest.OutcomeAccepted {
		m.t.Errorf("a delivery cannot be decoded: %v %s %s\n%s", err, logged.Outcome, logged.Reason, d.Body)
		return nil
	}
	for _, e := range logged.Events {
		if !m.seen[e.ID] {
			m.seen[e.ID] = true
			m.kinds[e.Kind]++
		}
	}
	var bare struct{ Key string }
	if json.Unmarshal(d.Body, &bare) == nil && bare.Key != "" {
		m.issues = append(m.issues, bare.Key)
	}
	return nil
}

func (m *memory) Cover(_ context.Context, _ string, c ingest.Coverage) error {
	m.covers = append(m.covers, c)
	return nil
}

func serve(t *testing.T, email string) (*fakeapi.Jira, *Client, *memory, backfill.Work) {
	t.Helper()
	api := fakeapi.NewJira(email, "token")
	t.Cleanup(api.Close)
	c, err := NewClient(Config{URL: api.URL(), Email: email, Token: "token"})
	if err != nil {
		t.Fatal(err)
	}
	log := &memory{t: t, kinds: map[event.Kind]int{}, seen: map[event.ID]bool{}}
	return api, c, log, backfill.Work{Since: timeline.FromTime(began.AddDate(0, 0, -30)), Now: timeline.FromTime(began), Log: log}
}

func TestRead_CloudAndDataCenter(t *testing.T) {
	for name, email := range map[string]string{"Cloud": "mai@acme.example", "Data Center": ""} {
		t.Run(name, func(t *testing.T) {
			api, c, log, w := serve(t, email)
			api.PageSize, api.SearchCut = 2, 2
			for n := range 5 {
				api.Issues = append(api.Issues, issue(api, n+1, 10, n, 3))
			}
			api.Issues = append(api.Issues, issue(api, 6, 24*40, 1, 0)) // before what is asked for
			report, err := Read(t.Context(), c, Ask{Projects: []string{"OPS", "NONE"}}, w)
			if err != nil {
				t.Fatal(err)
			}
			if want := []string{"OPS-5", "OPS-4", "OPS-3", "OPS-2", "OPS-1"}; !slices.Equal(log.issues, want) {
				t.Errorf("read %v, want %v", log.issues, want)
			}
			if n := log.kinds[event.IssueTransitioned]; n != 10 || report.Total.Transitions != 10 || report.Total.Comments != 15 || report.Total.Issues != 5 {
				t.Errorf("%d transitions were decoded; the report: %+v", n, report.Total)
			}
			if len(log.covers) != 1 || log.covers[0].Scope != "OPS" || report.Failed() != 1 || !strings.Contains(report.Table(), "there is no such project") {
				t.Errorf("covered %+v\n%s", log.covers, report.Table())
			}
			if cut := api.Count("/changelog"); (cut > 0) != (email != "") {
				t.Errorf("%d requests for changelogs", cut)
			}
			if api.Denied() != 0 {
				t.Errorf("%d requests came without the right token", api.Denied())
			}
		})
	}
}

// The issue of a page's border is deleted: the one before it is the border.
func TestRead_BorderThatVanishes(t *testing.T) {
	api, c, log, w := serve(t, "")
	api.PageSize = 2
	for n := range 5 {
		api.Issues = append(api.Issues, issue(api, n+1, 10, 0, 0))
	}
	deleted := false
	api.Before = func(_ int, r *http.Request) *fakeapi.Answer {
		if !deleted && strings.Contains(r.URL.Query().Get("jql"), "key < OPS-4") {
			deleted = true
			api.Issues = slices.DeleteFunc(api.Issues, func(i *fakeapi.JiraIssue) bool { return i.Object["key"] == "OPS-4" })
		}
		return nil
	}
	report, err := Read(t.Context(), c, Ask{Projects: []string{"OPS"}}, w)
	if err != nil || report.Failed() != 0 || !deleted || len(log.issues) != 5 {
		t.Errorf("%v, read %v\n%s", err, log.issues, report.Table())
	}
}

func TestRead_GoesOnAfterACrash(t *testing.T) {
	api, c, log, w := serve(t, "mai@acme.example")
	api.SearchCut = 1
	for n := range 6 {
		api.Issues = append(api.Issues, issue(api, n+1, 10, 3, 0))
	}
	crash := errors.New("the disk is full")
	log.fail = func(n int) error {
		if n > 2 {
			return crash
		}
		return nil
	}
	var saved []byte
	w.Save = func(_ context.Context, s *backfill.State, _ bool) (err error) {
		saved, err = json.Marshal(s)
		return err
	}
	if _, err := Read(t.Context(), c, Ask{Projects: []string{"OPS"}}, w); !errors.Is(err, crash) {
		t.Fatalf("%v", err)
	}
	before := api.Count("/changelog")
	log.fail, w.State = nil, new(backfill.State)
	if err := json.Unmarshal(saved, w.State); err != nil {
		t.Fatal(err)
	}
	report, err := Read(t.Context(), c, Ask{Projects: []string{"OPS"}}, w)
	if err != nil || report.Total.Issues != 6 || report.Total.Transitions != 18 {
		t.Errorf("%v, %+v", err, report.Total)
	}
	if after := api.Count("/changelog") - before; before != 3 || after != 4 {
		t.Errorf("%d changelogs were asked for before the crash and %d after, want 3 and 4", before, after)
	}
}

func TestNewClient_Refuses(t *testing.T) {
	for _, c := range []Config{{URL: "acme.atlassian.net", Token: "t"}, {URL: "https://acme.atlassian.net"}} {
		if _, err := NewClient(c); err == nil || strings.Contains(err.Error(), "%!") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
