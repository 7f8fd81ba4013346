package broker_test

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"meridian/e2e/instance"
	"meridian/e2e/kafka"
	"meridian/e2e/senders"
)

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
	traffic.Allow(4) // these certainly find no broker
	refuses(t, in, history[0].Delivery)
	unready(t, in)
	if a, err := in.Ask(http.MethodGet, "/livez", nil, nil); err != nil || a.Status != http.StatusOK {
		t.Errorf("/livez without a broker: %d, %v", a.Status, err)
	}
	failed(t, traffic)
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
	t.Logf("%d deliveries, %d requests failed and were sent again", len(history), traffic.Failures())
	in.AwaitTaken(traffic.Last())
	traffic.Compare(t, dir, began)
	if code := in.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// refuses wants a delivery to be told no: 503, when to try again, and why. That this takes less than 5 s whatever the broker does is
// tested where the time can be played (TestAppendAnswersInTimeWhateverTheBrokerDoes); here it comes at all.
func refuses(t *testing.T, in *instance.Instance, d senders.Delivery) {
	t.Helper()
	// Four requests are on their way or find nobody; this one certainly does.
	for range 3 {
		a, err := in.Send(d)
		if err != nil || a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" || a.Detail() == "" {
			t.Errorf("without a broker: %d, Retry-After %q, %s, %v", a.Status, a.Header.Get("Retry-After"), a.Body, err)
		}
	}
}

// unready waits until /readyz says no.
func unready(t *testing.T, in *instance.Instance) {
	t.Helper()
	instance.Await(t, func() error {
		a, err := in.Ask(http.MethodGet, "/readyz", nil, nil)
		if err == nil && a.Status != http.StatusServiceUnavailable {
			err = fmt.Errorf("/readyz without a broker: %d, %s", a.Status, a.Body)
		}
		return err
	})
}

// failed waits until a request of the traffic was told no.
func failed(t *testing.T, traffic *instance.Traffic) {
	t.Helper()
	instance.Await(t, func() error {
		if traffic.Failures() == 0 {
			return errors.New("no request has failed yet")
		}
		return nil
	})
}

// A broker that hangs is worse than one that is gone: connections stand, and nothing answers. Webhooks are told no all the
// same; what was on its way may land later, and counts once; when the broker goes on, the same process catches up,
// also after Meridian was stopped and started in the meantime.
func TestOutage_ABrokerThatHangs(t *testing.T) {
	broker := kafka.ForTest(t)
	t.Cleanup(broker.Resume) // one that stands cannot be asked to stop
	dir := instance.Folder(t)
	began := time.Now()
	history := senders.History(5, began.UTC().Truncate(24*time.Hour).AddDate(0, 0, -16), 8)
	c := instance.Config{Dir: filepath.Join(dir, "data"), Catalog: senders.Catalog, More: on(broker, "hang")}
	in := instance.Serve(t, c)
	in.AwaitParts()
	traffic := instance.NewTraffic(in, history)
	done := traffic.Run(4)
	third := len(history) / 3

	traffic.Allow(third)
	traffic.Await(third / 2)
	broker.Pause()
	traffic.Allow(4) // these certainly find one that hangs
	refuses(t, in, history[0].Delivery)
	unready(t, in)
	failed(t, traffic)
	broker.Resume()
	traffic.Await(third - third/2)
	in.AwaitParts("kafka", "engine", "clickhouse")
	in.AwaitTaken(traffic.Last())
	t.Logf("it caught up; %d requests had failed", traffic.Failures())

	traffic.Allow(third)
	traffic.Await(third / 2)
	broker.Pause()
	refuses(t, in, history[0].Delivery)
	in.Kill()
	broker.Resume()
	in = traffic.Serve(instance.Serve(t, c))
	traffic.Allow(len(history))
	<-done
	in.AwaitTaken(traffic.Last())
	traffic.Compare(t, dir, began)
	if code := in.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
