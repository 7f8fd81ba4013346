package broker_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"meridian/e2e/instance"
	"meridian/e2e/kafka"
	"meridian/e2e/senders"
)

// An archive moves an instance from its own broker to a real one, with other numbers of partitions, and back. Points
// and evidence are then what they were, to the byte: values, versions, pseudonyms.
func TestMoved_ThereAndBack(t *testing.T) {
	real := kafka.ForTest(t)
	dir := instance.Folder(t)
	history := senders.History(6, time.Date(2026, 2, 20, 0, 0, 0, 0, time.UTC), 20)
	last := senders.LastTick(history, true)
	archive := instance.Write(t, dir, "archive.jsonl", senders.Archive(history, true))
	key := filepath.Join(dir, "home", "instance.json")
	var points, evidence string
	from := archive
	for i, place := range []struct{ name, more string }{
		{"home", "privacy: {min_people: 2}"}, {"served", on(real, "moved")}, {"back", "privacy: {min_people: 2}"},
	} {
		c := instance.Config{Dir: filepath.Join(dir, place.name), Catalog: senders.Catalog, More: place.more}
		args := []string{"import", from}
		if i > 0 {
			args = append(args, "--key", key)
		}
		c.Must(t, args...)
		in := instance.Serve(t, c)
		in.AwaitClock(last)
		p, e := c.Exported(t)
		if i == 0 {
			points, evidence = p, e
			if n := strings.Count(points, "\n"); n < 500 || strings.Count(evidence, "\n") < 100 {
				t.Fatalf("only %d points", n)
			}
		}
		if p != points || e != evidence {
			t.Errorf("%s: %d points and %d lines of evidence, were %d and %d, or not the same", place.name,
				strings.Count(p, "\n"), strings.Count(e, "\n"), strings.Count(points, "\n"), strings.Count(evidence, "\n"))
		}
		if o := c.Command(t, "verify"); o.Code != 0 {
			t.Errorf("%s: verify: exit code %d\n%s%s", place.name, o.Code, o.Out, o.Err)
		}
		if o := c.Command(t, "backup", filepath.Join(dir, place.name+".tar")); (o.Code == 0) != (i != 1) || i == 1 && !strings.Contains(o.Err, "meridian export FILE") {
			t.Errorf("%s: backup: exit code %d, %s", place.name, o.Code, o.Err)
		}
		from = filepath.Join(dir, place.name+".jsonl.zst")
		c.Must(t, "export", from)
		if code := in.Stop(); code != 0 {
			t.Errorf("%s: exit code %d", place.name, code)
		}
	}
}
