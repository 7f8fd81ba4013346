package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"meridian/web"
)

func runsOf(t *testing.T, s *server) (list web.RunList, err error) {
	out, err := command(t, "replay", "list", "--json", "--data-dir", s.dir)
	if err == nil {
		err = json.Unmarshal([]byte(out), &list)
	}
	return list, err
}

// becomes waits until a run is in a state.
func (s *server) becomes(t *testing.T, number uint32, state string) {
	t.Helper()
	await(t, s.ended, func() error {
		list, err := runsOf(t, s)
		for _, r := range list.Items {
			if r.Number == number && r.State == state {
				return err
			}
		}
		return fmt.Errorf("run %d is not %s: %+v, %v", number, state, list.Items, err)
	})
}

// A catalog that moves a service to a team: with generations.promote: manual the
// numbers by it wait. The difference says which line of the catalog is why, and
// promoting them makes it what readers see; going back to the ones before does not
// begin them again.
func TestRuns_OfAChangedCatalog(t *testing.T) {
	in := newInstanceTest(t)
	s := in.start(t, "one", "generations: {promote: manual}")
	s.deploy(t, "run-1", "checkout")
	s.deploys(t, "checkout", 1)
	in.writeCatalog(t, "zone: UTC\nteams:\n  - {name: web, services: [checkout]}\n")
	s.becomes(t, 2, "ready")

	diff, err := command(t, "replay", "diff", "2", "--grain", "day", "--data-dir", s.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"are in 1 alone", "deploy_frequency", "team web is new (catalog.yaml:3)", "no row", "evidence: 1 in 1 alone"} {
		if !strings.Contains(diff, part) {
			t.Errorf("the difference does not say %q:\n%s", part, diff)
		}
	}
	var d web.RunDiff
	text, err := command(t, "replay", "diff", "2", "--grain", "day", "--team", "web", "--metric", "deploy_frequency", "--json", "--data-dir", s.dir)
	if err == nil {
		err = json.Unmarshal([]byte(text), &d)
	}
	if err != nil || len(d.Windows) != 2 || d.Windows[0].First != nil || d.Windows[0].Second.N != 1 || d.Windows[0].Why[0].Cause != "catalog" {
		t.Errorf("%v: %+v", err, d.Windows)
	}

	if _, err := command(t, "replay", "promote", "2", "--data-dir", s.dir); err != nil {
		t.Fatal(err)
	}
	s.deploy(t, "run-2", "checkout")
	s.deploys(t, "web", 2)
	if _, err := command(t, "replay", "rollback", "--data-dir", s.dir); err != nil {
		t.Fatal(err)
	}
	s.deploys(t, "checkout", 2)
	s.deploy(t, "run-3", "checkout")
	s.deploys(t, "checkout", 3) // two seconds later nothing has begun again
	list, err := runsOf(t, s)
	if err != nil || list.Current != 1 || len(list.Items) != 2 || !strings.Contains(list.Waits, "were rolled back") {
		t.Errorf("after the rollback: %+v, %v", list, err)
	}
	for _, refused := range [][]string{{"promote", "1"}, {"drop", "1"}, {"rollback", "9"}, {"resume", "9"}, {"promote", "x"}} {
		var errs bytes.Buffer
		code := run(t.Context(), append([]string{"replay"}, append(refused, "--data-dir", s.dir)...), streams{in: bytes.NewReader(nil), out: &errs, err: &errs})
		if want := map[bool]int{true: exitUsage, false: exitError}[refused[1] == "x"]; code != want {
			t.Errorf("%v: exit code %d, %s", refused, code, errs.String())
		}
	}
}

