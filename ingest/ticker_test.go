package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// tickLog keeps ticks, each with the time since the test's start.
type tickLog struct {
	mu    sync.Mutex
	start time.Time
	ticks []string
	fail  map[int32]error
	gate  chan struct{} // when set, every append waits for it
}

func (l *tickLog) AppendTick(ctx context.Context, partition int32, tick timeline.Millis) error {
	l.mu.Lock()
	gate, err := l.gate, l.fail[partition]
	l.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if partition == 0 {
		l.ticks = append(l.ticks, fmt.Sprintf("%s=%s", time.Since(l.start), strings.TrimPrefix(tick.String(), "2000-01-0")))
	}
	return nil
}

func (l *tickLog) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := strings.Join(l.ticks, " ")
	l.ticks = nil
	return s
}

// ticking runs a ticker in a bubble, where time begins at 2000-01-01T00:00:00Z,
// with a wall clock that can be set.
func ticking(t *testing.T, last streaming.Clock, test func(k *Ticker, log *tickLog, set func(ahead time.Duration))) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		log := &tickLog{start: time.Now(), fail: map[int32]error{}}
		var mu sync.Mutex
		var ahead time.Duration
		k, err := NewTicker(TickerConfig{Partitions: 2, Appender: log, Last: last, Wall: func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return time.Now().Add(ahead)
		}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- k.Run(ctx) }()
		synctest.Wait()
		test(k, log, func(d time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			ahead = d
		})
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run ended with %v", err)
		}
	})
}

// after lets d pass in the bubble.
func after(d time.Duration) {
	time.Sleep(d) // fake time
	synctest.Wait()
}

func wantTicks(t *testing.T, log *tickLog, want string) {
	t.Helper()
	if got := log.take(); got != want {
		t.Errorf("ticks\n%s, want\n%s", got, want)
	}
}

func wantHealth(t *testing.T, k *Ticker, ok bool, says string) {
	t.Helper()
	if gotOK, detail := k.Health(); gotOK != ok || !strings.Contains(detail, says) {
		t.Errorf("health %v %q, want %v %q", gotOK, detail, ok, says)
	}
}

var nothing = &LoggedDelivery{}

func TestTicksInSilence(t *testing.T) {
	ticking(t, streaming.NoClock, func(k *Ticker, log *tickLog, _ func(time.Duration)) {
		wantHealth(t, k, true, "no tick has been given yet")
		after(20*time.Minute + 100*time.Second)
		wantTicks(t, log, "1m0s=1T00:01:00Z 2m0s=1T00:02:00Z 3m0s=1T00:03:00Z 4m0s=1T00:04:00Z 5m0s=1T00:05:00Z 6m0s=1T00:06:00Z "+
			"7m0s=1T00:07:00Z 8m0s=1T00:08:00Z 9m0s=1T00:09:00Z 10m0s=1T00:10:00Z 15m0s=1T00:15:00Z 20m0s=1T00:20:00Z")
		wantHealth(t, k, true, "the last tick was at 2000-01-01T00:20:00Z")

		k.Delivered(nothing) // it is quiet no longer
		after(2 * time.Minute)
		wantTicks(t, log, "21m40.5s=1T00:21:40.5Z 22m40.5s=1T00:22:40.5Z")
	})
}

func TestTicksFollowDeliveries(t *testing.T) {
	ticking(t, streaming.NoClock, func(k *Ticker, log *tickLog, _ func(time.Duration)) {
		after(100 * time.Millisecond)
		k.Delivered(nothing)
		after(200 * time.Millisecond)
		k.Delivered(nothing) // followed by the same tick
		after(5 * time.Second)
		wantTicks(t, log, "600ms=1T00:00:01Z") // rounded up

		for range 30 { // a flood from 5.3 s to 8.2 s
			k.Delivered(nothing)
			after(100 * time.Millisecond)
		}
		after(2 * time.Second)
		wantTicks(t, log, "5.8s=1T00:00:06Z 6.8s=1T00:00:07Z 7.8s=1T00:00:08Z 8.8s=1T00:00:09Z")
	})
}

func TestADeliveryDuringATickGetsAnotherOne(t *testing.T) {
	ticking(t, streaming.NoClock, func(k *Ticker, log *tickLog, _ func(time.Duration)) {
		gate := make(chan struct{})
		log.mu.Lock()
		log.gate = gate
		log.mu.Unlock()
		k.Delivered(nothing)
		after(700 * time.Millisecond) // the tick of 0.5 s is on its way
		k.Delivered(nothing)
		close(gate)
		after(3 * time.Second)
		wantTicks(t, log, "700ms=1T00:00:00.5Z 1.5s=1T00:00:01.5Z")
	})
}

