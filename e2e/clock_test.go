package e2e_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"meridian/e2e/instance"
	"meridian/e2e/senders"
)

// An instance whose log ends weeks ago doubts its clock, says so, and believes
// who says that it is right.
func TestClockTrust(t *testing.T) {
	dir := instance.Folder(t)
	archive := instance.Write(t, dir, "archive.jsonl", senders.Archive(senders.History(1, spring, 2), false))
	c := instance.Config{Dir: filepath.Join(dir, "data")}
	c.Import(t, archive, false)
	if o := instance.Run(t, "clock", "trust", "--data-dir", c.Dir); o.Code != 4 || !strings.Contains(o.Err, "no server answers") {
		t.Errorf("without a server: exit code %d, %q", o.Code, o.Err)
	}
	in := instance.Serve(t, c)
	doubt := func() error {
		a, err := in.Ask("GET", "/readyz", nil, nil)
		if err == nil && (a.Status != 503 || !strings.Contains(string(a.Body), "clock trust")) {
			err = fmt.Errorf("%d %s", a.Status, a.Body)
		}
		return err
	}
	instance.Await(t, doubt)
	// Webhooks are taken all the same. This one is dated weeks ago and so is no witness for the clock.
	in.MustSend("accepted", senders.PullRequest{Repository: senders.Web, Number: 4711, Author: senders.Mai, Created: spring}.Opened())
	if err := doubt(); err != nil {
		t.Errorf("an old delivery was believed: %v", err)
	}
	if out := instance.Must(t, "clock", "trust", "--data-dir", c.Dir); !strings.Contains(out, "trusted") {
		t.Errorf("it says %q", out)
	}
	instance.Await(t, func() error {
		a, err := in.Ask("GET", "/readyz", nil, nil)
		if err == nil && a.Status != 200 {
			err = fmt.Errorf("%d %s", a.Status, a.Body)
		}
		return err
	})
}
