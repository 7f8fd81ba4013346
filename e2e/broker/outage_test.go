package broker_test

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"meridian/e2e/instance"
	"meridian/e2e/kafka"
	"meridian/e2e/senders"
)

// answerLimit is the contract's 5 s for a refusal, and some for a busy machine.
const answerLimit = 8 * time.Second

// While the broker is away webhooks are told no, in time; when it is back they are taken, by the same process; nothing
// that was acknowledged is lost, also when Meridian is killed on top of it.
func TestOutage_LosesNothing(t *testing.T) {
	broker := kafka.ForTest(t)
	dir := instance.Folder(t)
	began := time.Now()
	history := senders.History(4, began.UTC().Truncate(24*time.Hour).AddDate(0, 0, -16), 8)
	c := instance.Config{Dir: filepath.Join(dir, "data"), Catalog: senders.Catalog, More: on(broker, "outage")}
	in := instance.Serve(t, c)
	in.AwaitParts()
	traffic := instance.NewTraffic(in, history)
	done := traffic.Run(4)
	third := len(history) / 3

	traffic.Allow(third)
	traffic.Await(third / 2)
	broker.Kill()
	// Four requests are on their way or find nobody; this one certainly does.
	for range 3 {
		sent := time.Now()
		a, err := in.Send(history[0].Delivery)
		if err != nil || a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" || a.Detail() == "" {
			t.Errorf("without a broker: %d, Retry-After %q, %s, %v", a.Status, a.Header.Get("Retry-After"), a.Body, err)
		}
		if took := time.Since(sent); took > answerLimit {
			t.Errorf("the refusal took %v", took)
		}
	}
	if a, err := in.Ask(http.MethodGet, "/readyz", nil, nil); err != nil || a.Status != http.StatusServiceUnavailable {
		t.Errorf("/readyz without a broker: %d, %s, %v", a.Status, a.Body, err)
	}
	if a, err := in.Ask(http.MethodGet, "/livez", nil, nil); err != nil || a.Status != http.StatusOK {
		t.Errorf("/livez without a broker: %d, %v", a.Status, err)
	}
	if err := broker.Restart(); err != nil {
		t.Fatal(err)
	}
	traffic.Allow(third)
	traffic.Await(third)
	in.AwaitParts("kafka", "engine", "clickhouse")

	broker.Kill()
	in.Kill()
	if err := broker.Restart(); err != nil {
		t.Fatal(err)
	}
	in = traffic.Serve(instance.Serve(t, c))
	traffic.Allow(len(history))
	<-done
	if traffic.Failures() == 0 {
		t.Error("no request failed: the broker was not taken away in the middle of traffic")
	}
	t.Logf("%d deliveries, %d requests failed and were sent again", len(history), traffic.Failures())
	in.AwaitClock(traffic.Last())
	traffic.Compare(t, dir, began)
	if code := in.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
