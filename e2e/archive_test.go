package e2e_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"meridian/e2e/instance"
	"meridian/e2e/senders"
)

// The archive is of a spring with the change to summer time in Berlin and Chicago in it.
var spring = time.Date(2026, 2, 20, 0, 0, 0, 0, time.UTC)

const springDays = 45

// The same archive through `replay --print` and through `import` and `serve` gives the same points.
func TestArchive_ReplayAndServeAgree(t *testing.T) {
	history := senders.History(1, spring, springDays)
	for _, ticked := range []bool{true, false} {
		for _, mode := range []string{"live", "restate"} {
			t.Run(fmt.Sprintf("ticks=%v %s", ticked, mode), func(t *testing.T) {
				dir := instance.Folder(t)
				catalog := instance.Write(t, dir, "catalog.yaml", senders.Catalog)
				archive := instance.Write(t, dir, "archive.jsonl", senders.Archive(history, ticked))

				printed, err := instance.ParsePoints(instance.Must(t, "replay", "--input", archive, "--catalog", catalog, "--print", "--mode", mode))
				if err != nil {
					t.Fatal(err)
				}
				want := instance.Latest(printed)
				if len(want) < 500 {
					t.Fatalf("only %d points were printed", len(want))
				}

				c := instance.Config{Dir: filepath.Join(dir, "data"), Catalog: senders.Catalog, More: "privacy: {min_people: 2}"}
				c.Import(t, archive, mode == "restate")
				in := instance.Serve(t, c)
				in.AwaitClock(senders.LastTick(history, ticked))
				in.Compare(t, want, nil, instance.Line)
			})
		}
	}
}
