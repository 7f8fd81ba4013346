package jira

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/andygrunwald/go-jira"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/ingest/payload/decodertest"
	"meridian/streaming/timeline"
)

func decode(t *testing.T, body string) ingest.Decoded {
	t.Helper()
	got, err := decoder().Decode(ingest.Delivery{Provider: provider, Name: "acme", Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Case 30 of the metrics: comment 10082 is announced twice, 10 ms apart, in two
// shapes and with times of two zones.
func TestOneComment(t *testing.T) {
	const issue = `"issue": {"id": "10010", "self": "https://acme.example.net/rest/api/2/issue/10010", "key": %q}`
	first := decode(t, fmt.Sprintf(`{"webhookEvent": "comment_created", "timestamp": 1772506800123, `+issue+`,
		"comment": {"id": "10082", "author": {"name": "mai"}, "created": "2026-03-03T10:00:00.123+0700"}}`, "OPS-7"))
	second := decode(t, fmt.Sprintf(`{"webhookEvent": "jira:issue_updated", "timestamp": 1772506800133, `+issue+`, "user": {"name": "mai"},
		"comment": {"id": "10082", "author": {"name": "mai"}, "created": "2026-03-03T03:00:00.123+0000", "updated": "2026-03-03T03:00:00.123+0000"}}`, "WEB-70"))
	a, b := first.Events[0], second.Events[0]
	if a.ID != b.ID || a.Kind != event.IssueCommented || b.Kind != a.Kind || a.Entity != b.Entity || a.Actor != b.Actor {
		t.Errorf("one comment is two facts:\n%+v\n%+v", a, b)
	}
}

// A change has one id in its webhook and in the history that the API and Automation
// give, where ids are numbers.
func TestOneTransition(t *testing.T) {
	const item = `"items": [{"field": "status", "from": "1", "fromString": "To Do", "to": "3", "toString": "In Progress"}]`
	hook := decode(t, `{"webhookEvent": "jira:issue_updated", "timestamp": 1772506800123, "issue": {"id": "10010", "self": "https://acme.example.net/rest/api/2/issue/10010"},
		"changelog": {"id": "11001", `+item+`}}`)
	bare := decode(t, `{"id": 10010, "self": "https://acme.example.net/rest/api/3/10010", "changelog": {"histories": [{"id": 11001, "created": "2026-03-03T03:00:00.101+0000", `+item+`}]}}`)
	if len(hook.Events) != 1 || len(bare.Events) != 1 || hook.Events[0].ID != bare.Events[0].ID || hook.Events[0].Entity != bare.Events[0].Entity {
		t.Errorf("one transition is two facts:\n%+v\n%+v", hook.Events, bare.Events)
	}
}

// Labels and components are repeated in every transition.
func TestHostileChangelog(t *testing.T) {
	const item = `{"field": "status", "fromString": "a", "toString": "b"}`
	body := `{"webhookEvent": "jira:issue_updated", "timestamp": 1772506800123, "issue": {"id": "1", "fields": {"labels": ["` +
		strings.Repeat("x", 1<<20) + `"]}}, "changelog": {"id": "1", "items": [` + item + strings.Repeat(", "+item, 99) + `]}}`
	if got := decode(t, body); got.Outcome != ingest.OutcomeUndecodable || got.Reason != "the changelog is too long" {
		t.Errorf("100 transitions of 1 MB each are outcome %d: %s", got.Outcome, got.Reason)
	}
}

// go-jira reads the same issues with types of its own.
func TestAgreesWithGoJira(t *testing.T) {
	compared := 0
	decodertest.Each(t, "testdata", decoder(), provider, "", func(t *testing.T, _ string, body []byte, events []event.Event) {
		var wrapped struct {
			Issue *jira.Issue `json:"issue"`
		}
		if json.Unmarshal(body, &wrapped) != nil || wrapped.Issue == nil || wrapped.Issue.Fields == nil {
			return
		}
		for _, e := range events {
			compared++
			f := wrapped.Issue.Fields
			if e.Issue.Key != wrapped.Issue.Key || e.Issue.Type != f.Type.Name || e.Scope.Project != f.Project.Key {
				t.Errorf("%s %s in %s, go-jira reads %s %s in %s", e.Issue.Type, e.Issue.Key, e.Scope.Project, f.Type.Name, wrapped.Issue.Key, f.Project.Key)
			}
			if want := time.Time(f.Created); !want.IsZero() && e.Issue.Created != timeline.FromTime(want) {
				t.Errorf("created %v, go-jira reads %v", e.Issue.Created, want)
			}
			if n := len(f.Components); len(e.Issue.Components) != n || len(e.Issue.Labels) != len(f.Labels) {
				t.Errorf("components %v, labels %v", e.Issue.Components, e.Issue.Labels)
			}
		}
	})
	if compared < 12 {
		t.Errorf("only %d events were compared", compared)
	}
}
