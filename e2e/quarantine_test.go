package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"meridian/e2e/instance"
	"meridian/e2e/senders"
)

// asideItem is a line of `quarantine list --json`.
type asideItem struct {
	ID, Source, State, By, Delivery, Detail string
	Reasons, Kinds                          []string
	Events                                  int
}

func asides(t testing.TB, in *instance.Instance, dir string, all bool) []asideItem {
	t.Helper()
	args := []string{"quarantine", "list", "--json", "--data-dir", dir}
	if all {
		args = append(args, "--all")
	}
	var list struct{ Items []asideItem }
	if err := json.Unmarshal([]byte(instance.Must(t, args...)), &list); err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// of is the one with an id.
func of(items []asideItem, id string) (item asideItem) {
	if i := slices.IndexFunc(items, func(i asideItem) bool { return i.ID == id }); i >= 0 {
		item = items[i]
	}
	return item
}

// A merge that is dated some seconds ahead is set aside, and what cannot be read too. Once its time has come the first
// goes through and counts once, however often it is sent; the second cannot, and is dropped.
func TestQuarantine_IsListedRetriedAndDropped(t *testing.T) {
	dir := filepath.Join(instance.Folder(t), "data")
	in := instance.Serve(t, instance.Config{Dir: dir, Catalog: senders.Catalog, More: "time: {future_skew: 1s}"})
	in.AwaitParts()
	ahead := time.Now().UTC().Add(20 * time.Second).Truncate(time.Second)
	pr := senders.PullRequest{Repository: senders.Web, Number: 70, Author: senders.Mai, Created: ahead.Add(-time.Hour)}
	unreadable := senders.Delivery{Provider: "github", Headers: map[string]string{"X-GitHub-Event": "pull_request"}, Body: []byte(`{"action":7,"note":"zebra"}`)}
	in.MustSend("accepted", pr.Opened(), pr.Merged(senders.Mai, ahead), unreadable)

	var future, unread asideItem
	instance.Await(t, func() error {
		items := asides(t, in, dir, false)
		if len(items) != 2 {
			return fmt.Errorf("set aside: %+v", items)
		}
		future, unread = items[1], items[0]
		if future.Events == 0 { // the newest comes first, and both may have come within a millisecond
			future, unread = unread, future
		}
		return nil
	})
	if len(future.Reasons) != 1 || future.Reasons[0] != "future" || future.Events != 1 || future.Kinds[0] != "pull_request_merged" || future.State != "open" {
		t.Errorf("the merge is listed as %+v", future)
	}
	if len(unread.Reasons) != 1 || unread.Reasons[0] != "undecodable" || unread.Events != 0 || unread.Detail == "" || strings.Contains(unread.Detail, "zebra") {
		t.Errorf("what cannot be read is listed as %+v", unread)
	}
	if out := instance.Must(t, "quarantine", "show", unread.ID, "--data-dir", dir); !strings.Contains(out, `"action":7`) || !strings.Contains(out, "X-Github-Event: pull_request") {
		t.Errorf("shown as %s", out)
	}
	refused := func(code int, part string, args ...string) {
		t.Helper()
		if o := instance.Run(t, append([]string{"quarantine"}, append(args, "--data-dir", dir)...)...); o.Code != code || !strings.Contains(o.Err, part) {
			t.Errorf("quarantine %v: %d, %s; want %d and %q", args, o.Code, o.Err, code, part)
		}
	}
	refused(1, "still cannot be read", "retry", unread.ID)
	refused(2, "--all", "retry")
	refused(1, "no id", "drop", "elephant")
	refused(1, "no delivery", "show", "0-99999999")

	// Retried when its time has come. Until then the answer says that it would be set aside again.
	instance.Await(t, func() error {
		o := instance.Run(t, "quarantine", "retry", future.ID, "--data-dir", dir)
		if o.Code == 1 && !strings.Contains(o.Err, "would be set aside again") {
			t.Fatalf("retry: %s", o.Err)
		}
		if o.Code != 0 {
			return fmt.Errorf("retry: %d, %s", o.Code, o.Err)
		}
		return nil
	})
	refused(1, "was retried by", "retry", future.ID)
	in.MustSend("accepted", pr.Merged(senders.Mai, ahead)) // the sender's own second attempt
	counted := func(n string) func() error {
		return func() error {
			points, err := in.Points("metric=pr_merged&team=web&grain=hour&from="+ahead.Add(-3*time.Hour).Format(time.RFC3339), 100)
			if err != nil {
				return err
			}
			var lines []string
			for _, p := range points {
				if p.N > 0 {
					lines = append(lines, p.Line)
				}
			}
			if len(lines) != 1 || !strings.Contains(lines[0], `"n":1,`) || !strings.Contains(lines[0], `"duplicates":`+n) {
				return fmt.Errorf("merges: %q", lines)
			}
			return nil
		}
	}
	// The opening came twice from nobody: only the merge did, once retried and once sent.
	instance.Await(t, counted("1"))

	if out := instance.Must(t, "quarantine", "drop", unread.ID, "--data-dir", dir); !strings.Contains(out, "dropped") {
		t.Errorf("dropped: %s", out)
	}
	if left := asides(t, in, dir, false); len(left) != 0 {
		t.Errorf("still open: %+v", left)
	}
	done := asides(t, in, dir, true)
	if len(done) != 2 {
		t.Errorf("done: %+v", done)
	} else if dropped, retried := of(done, unread.ID), of(done, future.ID); dropped.State != "dropped" || retried.State != "retried" || dropped.By == "" || retried.Delivery == "" {
		t.Errorf("done: %+v", done)
	}

	// What was done outlives the process.
	if code := in.Stop(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	in = instance.Serve(t, instance.Config{Dir: dir, Catalog: senders.Catalog, More: "time: {future_skew: 1s}"})
	in.AwaitParts()
	if left := asides(t, in, dir, false); len(left) != 0 {
		t.Errorf("open after a restart: %+v", left)
	}
	instance.Await(t, counted("1"))

	// The API tells what and why, and shows no body; nothing can be done with its token.
	if body, err := in.Get("/api/v1/rejects"); err != nil || strings.Contains(string(body), "zebra") {
		t.Errorf("%s, %v", body, err)
	}
	if a, err := in.Ask(http.MethodPost, "/quarantine/"+unread.ID+"/drop", nil, nil); err != nil || a.Status < 400 {
		t.Errorf("a program dropped something: %d, %v", a.Status, err)
	}
}
