package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"meridian/ingest"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// An ingester learns from the control topic that another one's clock is ahead.
func TestIngestersHearOfEachOthersTicks(t *testing.T) {
	broker, err := kafka.StartBroker("", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(broker.Close)
	c := broker.Config("acme")
	if err := kafka.EnsureTopics(t.Context(), c, c.Topics(1)...); err != nil {
		t.Fatal(err)
	}
	appender, err := kafka.NewAppender(c, kafka.DefaultAppenderConfig(c.DeliveriesTopic(), 1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { appender.Close(t.Context()) })
	ticker, err := ingest.NewTicker(ingest.TickerConfig{Partitions: 1, Appender: appendTo{&doorAppender{Appender: appender}}, Last: streaming.NoClock})
	if err != nil {
		t.Fatal(err)
	}
	control, err := kafka.OpenControl(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(control.Close)
	tell := func(process string, tick *streaming.Clock) {
		data, err := json.Marshal(told{Tick: tick})
		if err != nil {
			t.Fatal(err)
		}
		if err := control.Put(t.Context(), sourceKeys+process, data); err != nil {
			t.Fatal(err)
		}
		hearOthers(control, ticker)
	}
	tell("a/1", nil) // has given none
	now := timeline.FromTime(time.Now())
	tell("a/2", &now)
	if ok, detail := ticker.Health(); !ok {
		t.Errorf("beside one that is right: %s", detail)
	}
	ahead := now + timeline.Hour
	tell("b/1", &ahead)
	if ok, detail := ticker.Health(); ok || !strings.Contains(detail, "another ingester has given a tick at "+ahead.String()) {
		t.Errorf("beside one that is an hour ahead: %v, %s", ok, detail)
	}
}
