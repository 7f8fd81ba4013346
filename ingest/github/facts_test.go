package github

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"meridian/ingest"
	"meridian/ingest/event"
)

func deliver(name, body string) ingest.Delivery {
	return ingest.Delivery{
		Provider: provider, Name: "acme",
		Headers: map[string]string{"X-Github-Event": name, "Content-Type": "application/json"},
		Body:    []byte(body),
	}
}

func decode(t *testing.T, name, body string) ingest.Decoded {
	t.Helper()
	got, err := decoder().Decode(deliver(name, body))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// One fact has one id, whatever hook it came by: the GUID of the delivery, the
// installation and the sender are no part of it.
func TestOneFactOneID(t *testing.T) {
	const pr = `{"action": "opened", "pull_request": {"number": 7, "created_at": "2026-03-02T09:00:00Z"}, "repository": {"id": 42, "full_name": %q}%s}`
	byRepository := decode(t, "pull_request", fmt.Sprintf(pr, "acme/web", ""))
	byApp := decode(t, "pull_request", fmt.Sprintf(pr, "acme/shop", `, "installation": {"id": 5}, "organization": {"id": 9}`))
	if a, b := byRepository.Events[0], byApp.Events[0]; a.ID != b.ID || a.Entity != b.Entity {
		t.Errorf("a renamed repository or another hook makes another fact: %v %v, %v %v", a.ID, a.Entity, b.ID, b.Entity)
	}
}

// Cases 18 and 28 of the metrics: whatever the order, each status is the fact that
// it is, dated by itself.
func TestStatusesOfOneDeployment(t *testing.T) {
	const body = `{"action": "created", "deployment": {"id": 501, "environment": "production", "created_at": "2026-03-02T10:00:00Z"},
		"deployment_status": {"id": %d, "state": %q, "created_at": %q}, "repository": {"id": 42}}`
	seen := map[event.ID]event.DeploymentState{}
	for i, s := range []struct {
		state, at string
		want      event.DeploymentState
	}{
		{"queued", "2026-03-02T10:00:01Z", event.DeploymentPending},
		{"in_progress", "2026-03-02T10:00:02Z", event.DeploymentRunning},
		{"success", "2026-03-02T10:00:03Z", event.DeploymentSuccess},
		{"inactive", "2026-03-05T10:00:00Z", event.DeploymentInactive},
	} {
		e := decode(t, "deployment_status", fmt.Sprintf(body, 600+i, s.state, s.at)).Events[0]
		seen[e.ID] = e.Deployment.State
		if e.Deployment.State != s.want || e.Time.String() != s.at || e.Entity != "github/repo/42/deployment/501" {
			t.Errorf("%s is %v at %v of %s", s.state, e.Deployment.State, e.Time, e.Entity)
		}
	}
	if len(seen) != 4 {
		t.Errorf("4 statuses are %d facts", len(seen))
	}
}

// What is nested deeper than JSON's parser goes, or longer than any push, costs
// little and is told apart.
func TestHostileShapes(t *testing.T) {
	deep := strings.Repeat("[", 1_000_000)
	if got, err := decoder().Decode(deliver("push", deep)); err == nil {
		t.Errorf("a million brackets are outcome %d", got.Outcome)
	}
	nested := `{"ref": "x", "anything": ` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `}`
	if got := decode(t, "no_such_type", nested); got.Outcome != ingest.OutcomeIgnored || bytes.Count(got.Body, []byte("[")) > 64 {
		t.Errorf("deep JSON of an unknown type is outcome %d with %d bytes kept", got.Outcome, len(got.Body))
	}
	many := `{"ref": "x", "repository": {"id": 42, "pushed_at": 1772442000}, "commits": [{}` + strings.Repeat(",{}", 100_000) + `]}`
	got := decode(t, "push", many)
	if got.Outcome != ingest.OutcomeUndecodable || got.Reason != "a list holds more than 10000 elements" {
		t.Errorf("100,001 commits are outcome %d: %s", got.Outcome, got.Reason)
	}
}
