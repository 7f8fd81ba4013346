package main

import (
	"context"
	"encoding/json"
	"time"

	"meridian/ingest"
	"meridian/streaming/kafka"
)

// clockLook is how often the ticker's health is looked at for the log, and the ticks of
// other ingesters for the ticker.
const clockLook = 5 * time.Second

// watchClock says in the log when this machine's clock comes into doubt, so that
// no time passes, and when it is believed again.
func (m *machine) watchClock(ctx context.Context) error {
	look := time.NewTicker(clockLook)
	defer look.Stop()
	well := true
	for {
		hearOthers(m.control, m.door.ticker)
		ok, detail := m.door.ticker.Health()
		switch {
		case well && !ok:
			m.app.log.Warn("no ticks are given, so numbers stand still", "why", detail)
		case !well && ok:
			m.app.log.Info("ticks go on", "clock", detail)
		}
		well = ok
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
		}
	}
}

// hearOthers tells the ticker which ticks other ingesters of the instance have given.
func hearOthers(control *kafka.Control, ticker *ingest.Ticker) {
	for _, e := range control.All(sourceKeys) {
		var t told
		if err := json.Unmarshal(e.Value, &t); err == nil && t.Tick != nil {
			ticker.Heard(*t.Tick)
		}
	}
}
