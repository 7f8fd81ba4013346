package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
	"meridian/web"
)

// The numbers of an archive that was imported are shown when all of it is computed,
// and until then pages say that it is.
func TestImport_ShowsNoHalfOfIt(t *testing.T) {
	history, catalog, last := organisation(t, 300)
	in := newTestInstance(t, catalog, kafka.EmbeddedEvents, "")
	in.command(t, "import", history)

	type shown struct {
		clock     timeline.Millis
		importing string
		err       error
	}
	turns := make(chan shown, 1)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	a := &app{streams: streams{out: outputOf(t), err: outputOf(t)}, configFile: in.config, log: slog.New(slog.NewTextHandler(outputOf(t), nil))}
	c, err := a.config(nil)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		ended <- a.serve(ctx, c, machineOptions{roles: roles{true, true, true}, coordinating: func(c *coordinator) {
			c.reached = func(step string) error {
				if step != "promotion 1 catch up" {
					return nil
				}
				x := shown{importing: c.m.status.parts().importing}
				_, x.clock, x.err = c.m.database.Progress(ctx, 1)
				select {
				case turns <- x:
				default:
				}
				return nil
			}
		}})
	}()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	select {
	case x := <-turns:
		if x.err != nil || x.clock != last {
			t.Errorf("it takes its turn with rows up to %s of %s, %v", x.clock, last, x.err)
		}
		if !strings.Contains(x.importing, "deliveries and ticks") && !strings.Contains(x.importing, "is being computed") {
			t.Errorf("pages said %q until then", x.importing)
		}
	case err := <-ended:
		ended <- err
		t.Fatal(err)
	}
	await(t, nil, func() error {
		out := in.command(t, "replay", "list")
		if !strings.Contains(out, "import") || strings.Contains(out, "upgrade") || !strings.Contains(out, "readers see it") {
			return errors.New(out)
		}
		return nil
	})
}

// Before there are numbers, nothing can be compared with them, and that is said.
func TestDiff_BeforeThereAreNumbers(t *testing.T) {
	broker, err := kafka.StartBroker("", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(broker.Close)
	l := broker.Config("")
	if err := kafka.EnsureTopics(t.Context(), l, l.Topics(1)...); err != nil {
		t.Fatal(err)
	}
	control, err := kafka.OpenControl(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(control.Close)
	x := runs{&machine{room: &room{ledger: ledger{control}}}}
	_, _, err = x.pair(web.RunDiffQuery{Second: 1})
	var known *web.Error
	if !errors.As(err, &known) || known.Status != http.StatusConflict || !strings.Contains(known.Detail, "There are no numbers yet") {
		t.Errorf("%v", fmt.Sprint(err))
	}
}