func TestATickThatCannotBeAppendedIsGivenAgain(t *testing.T) {
	ticking(t, streaming.NoClock, func(k *Ticker, log *tickLog, _ func(time.Duration)) {
		log.mu.Lock()
		log.fail[1] = errors.New("no leader")
		log.mu.Unlock()
		k.Delivered(nothing)
		after(600 * time.Millisecond)
		wantHealth(t, k, false, "the last tick could not be appended: partition 1: no leader")
		if k.Last() != streaming.NoClock {
			t.Errorf("a tick that one partition lacks counts: %s", k.Last())
		}
		log.mu.Lock()
		delete(log.fail, 1)
		log.mu.Unlock()
		after(time.Second)
		wantTicks(t, log, "500ms=1T00:00:00.5Z 1.5s=1T00:00:01.5Z")
		wantHealth(t, k, true, "the last tick was at")
	})
}

func TestALogThatHangsIsGivenUpOn(t *testing.T) {
	ticking(t, streaming.NoClock, func(k *Ticker, log *tickLog, _ func(time.Duration)) {
		log.mu.Lock()
		log.gate = make(chan struct{}) // never opened
		log.mu.Unlock()
		k.Delivered(nothing)
		after(4600 * time.Millisecond)
		wantHealth(t, k, false, "deadline exceeded")
	})
}

func TestNoTicksWhileAnImportRuns(t *testing.T) {
	ticking(t, streaming.NoClock, func(k *Ticker, log *tickLog, _ func(time.Duration)) {
		release := k.Hold()
		another := k.Hold()
		k.Delivered(nothing)
		after(10 * time.Minute)
		wantTicks(t, log, "")
		wantHealth(t, k, true, "import")
		release(946_684_800_000) // 2000-01-01T00:00:00Z
		release(0)               // again: nothing
		after(time.Minute)
		wantTicks(t, log, "")
		another(streaming.NoClock)
		after(time.Second)
		wantTicks(t, log, "11m0s=1T00:11:00Z")
	})
}

func TestHoldWaitsForTheTickOnItsWay(t *testing.T) {
	ticking(t, streaming.NoClock, func(k *Ticker, log *tickLog, _ func(time.Duration)) {
		gate := make(chan struct{})
		log.mu.Lock()
		log.gate = gate
		log.mu.Unlock()
		k.Delivered(nothing)
		after(time.Second)
		held := make(chan func(streaming.Clock))
		go func() { held <- k.Hold() }()
		synctest.Wait()
		select {
		case <-held:
			t.Error("an import may begin while a tick is on its way")
		default:
		}
		close(gate)
		(<-held)(streaming.NoClock)
		wantTicks(t, log, "1s=1T00:00:00.5Z")
	})
}

// witness is a signed delivery that tells of something at t.
func witness(t time.Time) *LoggedDelivery {
	return &LoggedDelivery{Events: []event.Event{{Time: timeline.FromTime(t)}}}
}

func TestAClockThatIsSet(t *testing.T) {
	ticking(t, streaming.NoClock, func(k *Ticker, log *tickLog, set func(time.Duration)) {
		after(61 * time.Second)
		wantTicks(t, log, "1m0s=1T00:01:00Z")
		set(9 * time.Second) // as NTP may: goes unnoticed
		after(time.Minute)
		wantTicks(t, log, "2m0s=1T00:02:09Z")

		set(time.Hour)
		wantHealth(t, k, false, "this machine's clock was set ahead by 59m51s and shows 2000-01-01T01:02:01Z")
		k.Delivered(witness(time.Now())) // real time: it does not agree
		after(time.Minute)
		wantTicks(t, log, "")
		k.Delivered(witness(time.Now().Add(51 * time.Minute))) // nine minutes behind the wall
		after(time.Minute)
		wantTicks(t, log, "3m1.5s=1T01:03:01.5Z 4m1.5s=1T01:04:01.5Z"[:len("3m1.5s=1T01:03:01.5Z")])
		wantHealth(t, k, true, "the last tick was at")

		set(0) // and back: no tick can be before the last
		after(2 * time.Minute)
		wantTicks(t, log, "")
		wantHealth(t, k, false, "was set back by 1h and shows")
		k.Trust()
		after(time.Second)
		wantTicks(t, log, "")
		wantHealth(t, k, false, "which is before the last tick (2000-01-01T01:03:01.5Z)")
		after(time.Hour)
		if got := log.take(); !strings.HasPrefix(got, "1h3m2") {
			t.Errorf("when the clock has passed the last tick: %s", got)
		}
	})
}