// Changes that follow each other wait for min_interval when history takes a minute or
// more, and pages say until when; what was replaced is dropped where nothing is kept.
func TestRuns_MinIntervalAndDrop(t *testing.T) {
	in := newInstanceTest(t)
	s := in.startWith(t, "one", "generations: {keep: 0, min_interval: 1h}", func(c *coordinator) {
		c.dropAfter = 100 * time.Millisecond
	})
	s.deploy(t, "run-1", "checkout")
	s.deploys(t, "checkout", 1)
	in.writeCatalog(t, "teams: [{name: web, services: [checkout]}]")
	s.deploys(t, "web", 1)
	await(t, s.ended, func() error {
		list, err := runsOf(t, s)
		if err != nil || len(list.Items) != 1 || list.Current != 2 {
			return fmt.Errorf("generation 1 is not dropped: %+v, %v", list, err)
		}
		return nil
	})
	s.stop()

	s = in.startWith(t, "one", "generations: {keep: 0, min_interval: 1h}", func(c *coordinator) { c.quick = 0 })
	s.deploys(t, "web", 1)
	in.writeCatalog(t, "teams: [{name: shop, services: [checkout]}]")
	await(t, s.ended, func() error {
		list, err := runsOf(t, s)
		if err != nil || !strings.Contains(list.Waits, "the catalog has changed; numbers by it are computed from") {
			return fmt.Errorf("nothing waits: %+v, %v", list, err)
		}
		return nil
	})
	s.deploy(t, "run-2", "checkout")
	s.deploys(t, "web", 2) // the old one goes on
	if _, err := command(t, "replay", "--mode", "restate", "--data-dir", s.dir); err != nil {
		t.Fatal(err) // whoever asks does not wait
	}
	if _, err := command(t, "replay", "promote", "3", "--data-dir", s.dir); err != nil {
		t.Fatal(err)
	}
	s.deploys(t, "shop", 2)
	await(t, s.ended, func() error {
		list, err := runsOf(t, s)
		if err != nil || list.Waits != "" || list.Current != 3 {
			return fmt.Errorf("something waits: %+v, %v", list, err)
		}
		return nil
	})
}

// A run whose history fails stands, with the reason, and goes on when it is resumed.
func TestRuns_OneThatStands(t *testing.T) {
	in := newInstanceTest(t)
	s := in.start(t, "one", "")
	s.deploy(t, "run-1", "checkout")
	s.deploys(t, "checkout", 1)
	if _, err := command(t, "replay", "--mode", "restate", "--metrics", "deploy_frequency", "--data-dir", s.dir); err != nil {
		t.Fatal(err)
	}
	l := in.ledger(t)
	r, err := l.runOf(2)
	if err != nil || r.Kind != runRestate || len(r.Limits.Metrics) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	r.Problem = "the disk was full"
	if err := l.setRun(t.Context(), 2, r); err != nil {
		t.Fatal(err)
	}
	s.becomes(t, 2, "stands")
	out, err := command(t, "replay", "resume", "2", "--data-dir", s.dir)
	if err != nil || !strings.Contains(out, "metrics deploy_frequency") {
		t.Errorf("%v: %s", err, out)
	}
	s.becomes(t, 2, "ready")
	if out, err := command(t, "replay", "diff", "2", "--data-dir", s.dir); err != nil || !strings.Contains(out, "0 are in 1 alone") || strings.Contains(out, ": 0 windows are equal") || !strings.Contains(out, "written in part") {
		t.Errorf("what a run was not asked to write is compared: %v: %s", err, out)
	}
	if out, err := command(t, "replay", "diff", "2", "--metric", "rework_rate", "--data-dir", s.dir); err != nil || !strings.Contains(out, "why: run 2 was written in part") {
		t.Errorf("whoever asks for what was left out is told so: %v: %s", err, out)
	}
	if _, err := command(t, "replay", "promote", "2", "--data-dir", s.dir); err == nil || !strings.Contains(err.Error(), "was written in part") {
		t.Errorf("a run that was written in part is promoted: %v", err)
	}
	s.stop()

	// Without a server the command starts one in its process.
	if out, err := command(t, "replay", "list", "--config", in.folder+"/one.yaml"); err != nil || !strings.Contains(out, "deploy") && !strings.Contains(out, "restate") {
		t.Errorf("%v: %s", err, out)
	}
}
