package ingest_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"meridian/ingest"
	"meridian/ingest/catalog"
	"meridian/ingest/deploy"
	"meridian/ingest/event"
	"meridian/ingest/github"
	"meridian/ingest/jira"
	"meridian/ingest/payload/decodertest"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// road is a way by which one fact may come.
type road struct {
	name   string
	change func(d *ingest.Delivery, body map[string]any)
}

const received = timeline.Millis(1_798_761_600_000) // after all fixtures

func header(name, value string) road {
	return road{name + ": " + value, func(d *ingest.Delivery, _ map[string]any) { d.Headers[name] = value }}
}

func redelivered(d *ingest.Delivery, _ map[string]any) { d.Received += 3 * timeline.Hour }

var roadsOfGitHub = []road{
	{"repository hook", func(d *ingest.Delivery, _ map[string]any) {
		d.Headers["X-Github-Hook-Installation-Target-Type"] = "repository"
		d.Headers["X-Github-Delivery"] = "a"
	}},
	{"organisation hook, of another source", func(d *ingest.Delivery, body map[string]any) {
		d.Name = "acme-org"
		d.Headers["X-Github-Hook-Installation-Target-Type"] = "organization"
		d.Headers["X-Github-Delivery"] = "b"
		body["organization"] = map[string]any{"login": "acme", "id": 7, "description": "zebra"}
	}},
	{"hook of an App", func(d *ingest.Delivery, body map[string]any) {
		d.Headers["X-Github-Hook-Installation-Target-Type"] = "integration"
		d.Headers["X-Github-Delivery"] = "c"
		body["installation"] = map[string]any{"id": 9, "node_id": "zebra"}
	}},
	{"redelivery", redelivered},
	{"form", func(d *ingest.Delivery, _ map[string]any) {
		d.Headers["Content-Type"] = "application/x-www-form-urlencoded"
	}},
	{"read through the API", func(d *ingest.Delivery, body map[string]any) {
		d.ViaAPI = true
		if review, ok := body["review"].(map[string]any); ok {
			if state, ok := review["state"].(string); ok {
				review["state"] = strings.ToUpper(state)
			}
		}
	}},
}

var roadsOfJira = []road{
	header("X-Atlassian-Webhook-Identifier", "1"), header("X-Atlassian-Webhook-Identifier", "2"), header("X-Atlassian-Webhook-Retry", "1"),
	{"redelivery", redelivered},
}

// Whichever way a fact comes, it has one id and counts once; the others are
// duplicates of it. The facts are those of all fixtures.
func TestOneFactHasOneIDByEveryRoad(t *testing.T) {
	hash := catalog.Empty(catalog.Options{Key: make([]byte, 32)}).EmailHash
	for _, c := range []struct {
		folder, provider, header string
		decoder                  ingest.Decoder
		roads                    []road
		least                    int // facts
	}{
		{"github/testdata", "github", "X-GitHub-Event", github.New(hash), roadsOfGitHub, 40},
		{"jira/testdata", "jira", "", jira.New(hash), roadsOfJira, 20},
		{"deploy/testdata", "deploy", "", deploy.New(hash), []road{{"once", redelivered}, {"again", redelivered}}, 8},
		{"deploy/testdata/argocd", "argocd", "", deploy.NewArgoCD(hash), []road{{"once", redelivered}, {"again", redelivered}}, 1},
		{"deploy/testdata/cdevents", "cdevents", "Ce-Type", deploy.NewCDEvents(hash), []road{{"once", redelivered}, {"again", redelivered}}, 5},
	} {
		t.Run(c.provider, func(t *testing.T) {
			facts := 0
			decodertest.Each(t, c.folder, c.decoder, c.provider, c.header, func(t *testing.T, name string, body []byte, _ []event.Event) {
				if name == "pull_request_commits" {
					return // no webhook tells it
				}
				facts += byEveryRoad(t, c.decoder, c.roads, ingest.Delivery{
					Provider: c.provider, Name: "acme", Received: received, Body: body,
					Headers: map[string]string{c.header: name, "Content-Type": "application/json"},
				})
			})
			if facts < c.least {
				t.Errorf("only %d facts were compared", facts)
			}
		})
	}
}

// byEveryRoad returns the number of facts of a delivery.
func byEveryRoad(t *testing.T, by ingest.Decoder, roads []road, plain ingest.Delivery) int {
	t.Helper()
	route, err := ingest.NewRoute(ingest.RouteConfig{
		Generation: 1, EventPartitions: 1, Horizon: 92 * timeline.Day, Catalog: catalog.Empty(catalog.Options{Key: make([]byte, 32)}),
	})
	if err != nil {
		t.Fatal(err)
	}
	var first []event.ID
	for i, r := range append([]road{{"as it is", func(*ingest.Delivery, map[string]any) {}}}, roads...) {
		d := plain
		d.Headers = map[string]string{}
		for name, value := range plain.Headers {
			d.Headers[name] = value
		}
		var fields map[string]any
		numbers := json.NewDecoder(bytes.NewReader(plain.Body))
		numbers.UseNumber()
		if numbers.Decode(&fields) != nil {
			fields = nil // a list
		}
		if fields != nil {
			r.change(&d, fields)
			if d.Body, err = json.Marshal(fields); err != nil {
				t.Fatal(err)
			}
		}
		if d.Headers["Content-Type"] != "application/json" {
			d.Body = []byte(url.Values{"payload": {string(d.Body)}}.Encode())
		}
		_, logged, err := ingest.DecodeDelivery(by, d)
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		var ids []event.ID
		for _, e := range logged.Events {
			ids = append(ids, e.ID)
		}
		if i == 0 {
			first = ids
		}
		if !slices.Equal(ids, first) {
			t.Errorf("%s: the ids are %v, and without it %v", r.name, ids, first)
		}
		record := streaming.Record[ingest.Entry]{Origin: streaming.Origin{Offset: int64(i)}, Value: ingest.Entry{Delivery: logged}}
		route.Apply(streaming.NoClock, record, func(ingest.Copy) {})
	}
	n := route.Counts()
	once := n.Decoded / int64(len(roads)+1)
	if n.Accepted+n.Quarantined/int64(len(roads)+1) != once || n.Duplicates != n.Accepted*int64(len(roads)) || n.ByReason[event.ReasonTimeConflict]+n.ByReason[event.ReasonFuture] > 0 {
		t.Errorf("%d facts by %d roads are %+v", len(first), len(roads)+1, n)
	}
	return int(n.Accepted)
}