func TestAClockThatIsSetRightAgain(t *testing.T) {
	ticking(t, streaming.NoClock, func(k *Ticker, log *tickLog, set func(time.Duration)) {
		after(61 * time.Second)
		log.take()
		set(-time.Hour)
		after(time.Minute)
		wantTicks(t, log, "")
		wantHealth(t, k, false, "was set back by 1h")
		set(0)
		after(2 * time.Second)
		wantTicks(t, log, "2m2s=1T00:02:02Z")
		wantHealth(t, k, true, "the last tick was at")
	})
}

// Of two ingesters whose clocks disagree, the one that is behind gives no ticks and
// says so: the other's are on the log, and cannot be taken back.
func TestAnIngesterThatIsBehindAnother(t *testing.T) {
	ticking(t, streaming.NoClock, func(k *Ticker, log *tickLog, _ func(time.Duration)) {
		after(61 * time.Second)
		wantTicks(t, log, "1m0s=1T00:01:00Z")
		k.Heard(timeline.FromTime(time.Now().Add(69 * time.Second))) // at the next tick: ten seconds ahead
		after(time.Minute)
		wantTicks(t, log, "2m0s=1T00:02:00Z")
		ahead := time.Now().Add(30 * time.Minute)
		k.Heard(timeline.FromTime(ahead))
		k.Heard(timeline.FromTime(time.Now())) // an older one takes nothing back
		after(time.Minute)
		wantTicks(t, log, "")
		wantHealth(t, k, false, "another ingester has given a tick at 2000-01-01T00:32:01Z: one of the two clocks is wrong")
		k.Trust() // which makes no tick lower
		after(time.Minute)
		wantTicks(t, log, "")
		after(29 * time.Minute)
		if got := log.take(); got == "" {
			t.Error("no tick when the clock was past the other's")
		}
		wantHealth(t, k, true, "the last tick was at")
	})
}

func TestAJumpOfMoreThanADay(t *testing.T) {
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		last    time.Time
		vouch   func(k *Ticker)
		ticks   bool
		healthy bool
	}{
		"23 hours are none":       {start.Add(-23 * time.Hour), nil, true, true},
		"nobody vouches":          {start.Add(-25 * time.Hour), nil, false, false},
		"a delivery agrees":       {start.Add(-25 * time.Hour), func(k *Ticker) { k.Delivered(witness(start.Add(-9 * time.Minute))) }, true, true},
		"a delivery does not":     {start.Add(-25 * time.Hour), func(k *Ticker) { k.Delivered(witness(start.Add(-11 * time.Minute))) }, false, false},
		"a delivery says nothing": {start.Add(-25 * time.Hour), func(k *Ticker) { k.Delivered(nothing) }, false, false},
		"somebody says so":        {start.Add(-25 * time.Hour), (*Ticker).Trust, true, true},
		"the log is ahead":        {start.Add(5 * time.Minute), (*Ticker).Trust, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			ticking(t, timeline.FromTime(test.last), func(k *Ticker, log *tickLog, _ func(time.Duration)) {
				if test.vouch != nil {
					test.vouch(k)
				}
				after(61 * time.Second)
				if got := log.take(); (got != "") != test.ticks {
					t.Errorf("ticks %q", got)
				}
				wantHealth(t, k, test.healthy, "last tick")
			})
		})
	}
}

func TestTickerConfig(t *testing.T) {
	if _, err := NewTicker(TickerConfig{}); err == nil {
		t.Error("a ticker without partitions can be made")
	}
}

// What a crash left behind the last tick does not wait for the next delivery.
func TestTicksFollowDeliveriesOfBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &tickLog{start: time.Now()}
		k, err := NewTicker(TickerConfig{Partitions: 1, Appender: log, Last: streaming.NoClock, Unticked: true})
		if err != nil {
			t.Fatal(err)
		}
		release := k.Hold()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- k.Run(ctx) }()
		time.Sleep(10 * time.Second)
		if got := log.take(); got != "" {
			t.Errorf("held, and ticked: %s", got)
		}
		release(streaming.NoClock)
		time.Sleep(50 * time.Second)
		if got, want := log.take(), "10s=1T00:00:10Z"; got != want {
			t.Errorf("released: %s; want %s", got, want)
		}
		time.Sleep(15 * time.Second)
		if got, want := log.take(), "1m10s=1T00:01:10Z"; got != want {
			t.Errorf("a minute later: %s; want %s", got, want)
		}
		cancel()
		<-ended
	})
}
