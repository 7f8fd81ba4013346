package demo

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// taken keeps what the receiver appends.
type taken struct{ all []*ingest.LoggedDelivery }

func (k *taken) Append(_ context.Context, _ string, e ingest.Entry) error {
	k.all = append(k.all, e.Delivery)
	return nil
}

// play sends n deliveries to a real receiver, with two a second.
func play(t *testing.T, o *Organisation, n int) *taken {
	t.Helper()
	now := o.now
	decoders := decodersOf(catalogOf(t, o))
	k := &taken{}
	var sources []ingest.SourceConfig
	for _, s := range o.Sources() {
		sources = append(sources, ingest.SourceConfig{Provider: s.Provider, Name: s.Name, Secrets: []string{s.Secret}, Decoder: decoders[s.Provider]})
	}
	receiver, err := ingest.NewReceiver(ingest.ReceiverConfig{Sources: sources, Appender: k, Now: func() time.Time { return now.Time() }})
	if err != nil {
		t.Fatal(err)
	}
	traffic := o.Live(o.now)
	for i := range n {
		r := traffic.Next(now)
		if r.After < 50*time.Millisecond || r.After > 2*time.Second {
			t.Fatalf("a pause of %s", r.After)
		}
		now += timeline.Millis(r.After / time.Millisecond)
		request := httptest.NewRequest(http.MethodPost, r.Path, bytes.NewReader(r.Body))
		for name, value := range r.Headers {
			request.Header.Set(name, value)
		}
		answer := httptest.NewRecorder()
		receiver.ServeHTTP(answer, request)
		if answer.Code != http.StatusAccepted {
			t.Fatalf("delivery %d to %s: %d %s", i, r.Path, answer.Code, answer.Body)
		}
	}
	return k
}

func TestLiveTrafficIsAcceptedAndDecoded(t *testing.T) {
	const n = 3_000
	for name, o := range organisations(t) {
		k := play(t, o, n)
		if len(k.all) != n {
			t.Errorf("%s: %d of %d are on the log", name, len(k.all), n)
		}
		kinds, prompt, old, again := map[event.Kind]int{}, 0, 0, 0
		seen := map[event.ID]bool{}
		for _, d := range k.all {
			if d.Outcome != ingest.OutcomeAccepted {
				t.Errorf("%s: a %s is %s: %s", name, d.Type, d.Outcome, d.Reason)
			}
			for _, e := range d.Events {
				kinds[e.Kind]++
				switch age := d.Delivery.Received - e.Time; {
				case age < 0:
					t.Fatalf("%s: a %s is %s ahead of its receipt", name, e.Kind, timeline.FormatLength(-age))
				case age < 30*timeline.Second:
					prompt++
				case age > 5*timeline.Minute:
					old++
				}
				if seen[e.ID] {
					again++
				}
				seen[e.ID] = true
			}
		}
		if prompt < n*8/10 || old == 0 || again == 0 {
			t.Errorf("%s: %d events of %d deliveries are told at once, %d late, %d again", name, prompt, n, old, again)
		}
		for _, kind := range []event.Kind{
			event.PullRequestOpened, event.PullRequestMerged, event.ReviewSubmitted, event.Pushed,
			event.DeploymentStatus, event.IssueCreated, event.IssueTransitioned, event.IssueCommented,
		} {
			if kinds[kind] < 3 {
				t.Errorf("%s: %d of kind %s", name, kinds[kind], kind)
			}
		}
	}
}

// Nothing of the live traffic is a fact of the history once more, but for
// redeliveries: its numbers go on where the history ended.
func TestLiveTrafficGoesOnWithTheHistory(t *testing.T) {
	o := New(1, instant(t, "2026-03-02T09:30:00Z"))
	facts, open := map[event.ID]bool{}, map[event.EntityID]bool{}
	all, _ := decoded(t, o)
	for _, l := range all {
		for _, e := range l.Events {
			facts[e.ID] = true
			switch e.Kind {
			case event.PullRequestOpened:
				open[e.Entity] = true
			case event.PullRequestMerged:
				delete(open, e.Entity)
			}
		}
	}
	again, taken := 0, 0
	for _, d := range play(t, o, 2_000).all {
		for _, e := range d.Events {
			if facts[e.ID] {
				again++
			}
			if e.Kind == event.PullRequestMerged && open[e.Entity] {
				taken++
			}
		}
	}
	if again > 20 {
		t.Errorf("%d facts of the history are told again", again)
	}
	if taken < 5 {
		t.Errorf("%d pull requests of the history are merged", taken)
	}
}

func TestLiveTrafficIsDeterministic(t *testing.T) {
	hash := func(seed uint64) string {
		o := New(seed, instant(t, "2026-03-02T09:30:00Z"))
		traffic, h, at := o.Live(o.now), sha256.New(), o.now
		for range 500 {
			r := traffic.Next(at)
			fmt.Fprint(h, r.After, r.Path, r.Headers)
			h.Write(r.Body)
			at += timeline.Millis(r.After / time.Millisecond)
		}
		return fmt.Sprintf("%x", h.Sum(nil))
	}
	first := hash(5)
	if hash(5) != first {
		t.Error("two runs of one seed differ")
	}
	if hash(6) == first {
		t.Error("two seeds have one traffic")
	}
}

// At twenty a second for hours, what is open stays bounded.
func TestLiveTrafficDoesNotPileUp(t *testing.T) {
	o := New(1, instant(t, "2026-03-02T09:30:00Z"))
	traffic, at := o.Live(o.now), o.now
	n := 30_000
	if underRace {
		n = 2_000
	}
	for range n {
		at += timeline.Millis(traffic.Next(at).After/time.Millisecond) / 10
	}
	w := traffic.world
	if len(w.waiting) > mostOpen+100 || len(w.working) > mostOpen || len(w.out) > 2_000 {
		t.Errorf("%d pull requests and %d issues are open, %d deliveries on their way", len(w.waiting), len(w.working), len(w.out))
	}
}
