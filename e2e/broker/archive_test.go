package broker_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"meridian/e2e/instance"
	"meridian/e2e/kafka"
	"meridian/e2e/senders"
)

// The same archive on the embedded broker (one partition of deliveries, four of events), on a real one (six and twelve)
// and through `replay` (one and one) gives the same points, byte for byte, versions included.
func TestArchive_EveryBrokerAgrees(t *testing.T) {
	real := kafka.ForTest(t)
	history := senders.History(3, time.Date(2026, 2, 20, 0, 0, 0, 0, time.UTC), 35)
	for _, mode := range []string{"live", "restate"} {
		dir := instance.Folder(t)
		catalog := instance.Write(t, dir, "catalog.yaml", senders.Catalog)
		archive := instance.Write(t, dir, "archive.jsonl", senders.Archive(history, true))
		printed, err := instance.ParsePoints(instance.Must(t, "replay", "--input", archive, "--catalog", catalog, "--print", "--mode", mode))
		if err != nil {
			t.Fatal(err)
		}
		for name, more := range map[string]string{"embedded": "privacy: {min_people: 2}", "real": on(real, "archive-"+mode)} {
			t.Run(fmt.Sprintf("%s %s", mode, name), func(t *testing.T) {
				c := instance.Config{Dir: filepath.Join(dir, name), Catalog: senders.Catalog, More: more}
				c.Import(t, archive, mode == "restate")
				in := instance.Serve(t, c)
				in.AwaitClock(senders.LastTick(history, true))
				in.Compare(t, instance.Latest(printed), nil, instance.Line)
				if code := in.Stop(); code != 0 {
					t.Errorf("exit code %d", code)
				}
			})
		}
	}
}
